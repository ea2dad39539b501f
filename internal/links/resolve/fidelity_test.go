package resolve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// odd is written as nobody else writes it: comments everywhere, odd indentation, all quotes.
const odd = `# at the head
apiVersion: "v1"
kind:   ConfigMap   # the kind
metadata:
      name: 'odd'
      namespace: "confighubplaceholder"   # filled
data:
  # about a
  a:    "1"     # one


  b: 'two'
  "c": |+
    text  

  # at the foot of data
---
# the second document
apiVersion: apps/v1
kind: Deployment
metadata: { name: "odd" ,   namespace: confighubplaceholder }
spec:
    replicas:   1   # one
    paused: ~
    template: {spec: {containers: [ {name: app,  image: 'app:1'} ]}}
# at the end
`

func reference(of api.ResourceType, name api.ResourceName) entity.ResourceReference {
	return entity.ResourceReference{ResourceType: of, ResourceName: name}
}

// lineEnds gives a text the line ends of a row.
func lineEnds(text, row string) string {
	if row == "CRLF" {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// TestEveryByteStays resolves a link of each type. Only what the link is about changes, whatever
// the line ends are and whether the last line has one.
func TestEveryByteStays(t *testing.T) {
	configMap := &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "odd"}
	row := func(t *testing.T, text string) *world {
		w := newWorld(t)
		w.unit("down", text)
		return w
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, text string) *world
		want []string // what is replaced
		more string   // what follows
	}{
		{name: "None", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", odd)
			w.link("l", "down", "up", entity.UpdateNone)
			return w
		}},
		{name: "UpgradeUnit", make: func(t *testing.T, text string) *world {
			w := newWorld(t)
			w.unit("up", text)
			w.clone("down", "up")
			w.replace("up", `"1"`, `"5"`, "'app:1'", "'app:2'", "# one", "# the first")
			return w
		}, want: []string{`"1"`, `"5"`, "'app:1'", "'app:2'", "# one", "# the first"}},
		{name: "MergeUnits", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\ndata: {a: '1'}\n")
			l := w.link("l", "down", "up", entity.UpdateMergeUnits)
			l.UpstreamLastMergedRevisionNum = 1
			w.replace("up", "'1'", "five")
			return w
		}, want: []string{`"1"`, `"five"`}},
		{name: "MergeUnits without a value", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\n"+
				"data: {a: '1', b: two}\n")
			l := w.link("l", "down", "up", entity.UpdateMergeUnits)
			l.UpstreamLastMergedRevisionNum = 1
			w.replace("up", ", b: two", "")
			return w
		}, want: []string{"  b: 'two'\n", ""}},
		{name: "Upsert", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "apiVersion: v1\nkind: Secret\nmetadata:   {name: new} # new\n")
			w.link("l", "down", "up", entity.UpdateUpsert)
			return w
		}, more: "---\napiVersion: v1\nkind: Secret\nmetadata:   {name: new} # new\n"},
		{name: "Insert", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "three", "AppConfig/Text")
			w.link("l", "down", "up", entity.UpdateInsert).Bindings = []entity.Binding{{
				NeededResource: configMap, NeededPath: "data.b",
			}}
			return w
		}, want: []string{"'two'", "'three'"}},
		{name: "NeedsProvides", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
			w.link("l", "down", "up", "")
			return w
		}, want: []string{
			`"confighubplaceholder"`, `"shop"`, "confighubplaceholder }", "shop }",
		}},
		{name: "TransformPaths", make: func(t *testing.T, text string) *world {
			w := row(t, text)
			w.unit("up", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata: {n: '3'}\n")
			l := w.link("l", "down", "up", entity.UpdateTransformPaths)
			l.UpstreamPaths = []entity.NamedPath{{
				Name: "n", Path: "data.n", Resource: reference("v1/ConfigMap", "p"),
			}}
			l.DownstreamPaths = []entity.PathExpression{{
				Path: "data.a", Expression: "{{.Params.n}}", Parameters: []string{"n"},
				Resource: reference("v1/ConfigMap", "odd"),
			}, {
				Path: "spec.replicas", Expression: "int(params.n) * 2", Evaluator: "cel",
				DataType: "int", Parameters: []string{"n"},
				Resource: reference("apps/v1/Deployment", "odd"),
			}}
			l.DownstreamSetters = []entity.ParameterizedFunction{{
				FunctionInvocation: api.FunctionInvocation{
					FunctionName: "set-container-image", Arguments: []api.FunctionArgument{
						{Value: "app"}, {Value: "app:2"},
					},
				},
			}}
			return w
		}, want: []string{`"1"`, `"3"`, "replicas:   1", "replicas:   6", "'app:1'", "'app:2'"}},
	} {
		for name, form := range map[string]func(string) string{
			"LF":            func(s string) string { return s },
			"CRLF":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"no final line": func(s string) string { return strings.TrimSuffix(s, "\n") },
		} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				w := c.make(t, form(odd))
				for _, l := range w.links {
					l.UpstreamLastMergedRevisionNum = min(l.UpstreamLastMergedRevisionNum, 1)
				}
				if c.name == "None" {
					w.resolve("down", "l")
				} else {
					w.resolve("down")
				}
				want := form(odd)
				for i := 0; i < len(c.want); i += 2 {
					want = replaceOnce(want, lineEnds(c.want[i], name), c.want[i+1])
				}
				if c.more != "" {
					// What comes from upstream has the bytes of upstream.
					want = strings.TrimRight(want, "\r\n") + lineEnds("\n", name) + c.more
				}
				if diff := cmp.Diff(want, string(w.units["down"].Data)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
