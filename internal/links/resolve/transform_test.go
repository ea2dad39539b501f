package resolve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

const shopWeb = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 1 # see the profile
  template:
    spec:
      containers:
      - name: app
        image: web:1.0
`

// profileWorld is example TP-1 of the specification.
func profileWorld(t *testing.T) *world {
	w := newWorld(t)
	w.unit("profile", `apiVersion: example.com/v1
kind: Profile
metadata: {name: main}
spec: {region: eu-west-1, replicas: 3, big: 1000000, list: [a, b], open: confighubplaceholder}
`)
	w.unit("web", shopWeb)
	l := w.link("web-profile", "web", "profile", entity.UpdateTransformPaths)
	from := entity.ResourceReference{
		ResourceType: "example.com/v1/Profile", ResourceName: "/main",
	}
	to := entity.ResourceReference{ResourceType: "apps/v1/Deployment", ResourceName: "shop/web"}
	l.UpstreamPaths = []entity.NamedPath{
		{Name: "region", Resource: from, Path: "spec.region"},
		{Name: "replicas", Resource: from, Path: "spec.replicas"},
	}
	l.DownstreamPaths = []entity.PathExpression{
		{
			Resource: to, Path: "metadata.annotations.example~1com/origin",
			Expression: "{{.SpaceSlug}}/{{.UnitSlug}}@{{.Params.region}}",
			Parameters: []string{"region"},
		},
		{
			Resource: to, Path: "spec.replicas", Evaluator: "cel",
			Expression: "params.replicas * 2", Parameters: []string{"replicas"},
			DataType: api.DataTypeInt,
		},
	}
	return w
}

func TestTransformPaths(t *testing.T) {
	w := profileWorld(t)
	out := w.resolve("web")
	w.has("web", replaceOnce(shopWeb, "replicas: 1", "replicas: 6", "  namespace: shop\n",
		"  namespace: shop\n  annotations:\n    example.com/origin: prod/web@eu-west-1\n"))
	if len(out.Mutations) != 1 || out.Mutations[0].LinkID != "id-web-profile" ||
		w.pointers("web-profile") != "1/2" {
		t.Errorf("%+v %s", out.Mutations, w.pointers("web-profile"))
	}
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnCreatedPath}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	// A local edit is overwritten.
	w.replace("web", "replicas: 6", "replicas: 9")
	w.resolve("web")
	if w.units["web"].HeadRevisionNum != 4 {
		t.Error(w.units["web"].HeadRevisionNum)
	}
}

// Example TP-2: a getter upstream and a setter downstream.
func TestTransformPathsWithFunctions(t *testing.T) {
	w := newWorld(t)
	w.unit("db", `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec: {replicas: 3}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
