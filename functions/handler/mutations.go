package handler

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
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
	text  []byte // the last of them, in memory that is used again
}

func (m *mutations) any() bool {
	return len(m.left.list)+len(m.left.texts)+len(m.gone.list)+len(m.gone.texts) > 0
}

// mutationsOf finds out what happened to documents. scratch is memory that can be used again.
func (r *run) mutationsOf(done *history, provider configkit.ResourceProvider, scratch *[]byte) (found mutations, err error) {
	var problems []error
	found.left.text = *scratch
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
	found.left.flush()
	found.gone.flush()
	*scratch, found.left.text = found.left.text, nil
	return found, errors.Join(append(problems, err)...)
}

// Texts are made in one piece of memory, and copied from there when they have this size: so they take no more than they need.
const pieceBytes = 64 << 10

// encode adds the text of a mutation.
func (l *mutationList) encode(m *api.RecordedMutation, encode func([]byte, *api.RecordedMutation) ([]byte, error)) (err error) {
	l.text, err = encode(l.text, m)
	if len(l.text) >= pieceBytes {
		l.flush()
	}
	return err
}

func (l *mutationList) flush() {
	if len(l.text) > 0 {
		l.texts, l.text = append(l.texts, bytes.Clone(l.text)), l.text[:0]
	}
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
