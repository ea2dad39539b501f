package bundle

import (
	"context"
	"fmt"
	"strings"

	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Stage is a write of a controller, which comes after everything before it is ready.
type Stage struct{ Resources []*ResourceResult }

// Simulate returns the steps in which a controller would proceed from what was observed, if every
// object becomes ready. Values that only exist then are those of examples, or made up with the type
// of their field. A plugin that needs others is in its step nevertheless, see Waits. In the result,
// resources that are not ready cannot become so.
func Simulate(ctx context.Context, b *Bundle, o *Options) ([]Stage, *Result, error) {
	simulation := *o
	simulation.Examples, simulation.AssumeAll, simulation.simulated = true, true, true
	result, err := Process(ctx, b, &simulation)
	if err != nil {
		return nil, nil, err
	}
	var steps []Stage
	after := make(map[*Resource]int, len(result.Resources)) // the step after which it is ready
	for _, res := range result.Resources {
		if res.Status != smithv1.Ready {
			continue
		}
		step := 0
		for _, reference := range res.Resource.References {
			step = max(step, after[reference.target])
		}
		if res.Assumed && !o.AssumeAll && !o.AssumeReady[res.Resource.Name] {
			if step == len(steps) {
				steps = append(steps, Stage{})
			}
			steps[step].Resources = append(steps[step].Resources, res)
			step++
		}
		after[res.Resource] = step
	}
	return steps, result, nil
}

// MadeUp returns which values of the object are not those that a cluster has, and why.
func (res *ResourceResult) MadeUp() []string {
	var list []string
	for _, o := range res.Origins {
		path := strings.Join(o.Path, ".")
		switch {
		case o.reference.madeUp:
			list = append(list, fmt.Sprintf("%s is made up (%s)", path,
				res.Resource.path(o.Reference)))
		case o.From == fromExample:
			list = append(list, path+" is an example")
		}
	}
	return list
}
