package yamlkit

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// ChainState is what the documents of a unit were at some moment of a chain of functions.
type ChainState struct {
	Step      int // position of the function that brought it about
	Documents gaby.Container
	Marks     []gaby.Mark
}

// ChainMutations finds out what a chain of functions has done to a unit: the states are the one at its beginning and those behind the
// functions that edited something, up to the present one. The documents tell where they were edited, so that it costs no more than
// what was changed; what happened there is the difference between what was and what is. Every entry has the index of the function it
// has come from. What was changed and changed back has none; mutators are the functions that changed something all the same.
func ChainMutations(states []ChainState, provider configkit.ResourceProvider) (list api.ResourceMutationList, mutators []int, err error) {
	if len(states) < 2 {
		return nil, nil, nil
	}
	first, last := states[0], states[len(states)-1]
	if len(states) == 2 {
		list, err = stepMutations(first, last, provider)
		if len(list) > 0 {
			mutators = []int{last.Step}
		}
		return list, mutators, err
	}
	changes, err := diffUnits(first.Documents.Before(first.Marks), last.Documents, provider, diffOptions{index: last.Step, renames: true})
	if err != nil {
		return nil, nil, err
	}
	var steps []chainStep
	for i := 1; i < len(states); i++ {
		step, err := stepBetween(states[i-1], states[i], provider)
		if err != nil {
			return nil, nil, err
		}
		if len(step.changes) > 0 {
			mutators = append(mutators, step.index)
			steps = append(steps, step)
		}
	}
	for _, c := range changes {
		attribute(c, steps)
	}
	return mutationsOf(changes, provider), mutators, nil
}

// stepMutations is what one function did. It takes no memory but for the result, as long as the documents are the same ones.
func stepMutations(first, last ChainState, provider configkit.ResourceProvider) (api.ResourceMutationList, error) {
	options := diffOptions{index: last.Step, renames: true}
	if !slices.Equal(first.Documents, last.Documents) {
		changes, err := diffUnits(first.Documents.Before(first.Marks), last.Documents, provider, options)
		return mutationsOf(changes, provider), err
	}
	d := newUnitDiffer(provider, options)
	now := anonymous{unit: last.Documents, provider: provider}
	then := now
	var list api.ResourceMutationList
	var past gaby.Past
	var r resourceChange
	for i, doc := range last.Documents {
		if doc.Checkpoint() == first.Marks[i] {
			continue
		}
		r.reset()
		d.differ.reset()
		if err := d.edited(&r, past.Of(doc, first.Marks[i]), doc, &then, &now); err != nil {
			d.problems = append(d.problems, err)
		} else if r.op != api.MutationTypeNone {
			if list == nil {
				list = make(api.ResourceMutationList, 0, len(last.Documents)-i)
			}
			list = append(list, api.ResourceMutation{})
			r.mutation(&list[len(list)-1], provider)
		}
	}
	return list, errors.Join(d.problems...)
}

// chainStep is what one function did.
type chainStep struct {
	index   int
	changes map[any]*resourceChange // by the identity of the document
}

func stepBetween(before, after ChainState, provider configkit.ResourceProvider) (chainStep, error) {
	step := chainStep{index: after.Step, changes: map[any]*resourceChange{}}
	changes, err := diffUnits(before.Documents.Before(before.Marks), after.Documents.Before(after.Marks), provider, diffOptions{index: after.Step, renames: true})
	for _, c := range changes {
		doc := c.after
		if doc == nil {
			doc = c.before
		}
		step.changes[doc.Identity()] = c
	}
	return step, err
}

// attribute finds the functions the entries of a resource have come from: the last one that changed the place, else the resource.
func attribute(c *resourceChange, steps []chainStep) {
	var of []*resourceChange // last first
	var trees []*pathTree
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i].of(c); s != nil {
			of, trees = append(of, s), append(trees, newPathTree(s.paths))
		}
	}
	if len(of) == 0 {
		return
	}
	c.index = of[0].index
	if c.op == api.MutationTypeAdd {
		c.index = of[len(of)-1].index // which made it
	}
	indexOf := func(path mutationPath) int {
		for i, tree := range trees {
			if node, covering := tree.find(path); covering != nil || node != nil {
				return of[i].index
			}
		}
		return of[0].index
	}
	for _, p := range c.paths {
		p.index = indexOf(p.path)
	}
	for i := range c.whole {
		c.whole[i].index = indexOf(c.whole[i].path)
	}
}

// of is what a step did to the resource of a change, nil when it did nothing to it.
func (s *chainStep) of(c *resourceChange) *resourceChange {
	for _, doc := range []*gaby.YamlDoc{c.after, c.before} {
		if doc != nil {
			if found := s.changes[doc.Identity()]; found != nil {
				return found
			}
		}
	}
	return nil
}
