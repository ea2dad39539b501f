package resolve_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

const apiDeployment = `apiVersion: apps/v1
kind: Deployment # the shop's
metadata: {name: api, namespace: confighubplaceholder, labels: {app: api}}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: api
        image: ghcr.io/acme/api:1.4
        env:
        - {name: LOG, value: info}
`

// Example UG-1 of the specification.
func TestUpgradeKeepsLocalChanges(t *testing.T) {
	w := newWorld(t)
	w.unit("dev", apiDeployment)
	w.clone("prod", "dev")
	w.replace("prod", "confighubplaceholder", "shop-prod", "{app: api}", "{app: api, env: prod}",
		"replicas: 1", "replicas: 6", "value: info", "value: warn")
	w.edit("dev", `apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: confighubplaceholder, labels: {app: api, team: core}}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: api
        image: ghcr.io/acme/api:1.5
        env:
        - {name: LOG, value: info}
        - {name: TRACE, value: "on"}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: confighubplaceholder}
spec: {ports: [{port: 80}]}
`)
	out := w.resolve("prod")
	w.has("prod", `apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop-prod, labels: {app: api, team: core, env: prod}}
spec:
  replicas: 6
  template:
    spec:
      containers:
      - name: api
        image: ghcr.io/acme/api:1.5
        env:
        - {name: LOG, value: warn}
        - {name: TRACE, value: "on"}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: confighubplaceholder}
spec: {ports: [{port: 80}]}
`)
	want := []string{"Subtracted api spec.replicas"}
	if diff := cmp.Diff(want, conflictLines(out.Conflicts)); diff != "" {
		t.Error(diff)
	}
	if c := out.Conflicts[0]; c.Source.Value != "2\n" || c.Target.Value != "6\n" ||
		c.LinkID != "id-upgrade-prod" || c.UnitID != "id-dev" {
		t.Errorf("%+v", c)
	}
	if out.Source != entity.SourceUpgradeUnit || w.pointers("upgrade-prod") != "2/3" ||
		out.Upstream.RevisionNum != 2 {
		t.Error(out.Source, w.pointers("upgrade-prod"), out.Upstream)
	}
	m := out.Mutations[0]
	if len(out.Mutations) != 1 || m.MutationNum != 3 || m.RevisionNum != 3 ||
		m.LinkID != "id-upgrade-prod" || m.MergeSourceID != "id-dev" ||
		*m.MergeBaseRevisionNum != 1 || *m.MergeEndRevisionNum != 2 ||
		*m.UpgradedFromUpstreamRevisionNum != 2 {
		t.Errorf("%+v", out.Mutations)
	}
	summary := out.Result.FunctionMutationSummary
	paths := []string{}
	for path, info := range summary[0].PathMutationMap {
		paths = append(paths, string(info.MutationType)+" "+mutation.PlainPath(path))
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{
		"Add metadata.labels.team",
		"Add spec.template.spec.containers.?name=api.env.?name=TRACE",
		"Update spec.template.spec.containers.?name=api.image",
	}, paths); diff != "" || summary[1].ResourceMutationInfo.MutationType != "Add" {
		t.Error(diff, summary)
	}
	// Example UG-3: upgrading again does nothing.
	again := w.resolve("prod")
	if again.Changed || again.Result.Links[0].Status != entity.StatusUnchanged ||
		w.pointers("upgrade-prod") != "2/3" || len(again.Conflicts) != 1 {
		t.Errorf("%+v", again.Result)
	}
}

// Example UG-2: a value that was changed and changed back is not the upstream's any more.
func TestWhereMutationProtectsChangedBackValues(t *testing.T) {
	for _, c := range []struct {
		where, replicas string
		conflicts       []string
	}{
		{"MergeSourceID = 'id-dev'", "1", []string{"ProtectedPath api spec.replicas"}},
		{"", "3", []string{}},
	} {
		t.Run(c.replicas, func(t *testing.T) {
			w := newWorld(t)
			w.unit("dev", apiDeployment)
			w.clone("prod", "dev")
			w.links["upgrade-prod"].WhereMutation = c.where
			w.replace("prod", "replicas: 1", "replicas: 5")
			w.replace("prod", "replicas: 5", "replicas: 1")
			w.replace("dev", "replicas: 1", "replicas: 3")
			out := w.resolve("prod")
			if diff := cmp.Diff(c.conflicts, conflictLines(out.Conflicts)); diff != "" {
				t.Error(diff)
			}
			w.has("prod", replaceOnce(apiDeployment, "replicas: 1", "replicas: "+c.replicas))
		})
	}
}

