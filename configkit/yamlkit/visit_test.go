package yamlkit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

const things = `apiVersion: v1
kind: Thing
metadata:
  name: b
spec:
  name: "x" # first
  big: 99999999999999999999
  none:
  list: [1, two, true]
---
not: a resource
---
apiVersion: v1
kind: Other
metadata:
  name: o
spec: {name: other}
---
apiVersion: v1
kind: Thing
metadata:
  name: a
spec:
  name: w
`

func container(t *testing.T, text string) gaby.Container {
	t.Helper()
	docs, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// thingPath is a path of things only.
func thingPath(path api.UnresolvedPath) api.ResourceTypeToPathToVisitorInfoType {
	return api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": {path: {
		AttributeName: "x",
		DataType:      api.DataTypeString,
	}}}
}

func TestVisitResources(t *testing.T) {
	output, err := yamlkit.VisitResources(container(t, things), "", k8skit.New(),
		func(_ *gaby.YamlDoc, output any, index int, info *api.ResourceInfo) (any, []error) {
			var errs []error
			if info.ResourceType == "v1/Thing" {
				errs = []error{errors.New("bad"), nil, errors.New("worse")}
			}
			return output.(string) + fmt.Sprintf("%d %s; ", index, info), errs
		})
	if want := "0 v1/Thing /b; 2 v1/Other /o; 3 v1/Thing /a; "; output != want {
		t.Errorf("%s, want %s", output, want)
	}
	if want := "v1/Thing /b: bad\nv1/Thing /b: worse\nv1/Thing /a: bad\nv1/Thing /a: worse"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestResourceToDocMap(t *testing.T) {
	docs := container(t, things)
	provider := k8skit.New()
	indices, err := yamlkit.ResourceToDocMap(docs, provider)
	info, _ := provider.ResourceInfo(docs[3])
	if err != nil || len(indices) != 3 || info.ResourceName != "/a" || indices[info] != 3 {
		t.Errorf("%v %v", indices, err)
	}
}

func TestVisitPaths(t *testing.T) {
	output, err := yamlkit.VisitPaths(container(t, things), thingPath("spec.%s"), []any{"*"}, "",
		k8skit.New(),
		func(_ *gaby.YamlDoc, output any, c yamlkit.VisitorContext, value string) (any, error) {
			return output.(string) + fmt.Sprintf("%s %s=%s; ", c.ResourceName, c.Path, value), nil
		})
	if want := "/b spec.name=x; /a spec.name=w; "; err != nil || output != want {
		t.Errorf("%v %v, want %s", output, err, want)
	}
}

func TestVisitPathsDoc(t *testing.T) {
	output, err := yamlkit.VisitPathsDoc(container(t, things), thingPath("spec.none.deeper"), nil,
		0, k8skit.New(),
		func(doc *gaby.YamlDoc, output any, c yamlkit.VisitorContext, current *gaby.YamlDoc) (any,
			error,
		) {
			if current != nil {
				return output, errors.New("something is there")
			}
			_, err := doc.Set(1, c.Segments...)
			return output.(int) + 1, err
		}, true)
	if err != nil || output != 2 {
		t.Errorf("%v visited, %v", output, err)
	}
}

func TestGetPathsAnyType(t *testing.T) {
	for _, c := range []struct {
		path     api.UnresolvedPath
		dataType api.DataType
		want     string
	}{
		{
			"spec.*", api.DataTypeNone,
			`spec.name string w; spec.big JSON 1e+20; spec.list YAML [1, two, true]; spec.name ` +
				`string x; `,
		},
		{
			"spec.list.*", api.DataTypeNone,
			`spec.list.0 int 1; spec.list.1 string two; spec.list.2 bool true; `,
		},
		{"spec.list.*", api.DataTypeBool, `spec.list.2 bool true; `},
	} {
		t.Run(string(c.path), func(t *testing.T) {
			rows, err := yamlkit.GetPathsAnyType(container(t, things), thingPath(c.path), nil,
				k8skit.New(), c.dataType)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, row := range rows {
				got += fmt.Sprintf("%s %s %v; ", row.Path, row.DataType, row.Value)
			}
			if got != c.want {
				t.Errorf("%s:\n%s\nwant:\n%s", c.path, got, c.want)
			}
		})
	}
}

func TestUpdates(t *testing.T) {
	provider := k8skit.New()
	upper := func(docs gaby.Container) error {
		return yamlkit.UpdateStringPathsFunction(docs, thingPath("spec.name"), nil, provider,
			strings.ToUpper, false)
	}
	value := func(path api.UnresolvedPath, upsert bool) func(gaby.Container) error {
		return func(docs gaby.Container) error {
			return yamlkit.UpdatePathsValue(docs, thingPath(path), nil, provider, 7, upsert)
		}
	}
	for _, c := range []struct {
		name     string
		update   func(gaby.Container) error
		replaces []string
		says     string
	}{
		{"a function of the value", upper, []string{
			`name: "x" # first`, `name: "X" # first`,
			"name: w", "name: W",
		}, ""},
		{"upsert", value("spec.new", true), []string{
			"list: [1, two, true]\n",
			"list: [1, two, true]\n  new: 7\n", "name: w\n", "name: w\n  new: 7\n",
		}, ""},
		{"without upsert", value("spec.new", false), nil, ""},
		{
			"null is missing", value("spec.none", true),
			[]string{"none:\n", "none: 7\n", "name: w\n", "name: w\n  none: 7\n"},
			"",
		},
		{"null without upsert", value("spec.none", false), nil, ""},
		{
			"a number that is too large is not overwritten", value("spec.big", false), nil,
			"7:8: v1/Thing /b: value 99999999999999999999 at path spec.big cannot be converted " +
				"to int",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := container(t, things)
			err := c.update(docs)
			if got := fmt.Sprint(err); (err != nil || c.says != "") && got != c.says {
				t.Errorf("%s: %s, want %s", c.name, got, c.says)
			}
			want := strings.NewReplacer(c.replaces...).Replace(things)
			if got := docs.String(); got != want {
				t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, want)
			}
		})
	}
}

