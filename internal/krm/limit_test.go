package krm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
)

// E7: a Go function that runs longer than the limit fails, whether it watches its context or not.
// One that cannot be ended is not waited for, and nobody uses its items: its failure is not
// deferred.
func TestTimeOfGoFunctions(t *testing.T) {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	for _, c := range []struct {
		name     string
		function Function
		want     string
		deferred bool
	}{
		{"watches its context", func(ctx context.Context, l *ResourceList) error {
			l.Items[0].Path = "moved.yaml"
			<-ctx.Done()
			return ctx.Err()
		}, "it ran longer than 50ms: context deadline exceeded", true},
		{"does not", func(context.Context, *ResourceList) error {
			<-end
			return nil
		}, "it ran longer than 50ms: it cannot be ended", false},
		{"is quick", func(context.Context, *ResourceList) error { return nil }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			executors := &Executors{
				Limits: process.Limits{Time: 50 * time.Millisecond},
				Own:    func(string) (Function, error) { return c.function, nil },
			}
			step, _, err := executors.Resolve(t.Context(), &Declared{Builtin: "f"}, "")
			if err != nil {
				t.Fatal(err)
			}
			step.DeferFailure = true
			pkg := readPackage(t, map[string]string{"a.yaml": configMapA})
			started := time.Now()
			items, _, err := (&Pipeline{Provider: provider()}).Run(t.Context(), pkg.Items(),
				[]*Step{step})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(),
				c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, deferred := errors.AsType[*DeferredError](err); deferred != c.deferred {
				t.Errorf("deferred is %v: %v", deferred, err)
			}
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if have := changes(t, pkg, items); have != "" {
				t.Errorf("changed:\n%s", have)
			}
		})
	}
}
