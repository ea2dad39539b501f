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
	var of []placedChange // first to last
	for i := range steps {
		if s := steps[i].of(c); s != nil {
			of = append(of, placed(s))
		}
	}
	if len(of) == 0 {
		return
	}
	c.index = of[len(of)-1].index
	if c.op == api.MutationTypeAdd {
		c.index = of[0].index // which made it
	}
	moves := movesOfChange(c)
	for _, p := range c.paths {
		p.index = lastToChange(of, p.path, moves)
	}
	for i := range c.whole {
		c.whole[i].index = lastToChange(of, c.whole[i].path, moves)
	}
}

// placedChange is what one function did to a resource, by the places before and after it. In a chain an element of a list without merge
// keys has another digest, and maybe another index, behind every function.
type placedChange struct {
	index         int
	moves         *elementMoves
	before, after *pathTree
}

func placed(r *resourceChange) placedChange {
	p := placedChange{index: r.index, moves: movesOfChange(r)}
	var before, after []*pathChange
	for _, e := range r.paths {
		if last := e.path[len(e.path)-1]; last.kind != newElement {
			before = append(before, &pathChange{path: e.path.byIndex(), change: e.change})
		}
		if path, gone := p.moves.after(e.path); !gone {
			after = append(after, &pathChange{path: path.byIndex(), change: e.change})
		}
	}
	p.before, p.after = newPathTree(before), newPathTree(after)
	return p
}

// lastToChange is the index of the last function that changed something at, above or below a place of the change as a whole, of which
// moves are. What is there at the end is followed back to it; an element that is gone is followed from the beginning.
func lastToChange(of []placedChange, path mutationPath, moves *elementMoves) int {
	if place, gone := moves.after(path); !gone {
		for _, s := range slices.Backward(of) {
			isNew := false
			if s.after.touches(place.byIndex()) {
				return s.index
			} else if place, isNew = s.moves.before(place); isNew {
				break
			}
		}
		return of[len(of)-1].index
	}
	last := -1
	for _, s := range of {
		if s.before.touches(path.byIndex()) {
			last = s.index
		}
		gone := false
		if path, gone = s.moves.after(path); gone {
			break
		}
	}
	if last < 0 {
		last = of[len(of)-1].index
	}
	return last
}

// touches tells whether there is a change at, above or below a place.
func (t *pathTree) touches(place mutationPath) bool {
	node, covering := t.find(place)
	return node != nil || covering != nil
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
