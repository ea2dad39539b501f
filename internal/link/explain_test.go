package link_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// explained returns the explanation of a value as people read it.
func (w *world) explained(unit string, name, path string) string {
	w.t.Helper()
	e, err := w.graph().Explain(context.Background(), "id-"+unit, entity.ResourceReference{
		ResourceType: "apps/v1/Deployment", ResourceName: "shop/web",
	}, path)
	if err != nil {
		w.t.Fatal(err)
	}
	return e.String()
}

func TestExplain(t *testing.T) {
	w := profileWorld(t)
	w.unit("dev", shopWeb)
	l := w.link("upgrade-web", "web", "dev", entity.UpdateUpgradeUnit)
	l.WhereMutation = "MergeSourceID = 'id-dev'"
	l.UpstreamLastMergedRevisionNum = 1
	w.resolve("web")
	want := `apps/v1/Deployment shop/web : spec.replicas = 6
  set by   mutation 2 (revision 2, "a change"), link prod/web-profile (TransformPaths)
           cel params.replicas * 2, replicas = 3
  from     prod/profile rev 1, example.com/v1/Profile /main : spec.replicas = 3
           set by   mutation 1 (revision 1, "a change")
  merges   not overwritable by prod/upgrade-web: WhereMutation excludes mutation 2
  next     prod/web-profile would write 6 (no change)
`
	if diff := cmp.Diff(want, w.explained("web", "web", "spec.replicas")); diff != "" {
		t.Error(diff)
	}
	w.replace("profile", "replicas: 3", "replicas: 4")
	if diff := cmp.Diff(
		"next     prod/web-profile would write 8\n",
		lastLine(w.explained("web", "web", "spec.replicas")),
	); diff != "" {
		t.Error(diff)
	}
	// A value that came with a clone is explained by its upstream.
	w.unit("up", shopWeb)
	w.clone("down", "up")
	want = `apps/v1/Deployment shop/web : spec.template.spec.containers.?name=app.image = web:1.0
  set by   mutation 1 (revision 1, "a change"), clone or merge
  from     prod/up rev 1, apps/v1/Deployment shop/web : spec.template.spec.containers.?name=app.image = web:1.0
           set by   mutation 1 (revision 1, "a change")
  merges   overwritable by prod/upgrade-down
`
	if diff := cmp.Diff(
		want, w.explained("down", "web", "spec.template.spec.containers.?name=app.image"),
	); diff != "" {
		t.Error(diff)
	}
	// Without records it is unknown.
	w.units["down"].Sources = nil
	if got := lastLine(w.explained("down", "web", "spec.replicas")); got !=
		"merges   overwritable by prod/upgrade-down\n" {
		t.Error(got)
	}
}
