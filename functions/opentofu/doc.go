// Package opentofu has the functions for OpenTofu, besides those for every toolchain.
//
// The rules of this room: blocks are known by their type and labels, see configkit/hclkit. A value that is an expression is the string
// ${...}, which functions leave alone unless they are told to put another one there.
package opentofu

import (
	"errors"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(fh handler.FunctionRegistry, _ configkit.ConfigConverter, resourceProvider configkit.ResourceProvider) error {
	var errs []error
	for _, a := range versions() {
		errs = append(errs, a.register(fh, resourceProvider))
	}
	return errors.Join(errs...)
}
