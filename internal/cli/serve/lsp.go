package serve

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lsp"
)

// newLSP makes the command that editors start.
func newLSP(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Show findings in an editor",
		Long: `Serve the Language Server Protocol on the standard input and output. The editor
shows what 'fctl vet' finds in the Kubernetes resources of its folder while you
type: errors of syntax, schemas, references and policies of the settings. Files
that are open count as they are in the editor.

docs/guide/editors.md has the settings for VS Code, Neovim and Helix.`,
		Example: "  fctl lsp",
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.Settings(cmd.Flags())
			if err != nil {
				return err
			}
			server := &lsp.Server{
				Executor: func() (*functions.Executor, error) {
					return a.ExecutorFor(cmd.Context(), s)
				},
				Settings: s, Dir: ".",
				Report: func(err error) {
					a.Console().Problems(diag.Failures(err, api.FailureFunction))
				},
			}
			if err := server.Serve(cmd.Context(), a.Streams.In, a.Streams.Out); err != nil {
				return diag.Failures(err, api.FailureFunction)
			}
			return nil
		},
	}
}
