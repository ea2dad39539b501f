package resolve_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/attributes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// twoResources is an upstream unit that every type of link can read.
const twoResources = `apiVersion: v1
kind: Namespace
metadata: {name: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cfg}
data: {a: one}
`

// threeNeeds has something for every type of link to write.
const threeNeeds = `apiVersion: v1
kind: ConfigMap
metadata: {name: down, namespace: confighubplaceholder}
data:
  x: confighubplaceholder
`

// typeWorld has a link of a type from the unit down to the unit up, resolved once.
func typeWorld(t *testing.T, typ entity.UpdateType, with func(*entity.Link)) *world {
	t.Helper()
	w := newWorld(t)
	w.unit("up", twoResources)
	w.capture("up", strings.ReplaceAll(twoResources, "one", "live"))
	if typ == entity.UpdateUpgradeUnit {
		w.clone("down", "up")
		w.links["upgrade-down"].Slug = "l"
		w.links["l"] = w.links["upgrade-down"]
		delete(w.links, "upgrade-down")
	} else {
		w.unit("down", threeNeeds)
		w.link("l", "down", "up", typ)
	}
	down := &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "down"}
	l := w.links["l"]
	switch typ {
	case entity.UpdateInsert:
		l.Bindings = []entity.Binding{{NeededResource: down, NeededPath: "data.x"}}
	case entity.UpdateTransformPaths:
		l.UpstreamPaths = []entity.NamedPath{{
			Name: "a", Resource: reference("v1/ConfigMap", "*"), Path: "data.a",
		}}
		l.DownstreamPaths = []entity.PathExpression{{
			Resource: reference("v1/ConfigMap", "down"), Path: "data.x",
			Expression: "{{.Params.a}}", Parameters: []string{"a"},
		}}
	}
	if with != nil {
		with(l)
	}
	w.resolve("down")
	return w
}

// TestWhatIsRecorded checks what a resolve records about a link of each type, and about the unit.
func TestWhatIsRecorded(t *testing.T) {
	for _, row := range []struct {
		typ                       entity.UpdateType
		first, changed, commented string // pointers after three resolves
		bindings                  int
		upstream                  int64 // the unit's UpstreamRevisionNum
	}{
		{typ: entity.UpdateNone, first: "0/0", changed: "0/0", commented: "0/0"},
		{
			typ: entity.UpdateUpgradeUnit, first: "1/1", changed: "2/2", commented: "3/3",
			upstream: 3,
		},
		{typ: entity.UpdateMergeUnits, first: "1/2", changed: "2/3", commented: "3/4"},
		{typ: entity.UpdateInsert, first: "1/2", changed: "2/3", commented: "3/4", bindings: 1},
		{typ: entity.UpdateUpsert, first: "1/2", changed: "2/3", commented: "3/3"},
		{typ: entity.UpdateTransformPaths, first: "1/2", changed: "2/3", commented: "3/3"},
		{
			typ: entity.UpdateNeedsProvides, first: "1/2", changed: "2/3", commented: "3/3",
			bindings: 1,
		},
	} {
		t.Run(string(row.typ), func(t *testing.T) {
			w := typeWorld(t, row.typ, nil)
			have := []string{w.pointers("l")}
			w.replace("up", "{name: one}", "{name: two}", "{a: one}", "{a: two}")
			w.resolve("down")
			have = append(have, w.pointers("l"))
			w.edit("up", string(w.units["up"].Data)+"# a comment\n")
			w.resolve("down")
			have = append(have, w.pointers("l"))
			want := []string{row.first, row.changed, row.commented}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
			l, u := w.links["l"], w.units["down"]
			if len(l.Bindings) != row.bindings {
				t.Errorf("%+v", l.Bindings)
			}
			if hash := l.ResolvedHash; (hash == l.Hash) != (row.typ != entity.UpdateNone) {
				t.Errorf("ResolvedHash is %q", hash)
			}
			if u.UpstreamRevisionNum != row.upstream ||
				(u.UpstreamUnitID != "") != (row.upstream > 0) {
				t.Errorf("%+v", u.UnitState)
			}
		})
	}
}

