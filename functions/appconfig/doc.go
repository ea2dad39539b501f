// Package appconfig has the functions that are specific to application configuration, in any
// format.
//
// Functions know nothing about formats. They work on documents, and text is made by the converter
// they are registered with.
//
// Layer: functions.
package appconfig

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(
	fh handler.FunctionRegistry,
	converter configkit.ConfigConverter,
	resourceProvider configkit.ResourceProvider,
) error {
	return fh.RegisterFunction(renderConfigMapFunction(converter, resourceProvider))
}