func TestDocumentsOfOtherTypesAreNotScanned(t *testing.T) {
	docs := container(t, strings.Replace(things, "{name: other}", "{name: other}\n broken: [", 1))
	if err := yamlkit.UpdateStringPaths(docs, thingPath("spec.name"), nil, k8skit.New(), "z",
		false); err != nil {
		t.Error(err)
	}
	err := yamlkit.UpdateStringPaths(docs,
		api.ResourceTypeToPathToVisitorInfoType{"*": {"spec.name": {}}}, nil, k8skit.New(), "z",
		false)
	if f, ok := errors.AsType[*api.Failure](err); !ok || f.Class != api.FailureInput ||
		f.Pos.Line == 0 {
		t.Errorf("a broken document that is visited: %v", err)
	}
}

func TestWrongPathsAreErrors(t *testing.T) {
	for path, want := range map[api.UnresolvedPath]string{
		"spec..x": "path spec..x: column 6: a segment is empty",
		"spec.%s": "path spec.%s needs 1 arguments, got 0",
	} {
		t.Run(string(path), func(t *testing.T) {
			if _, err := yamlkit.GetStringPaths(container(t, things), thingPath(path), nil,
				k8skit.New()); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		})
	}
}

func TestBoundArguments(t *testing.T) {
	provider := k8skit.New()
	getter := &api.FunctionInvocation{FunctionName: "get-weight"}
	setter := &api.FunctionInvocation{
		FunctionName: "set-weight",
		Arguments:    []api.FunctionArgument{{ParameterName: "unit", Value: "kg"}},
	}
	err := resourcetypes.RegisterPathsByAttributeName(provider, "weight", "v1/Thing",
		api.PathToVisitorInfoType{"spec.?name:part=%s.@%s:side": {
			DataType: api.DataTypeInt,
			Details:  &api.AttributeDetails{Description: "weight"},
		}}, getter, setter, false)
	if err != nil {
		t.Fatal(err)
	}
	docs := container(t,
		"apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec:\n"+
			"- {name: x, left: 1, right: 2}\n- {name: y.z, left: 3}\n")
	output, err := yamlkit.VisitPaths(docs, provider.AttributePaths("weight"), []any{"*", "left"},
		"", provider,
		func(_ *gaby.YamlDoc, output any, c yamlkit.VisitorContext, value int) (any, error) {
			d := c.BoundDetails()
			return output.(string) + fmt.Sprintf("%s=%d %v %v %v %s; ", c.Path, value,
				c.PathArguments, d.GetterInvocation.Arguments, d.SetterInvocations[0].Arguments,
				d.Description), nil
		})
	want := "spec.0.left=1 [{part x } {side left }] [{part x } {side left }] [{unit kg } {part x " +
		"} {side left }] weight; spec.1.left=3 [{part y.z } {side left }] [{part y.z } {side " +
		"left }] [{unit kg } {part y.z } {side left }] weight; "
	if err != nil || output != want {
		t.Errorf("%v %v\nwant %s", output, err, want)
	}
	if len(setter.Arguments) != 1 || getter.Arguments != nil {
		t.Error("what is registered was changed")
	}
}

func TestConstrainedPath(t *testing.T) {
	source := api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": {"spec.list.*": {ResolvedPath: "spec.list.1", AttributeName: "x"}}}
	rows, err := yamlkit.GetStringPaths(container(t, things), source, nil, k8skit.New())
	if err != nil || len(rows) != 1 || rows[0].Path != "spec.list.1" || rows[0].Value != "two" {
		t.Errorf("%+v %v", rows, err)
	}
}

func TestNeededAndProvidedPaths(t *testing.T) {
	provider := k8skit.New()
	needs := api.PathToVisitorInfoType{"spec.name": {Details: &api.AttributeDetails{NeededRequired: map[string]string{"ResourceType": "v1/Other"}}}}
	if err := resourcetypes.RegisterNeededPaths(provider, "v1/Thing", needs,
		&api.FunctionInvocation{FunctionName: "set-x"}); err != nil {
		t.Fatal(err)
	}
	if err := resourcetypes.RegisterProvidedPaths(provider, "v1/Other",
		api.PathToVisitorInfoType{"spec.name": {}},
		&api.FunctionInvocation{FunctionName: "get-x"}); err != nil {
		t.Fatal(err)
	}
	needed := provider.AttributePaths(resourcetypes.AttributeNameNeededValue).PathsOf("v1/Thing")
	if len(needed) != 1 || !needed[0].Details.IsNeeded ||
		needed[0].Details.SetterInvocations[0].FunctionName != "set-x" ||
		needed[0].Details.NeededRequired["ResourceType"] != "v1/Other" {
		t.Errorf("%+v", needed)
	}
	provided := provider.AttributePaths(resourcetypes.AttributeNameProvidedValue).PathsOf(
		"v1/Other")
	if len(provided) != 1 || !provided[0].Details.IsProvided ||
		provided[0].Details.GetterInvocation.FunctionName != "get-x" {
		t.Errorf("%+v", provided)
	}
	if needs["spec.name"].Details.IsNeeded {
		t.Error("the author's own value was changed")
	}
}
