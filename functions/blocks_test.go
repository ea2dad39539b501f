package functions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// TestBlocksWithLookups sets a value that a path with a lookup finds in the second block of locals,
// although the path leads to a string in the first.
func TestBlocksWithLookups(t *testing.T) {
	const text = "locals {\n  a = \"text\"\n}\n\nlocals {\n  a = {\n" +
		"    b = [{ name = \"web\", port = 80 }]\n  }\n}\n"
	for path, want := range map[string]string{
		"a.b.?name=web.port": strings.Replace(text, "80", "90", 1),
		"a.b.0.port":         strings.Replace(text, "80", "90", 1),
		"a.b.?name=new.port": "",
	} {
		t.Run(path, func(t *testing.T) {
			request := &api.FunctionInvocationRequest{
				ConfigData: []byte(text),
				FunctionInvocations: api.FunctionInvocationList{{
					FunctionName: "set-int-path",
					Arguments: []api.FunctionArgument{
						{Value: "locals"},
						{Value: path},
						{Value: 90},
					},
				}},
			}
			request.ToolchainType = api.ToolchainOpenTofuHCL
			response, err := functions.NewStandardExecutor().Invoke(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case want == "" && response.Success:
				t.Errorf("%s: it succeeded", path)
			case want != "" && string(response.ConfigData) != want:
				t.Errorf("%s: %q\n%s", path, response.ErrorMessages,
					cmp.Diff(want, string(response.ConfigData)))
			}
		})
	}
}