`)
	w.unit("web", shopWeb)
	l := w.link("web-db", "web", "db", entity.UpdateTransformPaths)
	l.UpstreamGetters = []entity.NamedFunctionResult{{
		Name: "members", FunctionInvocation: api.FunctionInvocation{
			FunctionName:  "get-replicas",
			WhereResource: "ConfigHub.ResourceNameWithoutScope = 'db'",
		},
	}}
	l.DownstreamSetters = []entity.ParameterizedFunction{{
		Parameters: []string{"members"},
		FunctionInvocation: api.FunctionInvocation{
			FunctionName:  "set-env-var",
			WhereResource: "ConfigHub.ResourceNameWithoutScope = 'web'",
			Arguments: []api.FunctionArgument{
				{Value: "app"},
				{Value: "DB_MEMBERS"},
				{Value: "{{.Params.members}} of {{.SpaceSlug}}", Evaluator: "template"},
			},
		},
	}}
	w.resolve("web")
	withEnv := func(value string) string {
		return shopWeb + "        env:\n        - name: DB_MEMBERS\n          value: " + value +
			"\n"
	}
	w.has("web", withEnv("3 of prod"))
	w.replace("db", "replicas: 3", "replicas: 5")
	w.resolve("web")
	w.has("web", withEnv("5 of prod"))
	l = w.links["web-db"]
	l.UpstreamGetters[0].FunctionInvocation.WhereResource = "metadata.name = 'other'"
	w.fails(entity.CodeNoValue, "web")
	l.UpstreamGetters[0].FunctionInvocation.WhereResource = ""
	l.UpstreamGetters[0].FunctionInvocation.FunctionName = "get-everything"
	w.fails(entity.CodeFunctionFailed, "web")
}

// Example TP-3 and the other reasons to abort: nothing is written.
func TestTransformPathsAborts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*entity.Link)
		code   entity.Code
	}{
		"a missing value": {
			func(l *entity.Link) { l.UpstreamPaths[0].Path = "spec.regoin" }, entity.CodeNoValue,
		},
		"a placeholder": {
			func(l *entity.Link) { l.UpstreamPaths[0].Path = "spec.open" },
			entity.CodeUpstreamPlaceholder,
		},
		"an unknown resource": {
			func(l *entity.Link) { l.UpstreamPaths[0].Resource.ResourceName = "/other" },
			entity.CodeResourceNotFound,
		},
		"a parameter that is not listed": {
			func(l *entity.Link) { l.DownstreamPaths[0].Parameters = nil }, entity.CodeExprEval,
		},
		"an expression that fails": {
			func(l *entity.Link) { l.DownstreamPaths[1].Expression = "params.replicas / 0" },
			entity.CodeExprEval,
		},
		"text and a number": {
			func(l *entity.Link) { l.DownstreamPaths[1].Expression = `"v" + params.replicas` },
			entity.CodeExprEval,
		},
		"not an int": {
			func(l *entity.Link) { l.DownstreamPaths[0].DataType = api.DataTypeInt },
			entity.CodeCoerce,
		},
		"a list": {
			func(l *entity.Link) { l.DownstreamPaths[1].Expression = "[params.replicas]" },
			entity.CodeCoerce,
		},
		"a downstream resource that does not exist": {
			func(l *entity.Link) { l.DownstreamPaths[0].Resource.ResourceName = "shop/other" },
			entity.CodeResourceNotFound,
		},
		"a path over a map": {
			func(l *entity.Link) { l.DownstreamPaths[0].Path = "spec.template" },
			entity.CodePathType,
		},
		"a path through a scalar": {
			func(l *entity.Link) { l.DownstreamPaths[0].Path = "spec.replicas.count" },
			entity.CodePathType,
		},
		"a list element": {
			func(l *entity.Link) {
				l.DownstreamPaths[0].Path = "spec.template.spec.containers.3.image"
			},
			entity.CodePathNotFound,
		},
		"no match of a wildcard": {
			func(l *entity.Link) { l.DownstreamPaths[0].Path = "spec.nothing.*.x" },
			entity.CodePathNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := profileWorld(t)
			c.change(w.links["web-profile"])
			w.fails(c.code, "web")
			w.has("web", shopWeb)
			out, err := w.try("web", resolve.Options{Automatic: true})
			if err != nil || out.Changed || out.Failed["id-web-profile"] == nil ||
				w.pointers("web-profile") != "0/0" {
				t.Error(out, err)
			}
		})
	}
}

// A key with dots is not written as nested maps.
func TestTransformPathsGuardsKeysWithDots(t *testing.T) {
	w := profileWorld(t)
	w.replace("web", "  namespace: shop\n",
		"  namespace: shop\n  annotations:\n    example.com/origin: x\n")
	w.links["web-profile"].DownstreamPaths[0].Path = "metadata.annotations.example.com/origin"
	w.fails(entity.CodePathDottedKey, "web")
}

// Equal values of another type are different.
func TestTransformPathsTypes(t *testing.T) {
	for _, c := range []struct {
		expression, evaluator string
		dataType              api.DataType
		want                  string
	}{
		{"{{.Params.replicas}}", "", api.DataTypeString, `"3"`},
		{"{{.Params.replicas}}", "template", api.DataTypeInt, "3"},
		{"{{.Params.big}}", "template", "", `"1000000"`},
		{"+3", "", api.DataTypeInt, "3"},
		{"007", "", api.DataTypeInt, "7"},
		{"T", "", api.DataTypeBool, "true"},
		{"params.replicas / 2", "cel", api.DataTypeInt, "1"},
		{"3.0 * 2.0", "cel", api.DataTypeInt, "6"},
		{`params.?missing.orValue("d")`, "cel", "", "d"},
		{`has(params.missing)`, "cel", api.DataTypeBool, "false"},
		{"string(params.list.size())", "cel", "", `"2"`},
		{"{{toYaml .Params.list}}", "", "", "|- # see the profile\n    - a\n    - b"},
		{"{{index .UnitLabels \"x\"}}", "", "", `""`},
	} {
		t.Run(c.expression, func(t *testing.T) {
			w := profileWorld(t)
			l := w.links["web-profile"]
			l.UpstreamPaths = append(l.UpstreamPaths,
				entity.NamedPath{Name: "big", Path: "spec.big"},
				entity.NamedPath{Name: "list", Path: "spec.list"})
			l.DownstreamPaths = []entity.PathExpression{{
				Resource: entity.ResourceReference{ResourceType: "apps/v1/Deployment"},
				Path:     "spec.replicas", Expression: c.expression, Evaluator: c.evaluator,
				DataType: c.dataType, Parameters: []string{"replicas", "big", "list"},
			}}
			w.resolve("web")
			want := "replicas: " + c.want
			if !strings.Contains(want, "#") {
				want += " # see the profile"
			}
			w.has("web", replaceOnce(shopWeb, "replicas: 1 # see the profile", want))
		})
	}
	for text, dataType := range map[string]api.DataType{
		" 3": api.DataTypeInt, "3\n": api.DataTypeInt, "3.0": api.DataTypeInt,
		"1e3":  api.DataTypeInt,
		"0x10": api.DataTypeInt, "99999999999999999999": api.DataTypeInt, "yes": api.DataTypeBool,
		"on": api.DataTypeBool,
	} {
		t.Run(text, func(t *testing.T) {
			w := profileWorld(t)
			p := &w.links["web-profile"].DownstreamPaths[0]
			p.Expression, p.DataType = text, dataType
			w.fails(entity.CodeCoerce, "web")
		})
	}
}
