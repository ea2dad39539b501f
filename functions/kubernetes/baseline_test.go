package kubernetes

import (
	"sync"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestUnitsShareABaseline checks that units that are compared at the same time with the same data
// share one decoding of it.
func TestUnitsShareABaseline(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n" +
		"  clusterIP: 10.0.0."
	b := &baseline{provider: k8skit.New()}
	data := []byte(service + "1\n")
	var units sync.WaitGroup
	for range 8 {
		units.Go(func() {
			docs, err := gaby.ParseAll([]byte(service + "2\n"))
			if err != nil {
				t.Error(err)
				return
			}
			call := &handler.Call{
				FunctionContext: &api.FunctionContext{}, Docs: docs, Other: data,
			}
			c, err := b.changes(call)
			if err != nil {
				t.Error(err)
				return
			}
			if rows, err := c.of(call, []api.AttributeName{"immutable"}); err != nil ||
				len(rows) != 1 || c.before[0] != b.resources["v1/Service#/web"] {
				t.Errorf("%+v %v", rows, err)
			}
		})
	}
	units.Wait()
}
