package fn

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
)

// NewEnterSandbox makes the command that --sandbox starts in new namespaces. It finishes the
// sandbox and executes the function.
func NewEnterSandbox() *cobra.Command {
	return &cobra.Command{
		Use: process.SandboxCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, words []string) error {
			return diag.Failures(process.EnterSandbox(words), api.FailureFunction)
		},
	}
}
