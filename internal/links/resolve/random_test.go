package resolve_test

import (
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// objects returns the resources of a unit.
func (w *world) objects(slug string) []mutationtest.Object {
	var all []mutationtest.Object
	for _, doc := range mutationtest.Parse(w.t, string(w.units[slug].Data)) {
		if object, ok := doc.Data().(mutationtest.Object); ok {
			all = append(all, object)
		}
	}
	return all
}

// replays checks that the changes of each revision, applied to the one before, give its data.
func (w *world) replays(slug string, seed int) {
	w.t.Helper()
	u := w.units[slug]
	for n := 1; n < len(u.revisions); n++ {
		list, err := resolve.Diff(w.executor, u.ToolchainType, u.revisions[n-1], u.revisions[n], 1)
		if err != nil {
			w.t.Fatal(err)
		}
		docs := mutationtest.Parse(w.t, string(u.revisions[n-1]))
		docs, conflicts, err := mutation.Patch(docs, nil, list, nil, k8skit.K8sResourceProvider)
		if err != nil || len(conflicts) > 0 ||
			!mutationtest.SameDocuments(w.t, docs.String(), string(u.revisions[n])) {
			w.t.Fatalf("seed %d: revision %d is not replayed: %v %v\n%s", seed, n, err, conflicts,
				u.revisions[n])
		}
	}
}
