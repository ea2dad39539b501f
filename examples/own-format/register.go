package main

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/functions"
)

// toolchain is the name of the format for --toolchain.
const toolchain = "Example/Sysctl"

// register adds the format to an executor: how its text is parsed and printed, and what is known
// about its resources.
func register(executor *functions.Executor) error {
	return executor.RegisterToolchain(functions.Toolchain{
		Name:      toolchain,
		Files:     []string{".conf"},
		Example:   "sysctl.conf",
		Converter: formatkit.Converter[sysctl]{},
		Provider:  func() configkit.ResourceProvider { return appkit.New(toolchain) },
	})
}
