// Package opentofu has the functions that are specific to OpenTofu.
//
// Blocks are identified by their type and labels, see internal/formats/hclkit. A value that is an
// expression is the string ${...}. Functions leave it alone unless they are asked to set it.
//
// Layer: functions.
package opentofu

import (
	"errors"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(
	fh handler.FunctionRegistry,
	_ configkit.ConfigConverter,
	resourceProvider configkit.ResourceProvider,
) error {
	var errs []error
	for _, a := range versions() {
		errs = append(errs, a.register(fh, resourceProvider))
	}
	return errors.Join(errs...)
}
