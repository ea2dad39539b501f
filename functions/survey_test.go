package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// widgets returns n custom resources, of which only the last has spec.size.
func widgets(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w%d}\n"+
			"spec:\n  text: %s\n", i, strings.Repeat("x", 40))
	}
	b.WriteString("  size: 1\n")
	return b.String()
}

// TestSettersSeeTheWholeInput checks that what a setter creates depends neither on the parts into
// which a large unit is split nor on what the chain did before.
func TestSettersSeeTheWholeInput(t *testing.T) {
	executor := functions.NewStandardExecutor()
	for _, n := range []int{2, 3000} { // the second has several parts
		request := &api.FunctionInvocationRequest{
			ConfigData: []byte(widgets(n)), StopOnError: true,
			FunctionInvocations: api.FunctionInvocationList{
				invocation("set-path", "spec.size", "2"),
				invocation("set-string-path", "*", "spec.other", "x"),
				invocation("set-cel", `{"spec": {"text": "z", "none": 1}}`),
			},
		}
		result, err := executor.Run(t.Context(), request, handler.Options{})
		if err != nil || !result.Success {
			t.Fatal(err, result.Failures)
		}
		text := string(result.ConfigData)
		if got := strings.Count(text, "size: 2"); got != n {
			t.Errorf("of %d resources %d have the size", n, got)
		}
		if strings.Contains(text, "other:") || strings.Contains(text, "none:") {
			t.Errorf("%d resources get what none has", n)
		}
		if got := strings.Count(text, "text: z"); got != n {
			t.Errorf("of %d resources %d have the text", n, got)
		}
		request.Upsert = true
		if result, err = executor.Run(t.Context(), request, handler.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"other: x", "none: 1"} {
			if got := strings.Count(string(result.ConfigData), field); got != n {
				t.Errorf("with Upsert, %d of %d resources have %s", got, n, field)
			}
		}
	}
}

func invocation(function string, args ...string) api.FunctionInvocation {
	i := api.FunctionInvocation{FunctionName: function}
	for _, arg := range args {
		i.Arguments = append(i.Arguments, api.FunctionArgument{Value: arg})
	}
	return i
}
