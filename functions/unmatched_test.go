package functions_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestUnmatchedFunctions checks that Unmatched says, for each function, why it found nothing to do.
func TestUnmatchedFunctions(t *testing.T) {
	request := &api.FunctionInvocationRequest{
		ConfigData: workload(3),
		FunctionInvocations: api.FunctionInvocationList{
			{FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}}},
			{
				FunctionName: "set-container-image",
				Arguments:    []api.FunctionArgument{{Value: "nobody"}, {Value: "x:1"}},
			},
			{
				FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 6}},
				WhereResource: "spec.replicas > 100",
			},
		},
	}
	for where, want := range map[string]string{
		"": ". set-container-image: nothing matched container-name " +
			"nobody. set-replicas: no resource satisfies spec.replicas > 100",
		"metadata.name = 'nobody'": "no resource satisfies metadata.name = 'nobody'. no resource " +
			"satisfies metadata.name = 'nobody'. set-replicas: no resource satisfies " +
			"metadata.name = 'nobody' AND spec.replicas > 100",
	} {
		t.Run(where, func(t *testing.T) {
			request.WhereResource = where
			r, err := functions.NewStandardExecutor().Run(t.Context(), request, handler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Functions {
				text := ""
				if f.Unmatched != nil {
					text = f.Unmatched.String()
				}
				got = append(got, text)
			}
			if text := strings.Join(got, ". "); text != want {
				t.Errorf("got %s\nwant %s", text, want)
			}
		})
	}
}
