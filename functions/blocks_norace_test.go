//go:build !race

package functions_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestRandomBlocks sets values in random modules that spread one thing over several blocks. HCL's
// own parser must find the new value once, or everywhere the old one was, and all other values
// unchanged. Setting what list-paths printed must change nothing.
func TestRandomBlocks(t *testing.T) {
	count := 300
	if os.Getenv("LONG") != "" {
		count = 1500
	}
	r := rand.New(rand.NewPCG(1, 2))
	executor := functions.NewStandardExecutor()
	call := func(text, function string, args ...any) *handler.Result {
		invocation := api.FunctionInvocation{FunctionName: function}
		for _, arg := range args {
			invocation.Arguments = append(invocation.Arguments, api.FunctionArgument{Value: arg})
		}
		request := &api.FunctionInvocationRequest{
			ConfigData: []byte(text), FunctionInvocations: api.FunctionInvocationList{invocation},
		}
		request.ToolchainType = api.ToolchainOpenTofuHCL
		response, err := executor.Run(t.Context(), request, handler.Options{})
		if err != nil || len(response.Failures) > 0 {
			t.Fatalf("%s %q: %v %v in\n%s", function, args, err, response.Failures, text)
		}
		return response
	}
	for range count {
		text := randomModule(r)
		rows, err := json.Marshal(call(text, "list-paths").Outputs[0].Value)
		if err != nil {
			t.Fatal(err)
		}
		if again := string(call(text, "set-attributes", string(rows)).ConfigData); again != text {
			t.Fatalf("set again:\n%s", cmp.Diff(text, again))
		}
		block := []string{"locals", "moved", "attributes", "aws_ami", "terraform"}[r.IntN(5)]
		path := []string{"a", "b", "c", "m.a", "m.new", "new"}[r.IntN(6)]
		want := moduleOf(t, text)
		want.set(block, path)
		row := fmt.Sprintf(
			`[{"ResourceType": %q, "Path": %q, "DataType": "YAML", "Value": "was set"}]`, block,
			path,
		)
		edited := string(call(text, "set-attributes", row).ConfigData)
		if diff := cmp.Diff(want, moduleOf(t, edited)); diff != "" {
			t.Fatalf("%s %s (-want +have)\n%s\nin\n%s\ngives\n%s", block, path, diff, text, edited)
		}
	}
}

// randomModule returns a module with several blocks of one kind, attributes between blocks, and a
// data source with the type and name of a resource.
func randomModule(r *rand.Rand) string {
	var b strings.Builder
	top := 0
	body := func(indent string) {
		for _, key := range []string{"a", "b", "c"} {
			if r.IntN(2) == 0 {
				fmt.Fprintf(
					&b, "%s%s = %s\n", indent, key,
					[]string{
						`"x"`, "1e3", "1.50", "var.x", "[1, 2.0]", `"t-${var.x}"`, "null",
						"<<EOT\nline\nEOT",
					}[r.IntN(8)],
				)
			}
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "%sm = {\n%s  a = %d\n%s}\n", indent, indent, r.IntN(9), indent)
		}
	}
	for range 1 + r.IntN(7) {
		switch head := []string{
			"locals", "moved", "terraform", `data "aws_ami" "x"`, `resource "aws_ami" "x"`, "",
		}[r.IntN(6)]; head {
		case "":
			top++
			fmt.Fprintf(&b, "top%d = %d\n", top, r.IntN(9))
			if top == 2 {
				body("")
			}
		default:
			b.WriteString(head + " {\n")
			body("  ")
			b.WriteString("}\n\n")
		}
	}
	return b.String()
}

// module is what HCL's parser reads: by kind of block, the attributes of each block by path. The
// attributes of objects are flattened.
type module map[string][]map[string]string

// moduleOf parses a module with HCL's own parser.
func moduleOf(t *testing.T, text string) module {
	t.Helper()
	file, diagnostics := hclsyntax.ParseConfig([]byte(text), "", hcl.InitialPos)
	if diagnostics.HasErrors() {
		t.Fatalf("%v in\n%s", diagnostics, text)
	}
	attributes := func(body *hclsyntax.Body) map[string]string {
		all := map[string]string{}
		for name, attribute := range body.Attributes {
			object, isObject := attribute.Expr.(*hclsyntax.ObjectConsExpr)
			if !isObject {
				all[name] = string(attribute.Expr.Range().SliceBytes([]byte(text)))
				continue
			}
			all[name] = "{}"
			for _, item := range object.Items {
				all[name+"."+hcl.ExprAsKeyword(item.KeyExpr)] = string(
					item.ValueExpr.Range().SliceBytes([]byte(text)),
				)
			}
		}
		return all
	}
	body := file.Body.(*hclsyntax.Body)
	m := module{}
	if len(body.Attributes) > 0 {
		m["attributes"] = append(m["attributes"], attributes(body))
	}
	for _, block := range body.Blocks {
		name := strings.Join(append([]string{block.Type}, block.Labels...), " ")
		m[name] = append(m[name], attributes(block.Body))
	}
	return m
}

// set sets a path in all blocks of a type that have it, otherwise in the first block that has the
// parent map, otherwise in the first block.
func (m module) set(blockType, path string) {
	const value = `"was set"`
	in, _, nested := strings.Cut(path, ".")
	for name, blocks := range m {
		if !strings.Contains(name, blockType) {
			continue
		}
		done := false
		for _, block := range blocks {
			if _, ok := block[path]; ok {
				block[path], done = value, true
			}
		}
		for _, block := range blocks {
			if _, ok := block[in]; ok && nested && !done {
				block[path], done = value, true
			}
		}
		if !done {
			blocks[0][path] = value
			if nested {
				blocks[0][in] = "{}"
			}
		}
	}
}
