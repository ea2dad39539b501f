package functions_test

import (
	"context"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

func ExampleExecutor_Invoke() {
	response, err := functions.NewStandardExecutor().Invoke(context.Background(),
		&api.FunctionInvocationRequest{
			ConfigData: []byte(
				"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n" +
					"  replicas: 1 # for now\n",
			),
			FunctionInvocations: api.FunctionInvocationList{
				{FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}}},
			},
		})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s%v %q\n", response.ConfigData, response.Success, response.ErrorMessages)
	// Output:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata: {name: web}
	// spec:
	//   replicas: 5 # for now
	// true []
}

// Diff compares versions of several files; resources that move from one to another are not removed
// and added.
func ExampleExecutor_Diff() {
	const web = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
	const key = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\n"
	differences := functions.NewStandardExecutor().Diff([]functions.Versions{
		{Toolchain: "Kubernetes/YAML", Before: []byte(web + "---\n" + key), After: []byte(web)},
		{Toolchain: "Kubernetes/YAML", After: []byte(key)},
	}, functions.NewMaps, functions.Only{})
	for i, d := range differences {
		fmt.Println(i, len(d.Mutations), d.Err)
		for _, m := range d.Moved {
			fmt.Println("moved from", m.From, m.Resource.ResourceNameWithoutScope)
		}
	}
	// Output:
	// 0 0 <nil>
	// 1 0 <nil>
	// moved from 0 key
}

// Signature describes a function, as fctl explain shows it.
func ExampleExecutor_Signature() {
	s, ok := functions.NewStandardExecutor().Signature("Kubernetes/YAML", "set-replicas")
	fmt.Println(ok, s.Mutating, s.Idempotent)
	for _, p := range s.Parameters {
		fmt.Println(p.ParameterName, p.DataType, p.Required)
	}
	// Output:
	// true true true
	// replicas int true
}
