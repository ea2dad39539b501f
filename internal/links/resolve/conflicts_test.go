package resolve_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/links/resolve"
)

func TestApplyConflicts(t *testing.T) {
	w := newWorld(t)
	w.unit("dev", apiDeployment)
	w.clone("prod", "dev")
	w.replace("prod", "replicas: 1", "replicas: 6 # many", "value: info", "value: warn")
	w.replace("dev", "replicas: 1", "replicas: 2", "value: info", "value: debug")
	out := w.resolve("prod")
	if len(out.Conflicts) != 2 {
		t.Fatal(conflictLines(out.Conflicts))
	}
	u := w.units["prod"]
	a, err := resolve.ApplyConflicts(w.executor, &u.HeadUnit, out.Conflicts)
	if err != nil || !a.Changed || len(a.Left) > 0 {
		t.Fatal(err, a.Left)
	}
	u.store(a.Data, a.Sources, a.Mutations)
	w.has("prod", replaceOnce(apiDeployment, "replicas: 1", "replicas: 2 # many",
		"value: info", "value: debug"))
	if m := u.Mutations[len(u.Mutations)-1]; m.MergeSourceID != "id-dev" {
		t.Errorf("%+v", m)
	}
	// The values are the upstream's now: the next upgrade changes them.
	w.replace("dev", "replicas: 2", "replicas: 4")
	w.resolve("prod")
	w.has("prod", replaceOnce(apiDeployment, "replicas: 1", "replicas: 4 # many",
		"value: info", "value: debug"))
}
