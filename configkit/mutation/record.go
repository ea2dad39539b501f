package mutation

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ChainState is what the documents of a unit were at some moment of a chain of functions.
type ChainState struct {
	Step      int // position of the function that brought it about
	Documents gaby.Container
	Marks     []gaby.Mark
}

// Chain finds out what a chain of functions has done to a unit: the states are the one at its beginning and those behind the
// functions that edited something, up to the present one. The documents tell where they were edited, so that it costs no more than
// what was changed; what happened there is the difference between what was and what is. Every entry has the index of the function it
// has come from. What was changed and changed back has none; mutators are the functions that changed something all the same.
//
// take is called with one mutation after the other, those of resources that are gone last, with the previous values when they are
// wanted. The memory of one is that of the next one.
func Chain(states []ChainState, provider configkit.ResourceProvider, previous bool, take func(*api.RecordedMutation)) (mutators []int, err error) {
	if len(states) < 2 {
		return nil, nil
	}
	if !slices.ContainsFunc(states, func(s ChainState) bool { return !slices.Equal(s.Documents, states[0].Documents) }) {
		k := keptDocuments{states: states, steps: make([]keptStep, len(states)), differ: newUnitDiffer(provider, diffOptions{renames: true}), previous: previous, take: take}
		return k.mutations()
	}
	first, last := states[0], states[len(states)-1]
	changes, err := diffUnits(first.Documents.Before(first.Marks), last.Documents, provider, diffOptions{index: last.Step, renames: true})
	if err != nil {
		return nil, err
	}
	var steps []chainStep
	for i := 1; i < len(states); i++ {
		step, err := stepBetween(states[i-1], states[i], provider)
		if err != nil {
			return nil, err
		}
		if len(step.changes) > 0 {
			mutators = append(mutators, step.index)
			steps = append(steps, step)
		}
	}
	for _, c := range changes {
		var of []*resourceChange
		for i := range steps {
			if s := steps[i].of(c); s != nil {
				of = append(of, s)
			}
		}
		attribute(c, of)
	}
	var m api.RecordedMutation
	for _, c := range changes {
		c.record(&m, provider, previous)
		take(&m)
	}
	return mutators, nil
}

// keptDocuments works out what a chain has done to documents that stayed the same ones, document by document, in the same memory.
type keptDocuments struct {
	states   []ChainState
	steps    []keptStep // by state: of the function that brought it about
	differ   *unitDiffer
	change   resourceChange // of the chain as a whole
	mutation api.RecordedMutation
	previous bool
	take     func(*api.RecordedMutation)
}

type keptStep struct {
	past    gaby.Past // what was in front of it
	differ  differ
	change  resourceChange
	mutates bool
}

func (k *keptDocuments) mutations() (mutators []int, err error) {
	last := k.states[len(k.states)-1].Documents
	now := anonymous{unit: last, provider: k.differ.provider}
	then := now
	var touched []int
	for i, doc := range last {
		touched = touched[:0]
		for s := 1; s < len(k.states); s++ {
			if k.states[s].Marks[i] != k.states[s-1].Marks[i] {
				touched = append(touched, s)
			}
		}
		if len(touched) == 0 {
			continue
		}
		if err := k.document(i, doc, touched, &then, &now); err != nil {
			k.differ.problems = append(k.differ.problems, err)
		}
	}
	for s := range k.steps {
		if k.steps[s].mutates {
			mutators = append(mutators, k.states[s].Step)
		}
	}
	return mutators, errors.Join(k.differ.problems...)
}

// document finds out what the functions that touched document i, given by the states they brought about, have done to it.
func (k *keptDocuments) document(i int, doc *gaby.YamlDoc, touched []int, then, now *anonymous) error {
	r := &k.change
	r.reset()
	k.differ.differ.reset()
	first := touched[0]
	if err := k.differ.edited(r, k.before(first, i, doc), doc, then, now); err != nil {
		return err
	}
	changed := r.op != api.MutationTypeNone
	if len(touched) == 1 {
		r.indexed(k.states[first].Step)
		k.steps[first].mutates = k.steps[first].mutates || changed
	} else if changed || slices.ContainsFunc(touched, func(s int) bool { return !k.steps[s].mutates }) {
		attribute(r, k.each(i, doc, touched))
	}
	if changed {
		r.record(&k.mutation, k.differ.provider, k.previous)
		k.take(&k.mutation)
	}
	return nil
}

// each is what each of the functions that touched a document has done to it.
func (k *keptDocuments) each(i int, doc *gaby.YamlDoc, touched []int) []*resourceChange {
	changes := make([]*resourceChange, 0, len(touched))
	keys := k.differ.mergeKeys(k.change.resource.ResourceType)
	for n, s := range touched {
		after := doc
		if n+1 < len(touched) {
			after = k.before(touched[n+1], i, doc)
		}
		step := &k.steps[s]
		step.change.reset()
		step.differ.reset()
		step.differ.renames = true
		step.differ.diff(&step.change, k.before(s, i, doc).Value(), after.Value(), keys)
		if step.change.op != api.MutationTypeNone {
			step.change.index, step.mutates = k.states[s].Step, true
			changes = append(changes, &step.change)
		}
	}
	return changes
}

// before is document i in front of the function that brought a state about.
func (k *keptDocuments) before(state, i int, doc *gaby.YamlDoc) *gaby.YamlDoc {
	return k.steps[state].past.Of(doc, k.states[state-1].Marks[i])
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