// TestInteractions is the table of what options and local edits mean for each type of link.
func TestInteractions(t *testing.T) {
	for _, row := range []struct {
		typ entity.UpdateType
		// live and filtered are what the unit has with UseLiveState and with a filter for the
		// ConfigMap; "" means that it is not allowed, or nothing is left to do.
		live, filtered string
		// edit replaces what the link wrote, with "mine"; kept says that it stays.
		edit string
		kept bool
	}{
		{typ: entity.UpdateUpgradeUnit, edit: "{a: one}", kept: true},
		{
			typ: entity.UpdateMergeUnits, live: "{a: live}", filtered: "---\napiVersion: v1\n" +
				"kind: ConfigMap\nmetadata: {name: cfg}\n", edit: "{a: one}", kept: true,
		},
		{
			typ: entity.UpdateInsert, live: "    data: {a: live}\n",
			filtered: "  x: |\n    ---\n    apiVersion: v1\n    kind: ConfigMap\n",
			edit:     "{a: one}",
		},
		{
			typ: entity.UpdateUpsert, live: "{a: live}",
			filtered: "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg}\n",
			edit:     "{a: one}",
		},
		{
			typ: entity.UpdateTransformPaths, live: "x: live", filtered: "x: one",
			edit: "x: one",
		},
		{
			typ: entity.UpdateNeedsProvides, live: "namespace: live", edit: "namespace: one",
			kept: true,
		},
	} {
		t.Run(string(row.typ)+"/live", func(t *testing.T) {
			if row.live == "" {
				return
			}
			w := typeWorld(t, row.typ, func(l *entity.Link) { l.UseLiveState = true })
			text := string(w.units["down"].Data)
			if !strings.Contains(text, row.live) {
				t.Errorf("no %q in\n%s", row.live, text)
			}
			if row.typ == entity.UpdateNeedsProvides && !w.links["l"].Bindings[0].InLiveState {
				t.Error("the binding is not InLiveState")
			}
		})
		t.Run(string(row.typ)+"/filter", func(t *testing.T) {
			w := typeWorld(t, row.typ, func(l *entity.Link) {
				l.WhereResource = "ConfigHub.ResourceType = 'v1/ConfigMap'"
			})
			text := string(w.units["down"].Data)
			if row.filtered == "" {
				if row.typ == entity.UpdateNeedsProvides {
					w.has("down", threeNeeds) // the Namespace does not take part
				}
				return
			}
			if !strings.Contains(text, row.filtered) ||
				strings.Contains(text, "kind: Namespace") {
				t.Errorf("no %q in\n%s", row.filtered, text)
			}
		})
		t.Run(string(row.typ)+"/edit", func(t *testing.T) {
			w := typeWorld(t, row.typ, nil)
			mine := strings.ReplaceAll(row.edit, "one", "mine")
			w.replace("down", row.edit, mine)
			w.replace("up", "{name: one}", "{name: two}", "{a: one}", "{a: two}")
			w.resolve("down")
			if kept := strings.Contains(string(w.units["down"].Data), mine); kept != row.kept {
				t.Errorf("%q is kept: %v\n%s", mine, kept, w.units["down"].Data)
			}
		})
		t.Run(string(row.typ)+"/dry run", func(t *testing.T) {
			w := typeWorld(t, row.typ, nil)
			w.replace("up", "{name: one}", "{name: two}", "{a: one}", "{a: two}")
			in := w.input("down")
			in.Options.DryRun = true
			planned, err := resolve.Resolve(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			planned.Result.DryRun = false
			for i := range planned.Result.Links {
				planned.Result.Links[i].Produced = nil // only a dry run shows it
			}
			if diff := cmp.Diff(planned, w.resolve("down")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPartsAreNotBound needs a part of a text that something provides: only manual bindings,
// functions and expressions write parts.
func TestPartsAreNotBound(t *testing.T) {
	const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  rules:
  - {host: web.confighubplaceholder}
`
	w := newWorld(t)
	if err := attributes.Register(w.executor, []attributes.File{{
		Name: "a.yaml", Text: []byte("attribute: domain\nprovided:\n" +
			"- {resourceType: v1/ConfigMap, path: data.domain}\n"),
	}}); err != nil {
		t.Fatal(err)
	}
	w.unit("up", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"+
		"data: {domain: example.com}\n")
	w.unit("down", ingress)
	l := w.link("l", "down", "up", "")
	out := w.resolve("down")
	w.has("down", ingress)
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnUnmatched}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	l = w.links[l.Slug]
	l.Bindings = []entity.Binding{{
		ProvidedResource: &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "c"},
		ProvidedPath:     "data.domain",
		NeededResource: &api.ResourceInfo{
			ResourceType: "networking.k8s.io/v1/Ingress", ResourceName: "web",
		},
		NeededPath: "spec.rules.0.host#domain",
	}}
	w.resolve("down")
	w.has("down", replaceOnce(ingress, "confighubplaceholder", "example.com"))
}

// TestNotedLinks resolves a link beside one that only follows and fails.
func TestNotedLinks(t *testing.T) {
	w := newWorld(t)
	w.unit("up", twoResources)
	w.unit("down", threeNeeds)
	w.link("good", "down", "up", "")
	bad := w.link("bad", "down", "up", "")
	bad.Bindings = []entity.Binding{{
		ProvidedResource: &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "cfg"},
		ProvidedPath:     "data.missing",
		NeededResource:   &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "down"},
		NeededPath:       "data.y",
	}}
	w.fails(entity.CodeNoValue, "down")
	out, err := w.try("down", resolve.Options{Noted: map[string]bool{bad.LinkID: true}})
	if err != nil {
		t.Fatal(err)
	}
	w.has("down", replaceOnce(threeNeeds, "confighubplaceholder", "one"))
	if out.Failed[bad.LinkID] == nil || out.Failed["id-good"] != nil {
		t.Errorf("%+v", out.Failed)
	}
	// A placeholder that nothing can fill is not a reason to resolve a link.
	out, err = w.try("down", resolve.Options{NeedsOnly: map[string]bool{bad.LinkID: true}})
	if err != nil || out.Failed[bad.LinkID] != nil {
		t.Error(err, out)
	}
}
