package mutation

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ChainState is the state of the documents of a unit at one point of a chain of functions.
type ChainState struct {
	Step      int // index of the function that produced it
	Documents gaby.Container
	Marks     []gaby.Mark
}

// Chain computes what a chain of functions did to a unit. states holds the initial state and the
// state after each function that edited something; the last one is the present state. The documents
// record where they were edited, so the cost depends on the size of the changes only. Every entry
// has the index of the function it came from. Changes that were undone later have no entry;
// mutators lists all functions that changed something, including undone changes.
//
// The changes of the chain as a whole are computed first. What each function did is computed only
// to learn which function an entry came from; see blame. Adding up the changes of the functions
// would be harder: a later function may undo, move or rename what an earlier one changed.
func Chain(
	states []ChainState, provider configkit.ResourceProvider,
) (list api.ResourceMutationList, mutators []int, err error) {
	if len(states) < 2 {
		return nil, nil, nil
	}
	first, last := states[0], states[len(states)-1]
	changes, err := diffUnits(
		first.Documents.At(first.Marks), last.Documents, provider,
		diffOptions{index: last.Step, renames: true},
	)
	if err != nil {
		return nil, nil, err
	}
	if len(states) == 2 { // everything came from one function
		if len(changes) > 0 {
			mutators = []int{last.Step}
		}
		return mutationsOf(changes, provider), mutators, nil
	}
	// What each function did, by document identity.
	var steps []map[any]*resourceChange
	for i := 1; i < len(states); i++ {
		before, after := states[i-1], states[i]
		changes, err := diffUnits(
			before.Documents.At(before.Marks), after.Documents.At(after.Marks), provider,
			diffOptions{index: after.Step, renames: true},
		)
		if err != nil {
			return nil, nil, err
		}
		if len(changes) == 0 {
			continue
		}
		step := map[any]*resourceChange{}
		for _, c := range changes {
			doc := c.after
			if doc == nil {
				doc = c.before
			}
			step[doc.Identity()] = c
		}
		mutators, steps = append(mutators, after.Step), append(steps, step)
	}
	for _, c := range changes {
		var of []*resourceChange
		for _, step := range steps {
			for _, doc := range []*gaby.YamlDoc{c.after, c.before} {
				if doc != nil && step[doc.Identity()] != nil {
					of = append(of, step[doc.Identity()])
					break
				}
			}
		}
		blame(c, of)
	}
	return mutationsOf(changes, provider), mutators, nil
}
