package bundle

import (
	"context"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/internal/bundle"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// simulate prints the objects of the steps of a controller, and on the error stream the steps.
func (r *runner) simulate(ctx context.Context, bundles []*bundle.Bundle, options *bundle.Options,
) error {
	var results []*bundle.Result
	var objects []string
	var text strings.Builder
	for _, b := range bundles {
		r.notes(b.Unready(options)...)
		steps, result, err := bundle.Simulate(ctx, b, options)
		if err != nil {
			return err
		}
		results = append(results, result)
		if err := r.hide(ctx, results[len(results)-1:]); err != nil {
			return err
		}
		for i, step := range steps {
			for _, res := range step.Resources {
				if res.Rendered() {
					objects = append(objects, stepObject(i+1, res))
				}
			}
		}
		text.WriteString(stepText(b, steps, result))
	}
	if err := r.app.Write([]byte(joined(objects))); err != nil {
		return err
	}
	if err := r.talk(text.String()); err != nil {
		return err
	}
	return r.outcome(results)
}

// stepObject returns the object of a step, with comments that say which step it is and which of its
// values a cluster does not have.
func stepObject(number int, res *bundle.ResourceResult) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# step %d: %s\n", number, res.Resource.Name)
	for _, value := range res.MadeUp() {
		s.WriteString("# " + value + "\n")
	}
	s.Write(res.Bytes())
	return s.String()
}

// stepText returns the steps as text.
func stepText(b *bundle.Bundle, steps []bundle.Stage, result *bundle.Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Bundle %s in namespace %s\n", b.Name, b.Namespace)
	written := map[smithv1.ResourceName]bool{}
	for _, step := range steps {
		for _, res := range step.Resources {
			written[res.Resource.Name] = true
		}
	}
	for _, res := range result.Resources {
		if res.Status == smithv1.Ready && !written[res.Resource.Name] {
			fmt.Fprintf(&s, "ready now: %s (%s)\n", res.Resource.Name, res.Describe())
		}
	}
	for i, step := range steps {
		for _, res := range step.Resources {
			fmt.Fprintf(&s, "step %d: %s (%s)", i+1, res.Resource.Name, res.Describe())
			for _, f := range res.Waits() {
				fmt.Fprintf(&s, "; now: %s", f.Message)
			}
			s.WriteString("\n")
		}
	}
	for _, res := range result.Resources {
		if res.Status != smithv1.Ready {
			fmt.Fprintf(&s, "never ready: %s\n", res.Resource.Name)
		}
	}
	return s.String()
}
