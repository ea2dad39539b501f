package resolve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// explained returns an explanation with a line for each cause, merge and coming write.
func (w *world) explained(unit string, name, path string) string {
	w.t.Helper()
	e, err := w.graph().Explain(context.Background(), "id-"+unit, entity.ResourceReference{
		ResourceType: "apps/v1/Deployment", ResourceName: "shop/web",
	}, path)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	var write func(e *resolve.Explanation)
	write = func(e *resolve.Explanation) {
		fmt.Fprintf(&b, "%s %s : %s = %v\n", e.Unit, &e.Resource, e.Path, e.Value)
		if c := e.Cause; c != nil {
			fmt.Fprintf(&b, "mutation %d %s %s %s %v\n", c.Mutation.MutationNum, c.Link, c.UpdateType,
				c.Expression, c.Parameters)
		}
		for _, from := range e.From {
			write(from)
		}
	}
	write(e)
	for _, m := range e.Merges {
		fmt.Fprintf(&b, "merges %s %v %s\n", m.Link, m.Overwritable, m.Reason)
	}
	for _, n := range e.Next {
		fmt.Fprintf(&b, "next %s %v %v\n", n.Link, n.Value, n.Changes)
	}
	return b.String()
}

func TestExplain(t *testing.T) {
	w := profileWorld(t)
	w.unit("dev", shopWeb)
	l := w.link("upgrade-web", "web", "dev", entity.UpdateUpgradeUnit)
	l.WhereMutation = "MergeSourceID = 'id-dev'"
	l.UpstreamLastMergedRevisionNum = 1
	w.resolve("web")
	want := `prod/web apps/v1/Deployment shop/web : spec.replicas = 6
mutation 2 prod/web-profile TransformPaths params.replicas * 2 map[replicas:3]
prod/profile example.com/v1/Profile /main : spec.replicas = 3
mutation 1    map[]
merges prod/upgrade-web false WhereMutation excludes mutation 2
next prod/web-profile 6 false
`
	if diff := cmp.Diff(want, w.explained("web", "web", "spec.replicas")); diff != "" {
		t.Error(diff)
	}
	w.replace("profile", "replicas: 3", "replicas: 4")
	if diff := cmp.Diff(
		"next prod/web-profile 8 true\n",
		lastLine(w.explained("web", "web", "spec.replicas")),
	); diff != "" {
		t.Error(diff)
	}
	// A value that came with a clone is explained by its upstream.
	w.unit("up", shopWeb)
	w.clone("down", "up")
	want = `prod/down apps/v1/Deployment shop/web : spec.template.spec.containers.?name=app.image = web:1.0
mutation 1    map[]
prod/up apps/v1/Deployment shop/web : spec.template.spec.containers.?name=app.image = web:1.0
mutation 1    map[]
merges prod/upgrade-down true 
`
	if diff := cmp.Diff(
		want, w.explained("down", "web", "spec.template.spec.containers.?name=app.image"),
	); diff != "" {
		t.Error(diff)
	}
	// Without records it is unknown.
	w.units["down"].Sources = nil
	if got := lastLine(w.explained("down", "web", "spec.replicas")); got !=
		"merges prod/upgrade-down true \n" {
		t.Error(got)
	}
}
