package bundle

import (
	"context"
	"maps"

	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Step is what a controller writes after everything before it is ready.
type Step struct {
	// Resources are rendered, or fail only because values are not known before the objects exist.
	Resources []*ResourceResult
}

// Simulate returns the steps in which a controller would proceed from what was observed, if every
// object becomes ready. Values that only exist then are those of examples. The result is the last
// one: resources in it that are not ready cannot become so.
func Simulate(ctx context.Context, b *Bundle, o *Options) ([]Step, *Result, error) {
	sim := *o
	sim.Examples = true
	sim.AssumeReady = maps.Clone(o.AssumeReady)
	if sim.AssumeReady == nil {
		sim.AssumeReady = map[smithv1.ResourceName]bool{}
	}
	sim.blind = map[smithv1.ResourceName]bool{}
	var steps []Step
	for {
		result, err := Process(ctx, b, &sim)
		if err != nil {
			return nil, nil, err
		}
		var step Step
		for _, res := range result.Resources {
			name := res.Resource.Name
			waits := res.Status == smithv1.Error && res.Retriable
			if res.Status != smithv1.InProgress && !waits {
				continue
			}
			sim.AssumeReady[name] = true
			sim.blind[name] = waits
			step.Resources = append(step.Resources, res)
		}
		if len(step.Resources) == 0 {
			return steps, result, nil
		}
		steps = append(steps, step)
	}
}
