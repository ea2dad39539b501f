package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

func registerFlagFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	parameters := []api.FunctionParameter{
		containerNameParameter(),
		{
			ParameterName: "container-flag", Required: true, DataType: api.DataTypeString, Example: "log-level",
			Description:      "name of the flag without its dashes, or * for all",
			ValueConstraints: api.ValueConstraints{Regexp: `^(?:\*|[a-zA-Z0-9][-\w.]*)$`},
		},
		{
			ParameterName: "flag-value", Required: true, DataType: api.DataTypeString, Example: "debug",
			Description: "value of the flag",
		},
	}
	return generic.RegisterPathSetterAndGetter(fh, "container-flag", parameters, "the value of flags in the args of containers that are written --flag=value",
		"container-flag", provider, true, true,
		generic.WithPathFunctionExamples("get-container-flag web log-level", "set-container-flag web log-level debug"))
}
