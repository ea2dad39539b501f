package handler

import (
	"bytes"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// history records what the steps of a chain made of documents. Recording only compares the marks of
// the documents' journals, so it is cheap while the chain runs. The texts are made afterwards, by
// undoing one step after the other. A nil history records nothing.
type history struct{ moments []moment }

// moment is the state of the documents after a step that changed them.
type moment struct {
	step      int // -1 before the first step
	documents gaby.Container
	marks     []gaby.Mark
}

// newHistory returns a history that begins with the documents as they are now, or nil if the
// request needs none.
func (r *run) newHistory(documents gaby.Container) *history {
	if !r.keepSteps && !r.mutations {
		return nil
	}
	return &history{
		moments: []moment{
			{step: -1, documents: slices.Clone(documents), marks: checkpoint(documents)},
		},
	}
}

// add records the documents as they are after a step, if the step changed them.
func (h *history) add(step int, documents gaby.Container) {
	if h == nil {
		return
	}
	last := &h.moments[len(h.moments)-1]
	marks := checkpoint(documents)
	if !slices.Equal(marks, last.marks) || !slices.Equal(documents, last.documents) {
		h.moments = append(h.moments, moment{
			step: step, documents: slices.Clone(documents), marks: marks,
		})
	}
}

// texts returns the text of the documents after each step that may have changed them, in pieces, by
// step. The text after the last of these steps is given; print makes the others. The documents are
// rolled back on the way and must not be used afterwards.
func (h *history) texts(
	last [][]byte, print func(gaby.Container) ([][]byte, error),
) (map[int][][]byte, error) {
	if h == nil {
		return nil, nil
	}
	texts := map[int][][]byte{}
	for i := len(h.moments) - 1; i > 0; i-- {
		m := h.moments[i]
		text := last
		if i < len(h.moments)-1 {
			rollback(m.documents, m.marks)
			var err error
			if text, err = print(m.documents); err != nil {
				return nil, err
			}
		}
		texts[m.step] = text
	}
	return texts, nil
}

// mutations returns what happened to the documents and which steps did it; see mutation.Chain. It
// must be called before texts, which rolls the documents back.
func (h *history) mutations(
	provider configkit.ResourceProvider,
) (list api.ResourceMutationList, mutators []int, err error) {
	states := make([]mutation.ChainState, len(h.moments))
	for i, m := range h.moments {
		states[i] = mutation.ChainState{Step: m.step, Documents: m.documents, Marks: m.marks}
	}
	return mutation.Chain(states, provider)
}

// setSteps records what each step made of the data.
func (r *run) setSteps(parts []unitPart) {
	texts := make([][][]byte, len(parts))
	for i := range parts {
		texts[i] = [][]byte{parts[i].before}
	}
	for step := range r.steps {
		changed := false
		for i := range parts {
			text, ok := parts[i].steps[step]
			if ok && !gaby.SameChunks(text, bytes.Join(texts[i], nil)) {
				texts[i], changed = text, true
			}
		}
		if changed {
			r.response.Steps = append(r.response.Steps, Step{Index: step, Parts: gaby.Join(texts)})
		}
	}
}
