package serve

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lsp"
	"github.com/fctl-dev/fctl/internal/settings"
)

// newLSP makes the command that editors start.
func newLSP(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Show findings in an editor",
		Long: `Serve the Language Server Protocol on the standard input and output. The editor
shows what 'fctl vet' finds in the Kubernetes resources of its folder while you
type: errors of syntax, schemas, references and policies of the settings. It
shows mistakes in open chains, Bundles, FunctionConfigs, Kptfiles, definitions
of links and files about resource types as their commands report them. Files
that are open count as they are in the editor. It completes keys, values, names
of resources, functions and parameters, explains functions and fields, fixes
what --fix of vet can fix, goes to the resource to which a reference leads, and
renames resources. An expression may take 10 seconds unless --timeout says
otherwise.

Neovim 0.11, in init.lua:

  vim.lsp.config('fctl', { cmd = { 'fctl', 'lsp' }, filetypes = { 'yaml' },
    root_markers = { '.fctl.yaml', '.git' } })
  vim.lsp.enable('fctl')

Helix, in languages.toml:

  [language-server.fctl]
  command = "fctl"
  args = ["lsp"]

  [[language]]
  name = "yaml"
  language-servers = ["yaml-language-server", "fctl"]

VS Code, in settings.json, with the extension zsol.vscode-glspc:

  "glspc.server.command": "fctl",
  "glspc.server.commandArguments": ["lsp"],
  "glspc.server.languageId": ["yaml"]`,
		Example: "  fctl lsp",
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server := &lsp.Server{
				Settings: func(folder string) (string, *settings.Settings, error) {
					a.Dir = cmp.Or(a.Dir, folder, ".") // -C comes first
					s, err := a.Settings(cmd.Flags())
					return a.Dir, s, err
				},
				Executor: func(ctx context.Context, s *settings.Settings,
				) (*functions.Executor, error) {
					if s == nil {
						return a.NewExecutor()
					}
					return a.ExecutorFor(ctx, s)
				},
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
