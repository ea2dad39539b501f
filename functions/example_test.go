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
