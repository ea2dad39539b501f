// Package program has the functions that run the user's programs on resources: Starlark, CEL, yq
// and Go templates.
//
// A program is compiled once, when the arguments are checked, and sees one resource at a time. This
// package checks what a program returns; the languages themselves are in internal/lang.
//
// Layer: functions.
package program

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	return handler.Register(fh, append(
		starlarkFunctions(provider),
		vetCELExprFunction(provider),
		getCELUnitFunction(provider),
		getYQFunction(provider),
		setYQFunction(provider),
		setTemplateFunction(provider),
	)...)
}
