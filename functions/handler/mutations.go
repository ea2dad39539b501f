package handler

import (
	"errors"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/api"
)

// mutations are what happened to some of the documents. Those of resources that are gone stand apart: they come last.
type mutations struct {
	left, gone mutationList
	mutators   []int
}

// mutationList has the mutations themselves or, where these are asked for, the texts made of them at once.
type mutationList struct {
	list  api.ResourceMutationList
	texts [][]byte
	last  int // bytes of the last one
}

func (m *mutations) any() bool {
	return len(m.left.list)+len(m.left.texts)+len(m.gone.list)+len(m.gone.texts) > 0
}

// mutationsOf finds out what happened to documents.
func (r *run) mutationsOf(done *history, provider configkit.ResourceProvider) (found mutations, err error) {
	var problems []error
	found.mutators, err = done.mutations(provider, r.encode == nil, func(m *api.RecordedMutation) {
		l := &found.left
		if m.ResourceMutationInfo.MutationType == api.MutationTypeDelete {
			l = &found.gone
		}
		if r.encode == nil {
			l.list = append(l.list, m.Mutation())
		} else if err := l.encode(m, r.encode); err != nil {
			problems = append(problems, err)
		}
	})
	return found, errors.Join(append(problems, err)...)
}

// Texts are gathered in pieces, which need not be moved when there is more than was thought.
const firstPiece, largestPiece = 4 << 10, 128 << 10

// encode adds the text of a mutation.
func (l *mutationList) encode(m *api.RecordedMutation, encode func([]byte, *api.RecordedMutation) ([]byte, error)) error {
	n := len(l.texts)
	if n == 0 {
		l.texts = [][]byte{make([]byte, 0, firstPiece)}
	} else if text := l.texts[n-1]; cap(text)-len(text) < 2*l.last {
		l.texts = append(l.texts, make([]byte, 0, min(2*cap(text), largestPiece)))
	}
	text := &l.texts[len(l.texts)-1]
	before := len(*text)
	var err error
	*text, err = encode(*text, m)
	l.last = len(*text) - before
	return err
}

// setMutations records the mutations of all parts of the data.
func (r *run) setMutations(parts ...mutations) {
	var lists []api.ResourceMutationList
	var texts [][]byte
	add := func(l *mutationList) {
		lists, texts = append(lists, l.list), append(texts, l.texts...)
	}
	mutators := map[int]bool{}
	for i := range parts {
		add(&parts[i].left)
		r.changedValues = r.changedValues || parts[i].any()
		for _, step := range parts[i].mutators {
			mutators[step] = true
		}
	}
	for i := range parts {
		add(&parts[i].gone)
	}
	r.response.Mutations, r.response.EncodedMutations, r.response.Mutators = slices.Concat(lists...), texts, slices.Sorted(maps.Keys(mutators))
}
