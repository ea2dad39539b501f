package plan_test

import (
	"errors"
	"testing"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
)

// FuzzInvocations reads any text as a list: it gives a chain with a signature
// for each invocation or located usage problems, never both and never a panic.
func FuzzInvocations(f *testing.F) {
	for _, seed := range []string{
		"[]", "[", "", "- FunctionName: set-size", `[{"FunctionName":"set-size","Arguments":[{"Value":"a"}]}]`, "- FunctionName: [a]",
		"- {FunctionName: set-size, Arguments: {a: b}}", "- {FunctionName: set-size, Params: {a: 1}, WhereResource: 5}", "&a [*a]", "- ? [x]\n  : y",
		"- {FunctionName: set-size, Arguments: [{ParameterName: 1}]}", "--- 1\n--- 2\n", "- FunctionName: set-size\n  FunctionName: get-size\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := (&plan.Walk{Functions: testRegistry()}).Invocations([]byte(text), "./list.yaml")
		if err == nil {
			if len(p.Invocations) == 0 || len(p.Invocations) != len(p.Signatures) {
				t.Errorf("%q: %d invocations, %d signatures", text, len(p.Invocations), len(p.Signatures))
			}
			return
		}
		problems, ok := errors.AsType[diag.List](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("%q: %v", text, err)
		}
		for _, problem := range problems {
			if problem.Class != api.FailureUsage || problem.Pos.File != "./list.yaml" || problem.Message == "" {
				t.Errorf("%q: %+v", text, problem)
			}
		}
	})
}
