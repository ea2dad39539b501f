package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/api"
)

// workload is n resources, every third one a Deployment.
func workload(n int) []byte {
	var b strings.Builder
	for i := range n {
		b.WriteString("---\n")
		if i%3 == 0 {
			b.WriteString(strings.Replace(deployment, "name: web", fmt.Sprintf("name: web-%d", i), 1))
			continue
		}
		fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-%d # of the shop\ndata:\n", i)
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
			{FunctionName: "set-container-image", Arguments: []api.FunctionArgument{{Value: "web"}, {Value: "nginx:1.27"}}},
			{FunctionName: "get-container-image", Arguments: []api.FunctionArgument{{Value: "*"}}},
		} {
			b.Run(fmt.Sprintf("%s/%d", call.FunctionName, n), func(b *testing.B) {
				executor := functions.NewStandardExecutor()
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := executor.Invoke(b.Context(), &api.FunctionInvocationRequest{ConfigData: data, FunctionInvocations: api.FunctionInvocationList{call}})
					if err != nil || !r.Success {
						b.Fatal(err, r.ErrorMessages)
					}
				}
			})
		}
	}
}

// BenchmarkWhere is a function on a few of many resources: one that the peek selects, and one that a value deeper in does.
func BenchmarkWhere(b *testing.B) {
	data := workload(10_000)
	for name, where := range map[string]string{
		"type": "ConfigHub.ResourceType = 'apps/v1/Deployment' AND ConfigHub.ResourceNameWithoutScope LIKE 'web-99%'",
		"path": "spec.replicas = 3 AND metadata.name LIKE 'web-99%'",
	} {
		b.Run(name, func(b *testing.B) {
			executor := functions.NewStandardExecutor()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := executor.Invoke(b.Context(), &api.FunctionInvocationRequest{
					ConfigData: data, WhereResource: where,
					FunctionInvocations: api.FunctionInvocationList{{FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}}}},
				})
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
