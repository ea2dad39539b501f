package entity_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

const link = `# where the numbers of the shop come from
FromUnit: web
ToUnit: profile
ToSpace: base
UpdateType: TransformPaths
AutoUpdate: false
UpstreamPaths:
- {Name: replicas, Resource: {ResourceType: example.com/v1/Profile, ResourceName: /main}, Path: spec.replicas}
UpstreamGetters:
- Name: members
  FunctionInvocation: {FunctionName: get-replicas, WhereResource: "ConfigHub.ResourceNameWithoutScope = 'db'"}
DownstreamPaths:
- Resource: {ResourceType: apps/v1/Deployment, ResourceName: shop/web}
  Path: spec.replicas
  Evaluator: cel
  Expression: params.replicas * 2
  Parameters: [replicas]
  DataType: int
DownstreamSetters:
- FunctionInvocation:
    FunctionName: set-env-var
    Arguments: [{Value: app}, {Value: "{{.Params.members}}", Evaluator: template}, {Value: 3}]
Bindings:
- {NeededResource: {ResourceType: v1/ConfigMap, ResourceName: shop/web}, NeededPath: data.A}
`

func TestDecodeLink(t *testing.T) {
	got := &entity.Link{}
	if err := entity.Decode(entity.Text{Bytes: []byte(link), File: "l.yaml"}, got); err != nil {
		t.Fatal(err)
	}
	want := &entity.Link{
		Stated: true, FromUnit: "web", ToUnit: "profile", ToSpace: "base",
		UpdateType: entity.UpdateTransformPaths,
		UpstreamPaths: []entity.NamedPath{{
			Name: "replicas", Path: "spec.replicas",
			Resource: entity.ResourceReference{
				ResourceType: "example.com/v1/Profile", ResourceName: "/main",
			},
		}},
		UpstreamGetters: []entity.NamedFunctionResult{{
			Name: "members",
			FunctionInvocation: api.FunctionInvocation{
				FunctionName:  "get-replicas",
				WhereResource: "ConfigHub.ResourceNameWithoutScope = 'db'",
			},
		}},
		DownstreamPaths: []entity.PathExpression{{
			Resource: entity.ResourceReference{
				ResourceType: "apps/v1/Deployment", ResourceName: "shop/web",
			},
			Path: "spec.replicas", Evaluator: "cel", Expression: "params.replicas * 2",
			Parameters: []string{"replicas"}, DataType: api.DataTypeInt,
		}},
		DownstreamSetters: []entity.ParameterizedFunction{{
			FunctionInvocation: api.FunctionInvocation{
				FunctionName: "set-env-var",
				Arguments: []api.FunctionArgument{
					{Value: "app"},
					{Value: "{{.Params.members}}", Evaluator: "template"},
					{Value: 3},
				},
			},
		}},
		Bindings: []entity.Binding{{
			NeededResource: &api.ResourceInfo{
				ResourceType: "v1/ConfigMap", ResourceName: "shop/web",
			},
			NeededPath: "data.A",
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRoundTrip writes definitions as YAML and as JSON and reads them again.
func TestRoundTrip(t *testing.T) {
	l := &entity.Link{}
	if err := entity.Decode(entity.Text{Bytes: []byte(link)}, l); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(any) ([]byte, error){
		"YAML": entity.YAML, "JSON": entity.JSON,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := write(l)
			if err != nil {
				t.Fatal(err)
			}
			again := &entity.Link{}
			err = entity.Decode(entity.Text{Bytes: text, Body: true}, again)
			if diff := cmp.Diff(l, again); diff != "" || err != nil {
				t.Errorf("%s: %v %s\n%s", name, err, diff, text)
			}
		})
	}
}

// TestAllProblemsWithPositions expects every problem of a text, each at its position.
func TestAllProblemsWithPositions(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown fields": {"FromUnit: a\nfromunit: b\nBindings: [{Path: x}]\n", `
l.yaml:2:1: E_UNKNOWN_FIELD: a link has no field "fromunit"
l.yaml:3:13: E_UNKNOWN_FIELD: a binding has no field "Path"`},
		"wrong types": {"FromUnit: 3\nToUnit: [a]\nUseLiveState: maybe\nUpstreamPaths: {}\n" +
			"Labels: x\n", `
l.yaml:1:11: E_FIELD_TYPE: FromUnit must be a text, not 3
l.yaml:2:9: E_FIELD_TYPE: ToUnit must be a text, not a list
l.yaml:3:15: E_FIELD_TYPE: UseLiveState must be true or false, not "maybe"
l.yaml:4:16: E_FIELD_TYPE: UpstreamPaths must be a list, not a map
l.yaml:5:9: E_FIELD_TYPE: Labels must be a map, not "x"`},
		"recorded fields": {"FromUnit: a\nHash: x\nVersion: 3\n", `
l.yaml:2:1: E_FIELD_NOT_ALLOWED: Hash is recorded by fctl and does not belong into a definition
l.yaml:3:1: E_FIELD_NOT_ALLOWED: Version is recorded by fctl and does not belong into a definition`},
		"a key twice": {"ToUnit: a\nToUnit: b\n", "\nl.yaml:2:1: E_FIELD_VALUE: ToUnit is given " +
			"twice, first in line 1"},
		"empty": {"# nothing\n", "\nl.yaml: E_PARSE: the definition is empty"},
		"two": {
			"ToUnit: a\n---\nToUnit: b\n",
			"\nl.yaml:3:1: E_PARSE: a second definition begins here",
		},
		"a list": {"- a\n", "\nl.yaml:1:1: E_FIELD_TYPE: a link must be a map, not a list"},
		"carriage": {"ToUnit: a\r\nX: b\r\n", "\nl.yaml:2:1: E_UNKNOWN_FIELD: a link has no " +
			"field \"X\""},
		"not YAML":     {"a: [\n", "\nl.yaml:1:4: E_PARSE: unclosed ["},
		"deep nesting": {"Bindings: " + strings.Repeat("[", 20000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := entity.Decode(entity.Text{Bytes: []byte(c.text), File: "l.yaml"}, &entity.Link{})
			if err == nil {
				t.Fatal("no error")
			}
			if c.want != "" && "\n"+err.Error() != c.want {
				t.Errorf("%v\nwant%s", err, c.want)
			}
			if _, ok := errors.AsType[entity.Errors](err); !ok {
				t.Errorf("%T", err)
			}
		})
	}
}

// TestFailures gives the classes, which are the exit statuses.
func TestFailures(t *testing.T) {
	err := entity.Errors{
		{Code: entity.CodeSlug, Message: "a"},
		{Code: entity.CodeNoValue, Message: "b"},
		{Code: entity.CodeParse, Message: "c"},
	}
	var got []api.FailureClass
	for _, f := range diag.Failures(err, 0) {
		got = append(got, f.Class)
	}
	want := []api.FailureClass{api.FailureUsage, api.FailureFunction, api.FailureInput}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDefinitionAndState(t *testing.T) {
	l := &entity.Link{LinkID: "c", FromUnit: "a", ToUnit: "b", Bindings: []entity.Binding{{NeededPath: "x"}}}
	l.Bindings = append(l.Bindings, entity.Binding{NeededPath: "y", AutoUpdate: true})
	l.UpstreamLastMergedRevisionNum = 4
	l.Version = 2
	whole := *l
	d := l.Defined()
	if len(d.Bindings) != 1 || d.UpstreamLastMergedRevisionNum != 0 || d.Version != 0 {
		t.Errorf("%+v", d)
	}
	d.Restore(l.State())
	if diff := cmp.Diff(&whole, d); diff != "" {
		t.Error(diff)
	}
}
