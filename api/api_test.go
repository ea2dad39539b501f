package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestJSONShapes pins the order of fields and which empty fields are omitted. Both are part of the
// contract with other programs.
func TestJSONShapes(t *testing.T) {
	info := api.ResourceInfo{
		ResourceName: "ns/a", ResourceNameWithoutScope: "a", ResourceType: "v1/Thing",
		ResourceCategory: api.ResourceCategoryResource,
	}
	const infoText = `"ResourceName":"ns/a","ResourceNameWithoutScope":"a","ResourceType":"v1/Thing","ResourceCategory":"Resource"`
	row := api.AttributeValue{
		AttributeInfo: api.AttributeInfo{
			AttributeIdentifier: api.AttributeIdentifier{ResourceInfo: info, Path: "spec.x"},
			AttributeMetadata: api.AttributeMetadata{
				AttributeName: "x", DataType: api.DataTypeInt,
			},
		},
		Value: 1, Index: 2,
	}
	least := marshal(t, row)
	row.ResourceMergeID, row.InLiveState, row.Comment, row.FunctionName, row.Score = "m", true, "c",
		"f", "High"
	row.Details = &api.AttributeDetails{
		Description: "d", IsNeeded: true, NeededRequired: map[string]string{"b": "2", "a": "1"},
	}
	row.Issues, row.Position = []api.Issue{{Identifier: "i", Message: "m"}}, &api.Position{
		File: "f.yaml", Line: 3, Column: 4,
	}
	least2 := 0
	for _, c := range []struct{ got, want string }{
		{
			least,
			`{` + infoText +
				`,"Path":"spec.x","AttributeName":"x","DataType":"int","Value":1,"Index":2}`,
		},
		{
			marshal(t, row),
			`{` + infoText +
				`,"ResourceMergeID":"m","Path":"spec.x","InLiveState":true,"AttributeName":"x",` +
				`"DataType":"int","Details":{"Description":"d","NeededRequired":{"a":"1",` +
				`"b":"2"},"IsNeeded":true},"Value":1,"Comment":"c","Index":2,"FunctionName":"f",` +
				`"Score":"High","Issues":[{"Identifier":"i","Message":"m"}],"Position":{"File":"f.yaml","Line":3,"Column":4}}`,
		},
		{marshal(t, api.ValidationResult{}), `{"Passed":false,"Index":0}`},
		{
			marshal(t, api.ValidationResult{
				Passed: true, Index: 1, FunctionName: "f", Score: "s", Details: []string{"d"},
				FailedAttributes: api.AttributeValueList{},
			}),
			`{"Passed":true,"Index":1,"FunctionName":"f","Score":"s","Details":["d"]}`,
		},
		{marshal(t, api.Resource{ResourceInfo: info}), `{` + infoText + `}`},
		{
			marshal(t, api.Resource{ResourceInfo: info, ResourceBody: "a: 1\n"}),
			`{` + infoText + `,"ResourceBody":"a: 1\n"}`,
		},
		{marshal(t, api.FunctionParameter{
			ParameterName: "p", Description: "d", Required: true, DataType: api.DataTypeInt,
			Example:          "1",
			ValueConstraints: api.ValueConstraints{Min: &least2},
		}), `{"ParameterName":"p","Description":"d","Required":true,"DataType":"int",` +
			`"Example":"1","Min":0}`},
		{
			marshal(t, api.FunctionInvocation{
				FunctionName: "f",
				Arguments: []api.FunctionArgument{
					{Value: 1}, {ParameterName: "p", Value: "x", Evaluator: "template"},
				},
			}),
			`{"FunctionName":"f","Arguments":[{"Value":1},{"ParameterName":"p","Value":"x",` +
				`"Evaluator":"template"}]}`,
		},
		{
			marshal(t, api.FunctionInvocationRequest{
				FunctionContext: api.FunctionContext{UnitSlug: "u"}, ConfigData: []byte("a: 1\n"),
			}),
			`{"UnitSlug":"u","ConfigData":"YTogMQo=","FunctionInvocations":null}`,
		},
	} {
		t.Run(c.want, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%s\nwant:\n%s", c.got, c.want)
			}
		})
	}
}

func TestResponseRoundTrip(t *testing.T) {
	r := api.FunctionInvocationResponse{
		UnitSlug: "u", ConfigData: []byte("a: 1\n"), Success: true,
		Outputs: api.OutputList{
			{OutputType: api.OutputTypeYAML, Value: api.YAMLPayload{Payload: "x\n"}},
			{
				OutputType: api.OutputTypeAttributeValueList,
				Value:      api.AttributeValueList{{Value: "v"}},
			},
		},
	}
	text := marshal(t, r)
	if strings.Contains(text, `"ConfigData"`) ||
		!strings.Contains(text, `"DataHash":"`+api.DataHash(r.ConfigData)+`"`) {
		t.Errorf("unchanged data travels as its hash alone: %s", text)
	}
	r.Changed = true
	var back api.FunctionInvocationResponse
	if err := json.Unmarshal([]byte(marshal(t, r)), &back); err != nil {
		t.Fatal(err)
	}
	if string(back.ConfigData) != "a: 1\n" || !back.Changed || !back.Success ||
		back.UnitSlug != "u" || len(back.Outputs) != 2 {
		t.Fatalf("%+v", back)
	}
	if back.Outputs[0].Value.(api.YAMLPayload).Payload != "x\n" ||
		back.Outputs[1].Value.(api.AttributeValueList)[0].Value != "v" {
		t.Errorf("outputs: %+v", back.Outputs)
	}
}

func TestFailure(t *testing.T) {
	f := &api.Failure{
		Pos: api.Position{Line: 3, Column: 4}, Function: "set-x", Resource: "v1/Thing /a",
		Message: "no", Hint: "try", Err: io.EOF,
	}
	if got := f.Error(); got != "3:4: set-x: v1/Thing /a: no" {
		t.Error(got)
	}
	if !errors.Is(f, io.EOF) {
		t.Error("the cause is lost")
	}
	if got := (&api.Failure{Message: "no"}).Error(); got != "no" {
		t.Error(got)
	}
}

func TestPathsOf(t *testing.T) {
	paths := api.ResourceTypeToPathToVisitorInfoType{
		"v1/A": {"b": {AttributeName: "own"}, "c": {}},
		"*": {
			"a": {}, "b": {AttributeName: "any"}, "d": {TypeExceptions: []api.ResourceType{"v1/A"}},
		},
	}
	for of, want := range map[api.ResourceType]string{
		"v1/A": "a b:own c ", "v1/B": "a b:any d ", "*": "a b:any d ",
	} {
		t.Run(string(of), func(t *testing.T) {
			got := ""
			for _, info := range paths.PathsOf(of) {
				got += string(info.Path)
				if info.AttributeName != "" {
					got += ":" + string(info.AttributeName)
				}
				got += " "
			}
			if got != want {
				t.Errorf("%s: %s, want %s", of, got, want)
			}
		})
	}
}
