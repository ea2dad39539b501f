// Package appconfig has the functions for application configuration, in whatever format, besides those for every toolchain.
//
// The rules of this room: functions know nothing of formats. They work on documents, and what becomes text goes through the
// converter they are registered with.
package appconfig

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(fh handler.FunctionRegistry, converter configkit.ConfigConverter, resourceProvider configkit.ResourceProvider) error {
	return fh.RegisterFunction(renderConfigMapFunction(converter, resourceProvider))
}
