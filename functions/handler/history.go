package handler

import (
	"bytes"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// history remembers what the steps of a chain made of documents. While the chain runs it costs a look at the length of every
// document's journal; the texts are made afterwards, by undoing one step after the other. A nil history remembers nothing.
type history struct{ moments []moment }

// moment is the state of documents behind a step that changed them.
type moment struct {
	step      int // -1: before the first
	documents gaby.Container
	marks     []gaby.Mark
}

func (r *run) newHistory(documents gaby.Container) *history {
	if !r.keepSteps && !r.mutations {
		return nil
	}
	return &history{moments: []moment{{step: -1, documents: slices.Clone(documents), marks: checkpoint(documents)}}}
}

// add remembers the documents as they are behind a step, if it did anything to them.
func (h *history) add(step int, documents gaby.Container) {
	if h == nil {
		return
	}
	last := &h.moments[len(h.moments)-1]
	marks := checkpoint(documents)
	if !slices.Equal(marks, last.marks) || !slices.Equal(documents, last.documents) {
		h.moments = append(h.moments, moment{step: step, documents: slices.Clone(documents), marks: marks})
	}
}

// texts are what print makes of the documents behind each step that may have changed them, in pieces, by step. The last is the text
// given. The documents are of no more use afterwards.
func (h *history) texts(last [][]byte, print func(gaby.Container) ([][]byte, error)) (map[int][][]byte, error) {
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

// mutations are what happened to the documents, with the functions that did it, see mutation.Chain. texts comes after it.
func (h *history) mutations(provider configkit.ResourceProvider) (list api.ResourceMutationList, mutators []int, err error) {
	states := make([]mutation.ChainState, len(h.moments))
	for i, m := range h.moments {
		states[i] = mutation.ChainState{Step: m.step, Documents: m.documents, Marks: m.marks}
	}
	return mutation.Chain(states, provider)
}

// pieces prints documents.
func (h *FunctionHandler) pieces(documents gaby.Container) ([][]byte, error) {
	if c, ok := h.converter.(configkit.PartConverter); ok {
		return c.PartToNative(documents), nil
	}
	text, err := h.converter.DocumentsToNative(documents)
	return [][]byte{text}, err
}

// setSteps records what each step made of the data, which is given in parts: their texts before the first step, and steps(i) what
// became of part i.
func (r *run) setSteps(parts [][][]byte, steps func(i int) map[int][][]byte) {
	parts = slices.Clone(parts)
	for step := range r.steps {
		changed := false
		for i := range parts {
			if text, ok := steps(i)[step]; ok && !gaby.SamePieces(text, bytes.Join(parts[i], nil)) {
				parts[i], changed = text, true
			}
		}
		if changed {
			r.response.Steps = append(r.response.Steps, Step{Index: step, Parts: gaby.Join(parts)})
		}
	}
}
