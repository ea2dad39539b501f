package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out/diff"
)

func changesForAPerson() api.ResourceMutationList {
	info := func(t api.MutationType, index int, value string) api.MutationInfo {
		return api.MutationInfo{MutationType: t, Index: index, Value: value}
	}
	replicas := info(api.MutationTypeUpdate, 0, "5\n")
	replicas.Previous = "3\n"
	text := info(api.MutationTypeUpdate, 1, "|\n  one\n  2\n")
	text.Patch = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	longer := info(api.MutationTypeUpdate, 7, strings.Repeat("long ", 20)+"now\n")
	longer.Previous = strings.Repeat("long ", 20) + "then " + strings.Repeat("long ", 20) + "\n"
	return api.ResourceMutationList{
		{
			Resource: api.ResourceInfo{
				ResourceType: "apps/v1/Deployment",
				ResourceName: "shop/web",
			},
			ResourceMutationInfo: info(api.MutationTypeUpdate, 1, ""),
			PathMutationMap: api.MutationMap{
				"spec.replicas":        replicas,
				"metadata.labels.team": info(api.MutationTypeAdd, 1, "core\n"),
				"spec.template.spec.containers.?name=web;@0.args.?~h=0a1b2c3d;@1": info(
					api.MutationTypeDelete,
					1, "--debug\n"),
				"spec.template.spec.containers.?name=web;@0.args.?~h=+0a1b2c3d;@2": info(
					api.MutationTypeAdd,
					1, "name: x\nvalue:\n- a\n- \"b\\n\"\n"),
				"spec.long":   info(api.MutationTypeUpdate, 7, strings.Repeat("long ", 30)+"\n"),
				"spec.longer": longer,
				"spec.one":    info(api.MutationTypeAdd, 1, "name: x\n"),
				"data.text":   text,
			},
			ArrayElementAliases: map[api.ResolvedPath]map[string]string{"spec.template.spec.containers": {"app": "main"}},
			ArrayOrders: map[api.ResolvedPath][]string{"spec.template.spec.containers": {
				"web",
				"main",
			}, "spec.template.spec.volumes": {"a", "b"}},
			Appended: map[api.ResolvedPath]bool{"spec.template.spec.volumes": true},
		},
		{
			Resource:             api.ResourceInfo{ResourceType: "v1/Namespace", ResourceName: "/same"},
			ResourceMutationInfo: info(api.MutationTypeNone, 0, ""),
		},
		{
			Resource:             api.ResourceInfo{ResourceType: "v1/Service", ResourceName: "shop/new"},
			ResourceMutationInfo: info(api.MutationTypeAdd, 0, "a: 1\n"),
		},
		{
			Resource:             api.ResourceInfo{ResourceType: "v1/Service", ResourceName: "shop/old"},
			ResourceMutationInfo: info(api.MutationTypeDelete, 1, "a: 1\n"),
		},
	}
}

func TestChangesForAPerson(t *testing.T) {
	by := func(i int) string { return map[int]string{0: "set-replicas", 1: "set-label"}[i] }
	const want = `~ apps/v1/Deployment shop/web
    data.text: lines changed   by set-label
      @@ -1,2 +1,2 @@
       one
      -two
      +2
    metadata.labels.team: + core   by set-label
    spec.long: -> long long long long long long long long long long long long…
    spec.longer: …long long long long then long long long long long long lon… -> …long long long long now
    spec.one: + {name: x}   by set-label
    spec.replicas: 3 -> 5   by set-replicas
    spec.template.spec.containers.?name=web.args.1: - --debug   by set-label
    spec.template.spec.containers.?name=web.args.2: + {name: x, value: [a, "b\n"]} (3 values)   by set-label
    spec.template.spec.containers: app is now main   by set-label
    spec.template.spec.containers: in the order web, main   by set-label
+ v1/Service shop/new   by set-replicas
- v1/Service shop/old   by set-label
`
	if got := string(Terminal{}.Changes(changesForAPerson(), by, nil)); got != want {
		t.Errorf("%s", got)
	}
	mark := func(s string) func(string) string {
		return func(text string) string { return "<" + s + text + ">" }
	}
	coloured := string(Terminal{
		Head: mark("*"),
		Diff: diff.Colors{Old: mark("-"), New: mark("+")},
	}.Changes(changesForAPerson()[:1], nil,
		nil))
	for _, part := range []string{
		"~ <*apps/v1/Deployment shop/web>\n    data.text: ",
		" spec.replicas: <-3> -> <+5>\n", " <--two>\n", ": <++ core>\n",
	} {
		t.Run(part, func(t *testing.T) {
			if !strings.Contains(coloured, part) {
				t.Errorf("%q is missing in\n%s", part, coloured)
			}
		})
	}
}

