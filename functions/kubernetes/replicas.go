package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

func registerReplicasFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	none := 0
	parameters := []api.FunctionParameter{{
		ParameterName: "replicas", Required: true, DataType: api.DataTypeInt, Example: "3",
		Description:      "number of replicas",
		ValueConstraints: api.ValueConstraints{Min: &none},
	}}
	return generic.RegisterPathSetterAndGetter(fh, "replicas", parameters, "the number of replicas of workloads",
		"replicas", provider, true, true, generic.WithPathFunctionExamples("get-replicas", "set-replicas 5"))
}
