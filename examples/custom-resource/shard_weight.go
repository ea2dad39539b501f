package main

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/generic"
)

const (
	toolchain   = api.ToolchainKubernetesYAML
	shardWeight = "shard-weight"
)

// register adds get-shard-weight and set-shard-weight, for the shards of Cache resources.
func register(executor *functions.Executor) error {
	provider := executor.ResourceProvider(toolchain)
	// The path of the weights: %s is the name of the list element, which is the first argument.
	err := yamlkit.RegisterPathsByAttributeName(provider, shardWeight, "cache.example.com/v1/Cache",
		api.PathToVisitorInfoType{
			"spec.shards.?name:shard-name=%s.weight": {DataType: api.DataTypeInt},
		},
		&api.FunctionInvocation{FunctionName: "get-" + shardWeight},
		&api.FunctionInvocation{FunctionName: "set-" + shardWeight}, false)
	if err != nil {
		return err
	}
	// The parameters of both functions: first the arguments of the path, last the value.
	least, most := 0, 100
	parameters := []api.FunctionParameter{
		{
			ParameterName: "shard-name", Required: true, DataType: api.DataTypeString, Example: "a",
			Description: "name of the shard, or * for all",
		},
		{
			ParameterName: shardWeight, Required: true, DataType: api.DataTypeInt, Example: "50",
			Description:      "its share of the requests, in percent",
			ValueConstraints: api.ValueConstraints{Min: &least, Max: &most},
		},
	}
	return generic.RegisterPathSetterAndGetter(
		executor.Registry(toolchain), shardWeight, parameters,
		"the weight of the shards of a Cache", shardWeight, provider, true, true,
		generic.WithPathFunctionExamples("get-shard-weight '*'", "set-shard-weight a 50"))
}
