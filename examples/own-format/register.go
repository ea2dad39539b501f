package main

import (
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// toolchain is what --toolchain calls the format.
const toolchain = "Example/Sysctl"

// register adds the format to an executor: how its text is read and written, what is known about its resources, and its functions.
func register(executor *functions.Executor) error {
	fh := handler.New(toolchain, formatkit.Converter[sysctl]{}, appkit.New(toolchain))
	if err := functions.RegisterStandardFunctions(fh, fh.Converter(), fh.ResourceProvider()); err != nil {
		return err
	}
	return executor.RegisterToolchain(fh)
}
