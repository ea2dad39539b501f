package functionconfig

import (
	"fmt"
	"testing"

	"cel.dev/cel-go/cel"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestPolicy evaluates the expressions of the policy as an API server does.
func TestPolicy(t *testing.T) {
	docs, err := gaby.ParseAll([]byte(Policy()))
	if err != nil || len(docs) != 2 {
		t.Fatal(len(docs), err)
	}
	env, err := cel.NewEnv(cel.Variable("object", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	validation := docs[0].Search("spec", "validations", "0").Value()
	evaluate := func(field, name string) any {
		ast, issues := env.Compile(validation.Get(field).Text())
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		value, _, err := program.Eval(map[string]any{"object": map[string]any{
			"metadata": map[string]any{"name": name}, "spec": map[string]any{"image": "set-labels"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return value.Value()
	}
	if evaluate("expression", "set-labels") != true || evaluate("expression", "other") != false {
		t.Error("the policy does not decide by the name")
	}
	const want = "metadata.name must be the image, set-labels, so that a namespace has one FunctionConfig for it"
	if got := fmt.Sprint(evaluate("messageExpression", "other")); got != want {
		t.Error(got)
	}
	if docs[1].Search("spec", "policyName").Value().Text() != docs[0].Search("metadata", "name").Value().Text() {
		t.Error("the binding names another policy")
	}
}