// Example MU-1: rendered output with a local change.
func TestMergeUnitsKeepsLocalChanges(t *testing.T) {
	const rendered = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: app
        image: web:1.0
`
	w := newWorld(t)
	w.unit("render", rendered)
	w.unit("wet", "")
	w.link("wet-render", "wet", "render", entity.UpdateMergeUnits)
	w.resolve("wet")
	w.has("wet", rendered)
	if w.pointers("wet-render") != "1/1" {
		t.Error(w.pointers("wet-render"))
	}
	w.replace("wet", "replicas: 2", "replicas: 5")
	w.replace("render", "web:1.0\n", "web:1.1\n      - name: proxy\n        image: envoy:1\n")
	out := w.resolve("wet")
	w.has("wet", replaceOnce(rendered, "replicas: 2", "replicas: 5",
		"web:1.0\n", "web:1.1\n      - name: proxy\n        image: envoy:1\n"))
	if w.pointers("wet-render") != "2/3" || len(out.Conflicts) > 0 ||
		out.Source != entity.SourceMergeUnits || out.Upstream != nil {
		t.Error(w.pointers("wet-render"), out.Conflicts, out.Source)
	}
}

const (
	oneService = `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports:
  - port: 80
`
	oneConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n"
)

// Example MU-2: a filter splits a unit, and a deletion wins over a local change.
func TestMergeUnitsSplitsByFilter(t *testing.T) {
	w := newWorld(t)
	w.unit("all", apiDeployment+"---\n"+oneService+"---\n"+oneConfigMap)
	w.unit("svc", "")
	l := w.link("svc-all", "svc", "all", entity.UpdateMergeUnits)
	l.WhereResource = "ConfigHub.ResourceType = 'v1/Service'"
	w.resolve("svc")
	w.has("svc", oneService)
	w.replace("svc", "port: 80", "port: 81")
	w.edit("all", apiDeployment)
	out := w.resolve("svc")
	w.has("svc", "")
	want := []string{
		"DeleteShadowed web spec.ports.?port=80,protocol=TCP",
		"DeleteShadowed web spec.ports.?port=81,protocol=TCP",
	}
	if diff := cmp.Diff(want, conflictLines(out.Conflicts)); diff != "" {
		t.Error(diff)
	}
}

// Example MU-3: two sources, one revision, two mutations.
func TestMergeUnitsFromTwoSources(t *testing.T) {
	w := newWorld(t)
	w.unit("workload", apiDeployment+"---\n"+oneConfigMap)
	w.unit("policies", oneService+"---\n"+replaceOnce(oneConfigMap, "a: b", "a: c, d: e"))
	w.unit("app", "")
	w.link("app-workload", "app", "workload", entity.UpdateMergeUnits)
	w.link("app-policies", "app", "policies", entity.UpdateMergeUnits)
	out := w.resolve("app")
	w.has("app", apiDeployment+"---\n"+oneService+"---\n"+
		replaceOnce(oneConfigMap, "a: b", "a: c, d: e"))
	if len(out.Mutations) != 2 || out.Mutations[0].MergeSourceID != "id-policies" ||
		w.units["app"].HeadRevisionNum != 1 {
		t.Errorf("%+v", out.Mutations)
	}
	if diff := cmp.Diff([]string{"BothAdded web data.a"},
		conflictLines(out.Conflicts)); diff != "" {
		t.Error(diff)
	}
}

func TestMergeLiveState(t *testing.T) {
	w := newWorld(t)
	w.unit("render", "a: {}\n")
	w.unit("wet", "")
	l := w.link("wet-render", "wet", "render", entity.UpdateMergeUnits)
	l.UseLiveState = true
	w.fails(entity.CodeNoLiveState, "wet")
	w.capture("render", oneService)
	w.resolve("wet")
	w.capture("render", replaceOnce(oneService, "port: 80", "port: 81"))
	w.resolve("wet")
	w.has("wet", replaceOnce(oneService, "port: 80", "port: 81"))
	if w.pointers("wet-render") != "2/2" {
		t.Error(w.pointers("wet-render"))
	}
}

func TestMergeErrors(t *testing.T) {
	w := newWorld(t)
	w.unit("up", oneService)
	w.unit("down", oneConfigMap)
	l := w.link("down-up", "down", "up", entity.UpdateMergeUnits)
	l.UpstreamLastMergedRevisionNum = 7
	w.fails(entity.CodeRevisionMissing, "down")
	l.UpstreamLastMergedRevisionNum = 0
	w.edit("up", oneService+"---\n"+oneService)
	w.fails(entity.CodeDupResource, "down")
	w.units["up"].store([]byte("a: [\n"), nil, nil)
	w.fails(entity.CodeParse, "down")
	l.ToUnit, l.ToUnitID = "other", "id-other"
	w.fails(entity.CodeUnitNotFound, "down")
	l.FromUnitID = "id-up"
	w.fails(entity.CodeNotFrom, "down")
}

// A link that fails in an automatic resolve is noted, the others run.
func TestAutomaticGoesOn(t *testing.T) {
	w := newWorld(t)
	w.unit("bad", "").store([]byte("a: [\n"), nil, nil)
	w.unit("good", oneService)
	w.unit("down", "")
	w.link("a", "down", "bad", entity.UpdateMergeUnits)
	w.link("b", "down", "good", entity.UpdateMergeUnits)
	w.fails(entity.CodeParse, "down")
	out, err := w.try("down", resolve.Options{Automatic: true})
	if err != nil {
		t.Fatal(err)
	}
	w.has("down", oneService)
	if out.Failed["id-a"].Code != entity.CodeParse || len(out.Links) != 1 ||
		out.Result.Links[0].Status != entity.StatusFailed ||
		out.Result.Links[1].Status != entity.StatusChanged {
		t.Errorf("%+v", out.Result)
	}
}

// A resource in another namespace than the rest of the unit is a warning, or moves.
func TestMergeNamespaceMismatch(t *testing.T) {
	in := func(ns, text string) string {
		return replaceOnce(text, "name: web", "name: web, namespace: "+ns)
	}
	for _, adopt := range []bool{false, true} {
		t.Run(fmt.Sprint(adopt), func(t *testing.T) {
			w := newWorld(t)
			w.unit("up", in("dev", oneService))
			w.unit("down", in("prod", oneConfigMap))
			w.link("l", "down", "up", entity.UpdateMergeUnits)
			out, err := w.try("down", resolve.Options{AdoptNamespace: adopt})
			if err != nil {
				t.Fatal(err)
			}
			ns, codes := "dev", []entity.Code{entity.WarnNamespaceMismatch}
			if adopt {
				ns, codes = "prod", []entity.Code{}
			}
			w.has("down", in("prod", oneConfigMap)+"---\n"+in(ns, oneService))
			if diff := cmp.Diff(codes, warningCodes(out.Result.Warnings)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
