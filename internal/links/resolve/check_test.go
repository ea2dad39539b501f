package resolve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// checked returns the codes of what is wrong with a link, and of its warnings.
func checked(w *world, l *entity.Link, i *entity.Invocation) []string {
	findings, warnings := resolve.Check(
		w.executor, l, w.units[l.FromUnit].HeadUnit.Unit, w.units[l.ToUnit].HeadUnit.Unit, i,
	)
	codes := []string{}
	for _, f := range findings {
		codes = append(codes, string(f.Code)+" "+f.Field)
	}
	for _, warning := range warnings {
		codes = append(codes, string(warning.Code))
	}
	return codes
}

func TestCheck(t *testing.T) {
	getter := func(name string) []entity.NamedFunctionResult {
		return []entity.NamedFunctionResult{{
			Name: "g", FunctionInvocation: api.FunctionInvocation{FunctionName: name},
		}}
	}
	setter := func(name string, args ...api.FunctionArgument) []entity.ParameterizedFunction {
		return []entity.ParameterizedFunction{{
			FunctionInvocation: api.FunctionInvocation{FunctionName: name, Arguments: args},
		}}
	}
	for name, c := range map[string]struct {
		change func(*entity.Link)
		want   []string
	}{
		"nothing": {func(*entity.Link) {}, nil},
		"a name with a dash": {
			func(l *entity.Link) { l.UpstreamPaths[0].Name = "re-gion" },
			[]string{
				"E_NAME_INVALID UpstreamPaths[0].Name",
				"E_PARAM_UNKNOWN DownstreamPaths[0].Expression",
			},
		},
		"a word of Go": {
			func(l *entity.Link) {
				l.UpstreamPaths = append(l.UpstreamPaths, entity.NamedPath{
					Name: "range",
					Path: "a",
				})
			},
			[]string{"E_NAME_INVALID UpstreamPaths[2].Name"},
		},
		"a word of CEL": {
			func(l *entity.Link) {
				l.UpstreamPaths = append(l.UpstreamPaths, entity.NamedPath{
					Name: "namespace",
					Path: "a",
				})
			},
			[]string{"E_NAME_INVALID UpstreamPaths[2].Name"},
		},
		"a name used twice": {
			func(l *entity.Link) {
				l.UpstreamGetters = getter("get-replicas")
				l.UpstreamGetters[0].Name = "region"
			},
			[]string{"E_NAME_DUP UpstreamGetters[0].Name"},
		},
		"a path": {
			func(l *entity.Link) { l.DownstreamPaths[0].Path = "a.?b" },
			[]string{"E_PATH_NOT_FOUND DownstreamPaths[0].Path"},
		},
		"a getter that does not exist": {
			func(l *entity.Link) { l.UpstreamGetters = getter("get-replica") },
			[]string{"E_FUNCTION_UNKNOWN UpstreamGetters[0]"},
		},
		"a getter that changes something": {
			func(l *entity.Link) {
				l.UpstreamGetters = getter("ensure-namespaces")
			},
			[]string{"E_FUNCTION_KIND UpstreamGetters[0]"},
		},
		"a setter that changes nothing": {
			func(l *entity.Link) { l.DownstreamSetters = setter("get-replicas") },
			[]string{"E_FUNCTION_KIND DownstreamSetters[0]"},
		},
		"a setter without arguments": {
			func(l *entity.Link) { l.DownstreamSetters = setter("set-replicas") },
			[]string{"E_FUNCTION_KIND DownstreamSetters[0]"},
		},
		"a template": {
			func(l *entity.Link) { l.DownstreamPaths[0].Expression = "{{.Params.region" },
			[]string{"E_EXPR_PARSE DownstreamPaths[0].Expression", "W_UNUSED_PARAM"},
		},
		"an expression": {
			func(l *entity.Link) { l.DownstreamPaths[1].Expression = "params.replicas *" },
			[]string{"E_EXPR_PARSE DownstreamPaths[1].Expression", "W_UNUSED_PARAM"},
		},
		"a list": {
			func(l *entity.Link) { l.DownstreamPaths[1].Expression = "[1]" },
			[]string{"E_COERCE DownstreamPaths[1].Expression", "W_UNUSED_PARAM"},
		},
		"an evaluator": {
			func(l *entity.Link) { l.DownstreamPaths[1].Evaluator = "jq" },
			[]string{"E_EVALUATOR DownstreamPaths[1].Expression", "W_UNUSED_PARAM"},
		},
		// Example TP-4.
		"a parameter that is not listed": {
			func(l *entity.Link) { l.DownstreamPaths[0].Parameters = nil },
			[]string{"E_PARAM_NARROW DownstreamPaths[0].Expression"},
		},
		"an optional parameter that is not listed": {
			func(l *entity.Link) {
				l.DownstreamPaths[1].Expression = "params.?region.orValue(params.replicas)"
			},
			[]string{"E_PARAM_NARROW DownstreamPaths[1].Expression"},
		},
		"a parameter of an argument": {
			func(l *entity.Link) {
				l.DownstreamSetters = setter("set-replicas", api.FunctionArgument{
					Value: "params.replicas", Evaluator: "cel",
				})
			},
			[]string{"E_PARAM_NARROW DownstreamSetters[0].Arguments[0]"},
		},
		"an unknown parameter": {
			func(l *entity.Link) {
				l.DownstreamPaths[0].Parameters = []string{"region", "zone"}
			},
			[]string{"E_PARAM_UNKNOWN DownstreamPaths[0].Expression"},
		},
		"an unused parameter": {
			func(l *entity.Link) { l.DownstreamPaths[0].Expression = "x" },
			[]string{"W_UNUSED_PARAM"},
		},
		"unstable context": {
			func(l *entity.Link) {
				l.DownstreamPaths[1].Expression = "params.replicas + functionContext.RevisionNum"
			},
			[]string{"W_UNSTABLE_CONTEXT"},
		},
		"a filter on both sides": {
			func(l *entity.Link) {
				l.WhereResource = "ConfigHub.ResourceType = 'v1/Service'"
				l.DownstreamSetters = setter("set-replicas", api.FunctionArgument{Value: 3})
			},
			[]string{"W_WHERE_BOTH_SIDES"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := profileWorld(t)
			l := w.links["web-profile"]
			c.change(l)
			want := append([]string{}, c.want...)
			if diff := cmp.Diff(want, checked(w, l, nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckOfTransforms(t *testing.T) {
	w := upsertWorld(t, true)
	i := w.invocations["id-render-env"]
	if got := checked(w, w.links["cm"], i); len(got) > 0 {
		t.Error(got)
	}
	i.FunctionName = "render-configmp"
	if got := checked(w, w.links["cm"], i); len(got) != 1 ||
		got[0] != "E_FUNCTION_UNKNOWN TransformInvocation" {
		t.Error(got)
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		evaluator, expression string
		want                  []string
	}{
		{"", "{{.Params.a}}-{{.Params.b.c}}{{if .Params.a}}x{{end}}", []string{"a", "b"}},
		{"template", "{{range .Params.list}}{{.}}{{$.Params.sep}}{{end}}", []string{"list", "sep"}},
		{"template", "{{with .Params.x}}{{.y}}{{end}}{{(index .UnitLabels \"z\")}}", []string{"x"}},
		{"cel", "params.a + params.b.c + string(has(params.d))", []string{"a", "b", "d"}},
		{"cel", "params.?e.orValue('x') + functionContext.UnitSlug", []string{"e"}},
		{"cel", "params.list.map(x, x.params)[0]", []string{"list"}},
	} {
		t.Run(c.expression, func(t *testing.T) {
			got, err := formula.Parameters(c.evaluator, c.expression)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Error(c.expression, diff, err)
			}
		})
	}
}