func TestMutationsFormat(t *testing.T) {
	r := Result{
		Unit: "web", File: "./web.yaml",
		Signatures: []api.FunctionSignature{
			{FunctionName: "set-replicas", Mutating: true},
			{FunctionName: "set-label", Mutating: true},
		},
		Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
			Success:   true,
			Mutations: changesForAPerson(),
		}},
	}
	render := func(terminal Terminal) string {
		p := &Printer{Format: Mutations, Terminal: terminal, Signatures: r.Signatures}
		rendered, err := p.Render(r)
		if err != nil {
			t.Fatal(err)
		}
		text := p.Print(rendered)
		end, err := p.End()
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.Join(append(text, end...), nil))
	}
	if got, want := render(Terminal{}), reference(t, r.Response.Mutations); got != want {
		t.Error(cmp.Diff(want, got))
	}
	if got := render(Terminal{Interactive: true}); !strings.Contains(got,
		"spec.replicas: 3 -> 5   by set-replicas\n") {
		t.Error(got)
	}
	r.Response.Mutations = nil
	if got := render(Terminal{}); got != "[]\n" {
		t.Error(got)
	}
	if got := render(Terminal{Interactive: true}); got != "" {
		t.Error(got)
	}
	r.Response = &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{Mutations: changesForAPerson()}}
	if got := render(Terminal{}); got != "" {
		t.Error(got)
	}
}

func TestMutationsOfSeveralUnits(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		t.Run(fmt.Sprint(terminal), func(t *testing.T) {
			p := Printer{
				Format: Mutations, Several: true,
				Terminal: Terminal{Interactive: terminal},
			}
			var b strings.Builder
			print := func(text Chunks) {
				for _, part := range text {
					b.Write(part)
				}
			}
			for _, unit := range []string{"a", "none", "b"} {
				r := Result{
					Unit: unit, File: unit + ".yaml",
					Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
						Success:   true,
						Mutations: changesForAPerson()[2:3],
					}},
				}
				if unit == "none" {
					r.Response.Mutations = nil
				}
				rendered, err := p.Render(r)
				if err != nil {
					t.Fatal(err)
				}
				print(p.Print(rendered))
			}
			end, err := p.End()
			if err != nil {
				t.Fatal(err)
			}
			print(end)
			got := b.String()
			if terminal && got != "a.yaml\n+ v1/Service shop/new\nb.yaml\n+ v1/Service shop/new\n" {
				t.Error(got)
			}
			if !terminal && (!strings.HasPrefix(got,
				"[\n  {\n    \"Unit\": \"a\",\n    \"Resource\"") ||
				!strings.Contains(got, "  },\n  {\n    \"Unit\": \"b\",")) {
				t.Error(got)
			}
		})
	}
}

// TestTablesMaskValuesBeforeTheyCutThem checks that a copy is masked where a line break becomes \n
// and where a cell ends.
func TestTablesMaskValuesBeforeTheyCutThem(t *testing.T) {
	r := Result{Secrets: sensitive.Find(k8skit.Converter{}, k8skit.New(), [][]byte{[]byte(
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: SuperS3cretPassword}\n",
	)})}
	for _, value := range []string{
		"|-\n  x\n  SuperS3cretPassword\n", strings.Repeat("long ", 38) + "SuperS3cretPassword\n",
	} {
		for _, s := range []Terminal{{Interactive: true}, {}} {
			_, rows := s.mutationRows(r, api.ResourceMutationList{{
				Resource:             api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "/c"},
				ResourceMutationInfo: api.MutationInfo{MutationType: api.MutationTypeUpdate},
				PathMutationMap: api.MutationMap{
					"data.x": {MutationType: api.MutationTypeAdd, Value: value},
				},
			}})
			if text := fmt.Sprint(rows); strings.Contains(text, "Super") ||
				!strings.Contains(text, "(sens") {
				t.Errorf("terminal %v: %s", s.Interactive, text)
			}
		}
	}
}
