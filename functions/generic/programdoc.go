package generic

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterProgramFunctions registers the functions of this package.
func RegisterProgramFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	return handler.Register(fh, append(
		starlarkFunctions(provider),
		vetCELExprFunction(provider),
		getYQFunction(provider),
		setYQFunction(provider),
		setTemplateFunction(provider),
	)...)
}
