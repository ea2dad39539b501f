package functions_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"cel.dev/cel-go/cel"
	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// workload returns n resources, every third of them a Deployment.
func workload(n int) []byte {
	var b strings.Builder
	for i := range n {
		b.WriteString("---\n")
		if i%3 == 0 {
			b.WriteString(strings.Replace(
				deployment, "name: web", fmt.Sprintf("name: web-%d", i), 1,
			))
			continue
		}
		fmt.Fprintf(
			&b,
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-%d # of the shop\ndata:\n",
			i,
		)
		for j := range 20 {
			fmt.Fprintf(&b, "  key-%d: \"some value of %d\"\n", j, i)
		}
	}
	return []byte(b.String())
}

func BenchmarkInvoke(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		data := workload(n)
		for _, call := range []api.FunctionInvocation{
			{FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}}},
			{
				FunctionName: "set-container-image",
				Arguments:    []api.FunctionArgument{{Value: "web"}, {Value: "nginx:1.27"}},
			},
			{FunctionName: "get-container-image", Arguments: []api.FunctionArgument{{Value: "*"}}},
		} {
			b.Run(fmt.Sprintf("%s/%d", call.FunctionName, n), func(b *testing.B) {
				executor := functions.NewStandardExecutor()
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := executor.Run(b.Context(), &api.FunctionInvocationRequest{
						ConfigData: data, FunctionInvocations: api.FunctionInvocationList{call},
					}, handler.Options{})
					if err != nil || !r.Success {
						b.Fatal(err, r.ErrorMessages)
					}
				}
			})
		}
	}
}

// BenchmarkWhere runs a function on a few of many resources: once selected by the header scan, once
// by a value deeper in the document.
func BenchmarkWhere(b *testing.B) {
	data := workload(10_000)
	for name, where := range map[string]string{
		"type": "ConfigHub.ResourceType = 'apps/v1/Deployment' AND " +
			"ConfigHub.ResourceNameWithoutScope LIKE 'web-99%'",
		"path": "spec.replicas = 3 AND metadata.name LIKE 'web-99%'",
	} {
		b.Run(name, func(b *testing.B) {
			executor := functions.NewStandardExecutor()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := executor.Run(b.Context(), &api.FunctionInvocationRequest{
					ConfigData: data, WhereResource: where,
					FunctionInvocations: api.FunctionInvocationList{{
						FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}},
					}},
				}, handler.Options{})
				if err != nil || !r.Success || r.Functions[0].Matches != 39 {
					b.Fatal(err, r.ErrorMessages, r.Functions)
				}
			}
		})
	}
}

func BenchmarkNewStandardExecutor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		functions.NewStandardExecutor()
	}
}

// BenchmarkVetCELExpr checks 10,000 resources with an expression. In alternation it decodes them
// with yaml.v3 and evaluates the same expression with cel-go. The metric "ratio" is the first time
// divided by the second.
func BenchmarkVetCELExpr(b *testing.B) {
	data := workload(10_000)
	for name, text := range map[string]string{
		"replicas": `r.kind != "Deployment" || r.spec.replicas > 1`,
		"containers": `!has(r.spec) || r.spec.template.spec.containers.all(c, has(c.image) && ` +
			`!c.image.endsWith(":latest") && (!has(c.name) || c.name.matches("^[a-z0-9.-]+$")))`,
	} {
		b.Run(name, func(b *testing.B) {
			executor := functions.NewStandardExecutor()
			program := celProgram(b, text)
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				r, err := executor.Run(b.Context(), &api.FunctionInvocationRequest{
					ConfigData: data,
					FunctionInvocations: api.FunctionInvocationList{{
						FunctionName: "vet-celexpr",
						Arguments:    []api.FunctionArgument{{Value: text}},
					}},
				}, handler.Options{})
				if err != nil || !r.Success || r.ValidationFailed ||
					r.Functions[0].Matches != 10_000 {
					b.Fatal(err, r.ErrorMessages, r.ValidationFailed)
				}
				ours += time.Since(start)
				start = time.Now()
				if n := evaluateDecoded(b, data, program); n != 10_000 {
					b.Fatal(n)
				}
				theirs += time.Since(start)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ours-ms")
			b.ReportMetric(float64(theirs.Milliseconds())/float64(b.N), "yaml.v3+cel-go-ms")
		})
	}
}

// celProgram compiles an expression with cel-go.
func celProgram(b *testing.B, text string) cel.Program {
	env, err := cel.NewEnv(cel.Variable("r", cel.DynType))
	if err != nil {
		b.Fatal(err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		b.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// evaluateDecoded returns the number of documents for which the expression is true.
func evaluateDecoded(b *testing.B, data []byte, program cel.Program) (passed int) {
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var resource map[string]any
		if err := decoder.Decode(&resource); errors.Is(err, io.EOF) {
			return passed
		} else if err != nil {
			b.Fatal(err)
		}
		if v, _, err := program.Eval(map[string]any{"r": resource}); err == nil &&
			v.Value() == true {
			passed++
		}
	}
}
