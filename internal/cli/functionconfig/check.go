package functionconfig

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
)

// checkFlags are the flags of functionconfig check.
type checkFlags struct{ output, report *command.Choice }

func newCheck(a *command.App) *cobra.Command {
	o := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [flags] PATH...",
		Short: "Check FunctionConfigs",
		Long: `Read the FunctionConfigs in files and directories, on the standard input (-) or
in a cluster (kube:[NAMESPACE], which needs fctl-runner) and print every problem
with its position: unknown fields, values that cannot be used, images that two
objects name. Objects of other kinds are skipped in directories and on the
standard input. "(also the server)" marks what the API server refuses, too, with
the definition that Porch has; all others it accepts. Warnings are notes.

The status is 2 if an object has an error, 3 if a file cannot be read.`,
		Example: `  fctl functionconfig check functionconfigs/
  fctl functionconfig check set-labels.yaml -o json
  helm template fn-runner | fctl functionconfig check -
  fctl functionconfig check functionconfigs/ --report github`,
	}
	o.output = command.AddOutput(cmd.Flags(), "text or json", "text", "json")
	o.report = command.AddReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error { return check(a, cmd, o, words) }
	a.Reports(cmd, o.report, "functionconfig-check")
	return cmd
}

// report is a problem in the output.
type report struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Object   string `json:"object,omitempty"`
	Field    string `json:"field,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Server   bool   `json:"server"` // the API server refuses it, too
}

func check(a *command.App, cmd *cobra.Command, o *checkFlags, words []string) error {
	s, set, problems, err := read(a, cmd, words)
	if err != nil {
		return err
	}
	if o.output.Value == "json" && o.report.Value != "text" {
		return diag.Usage("-o json and --report exclude each other")
	}
	if o.output.Value == "json" {
		reports := make([]report, len(problems))
		for i, p := range problems {
			reports[i] = report{
				p.Pos.File, p.Pos.Line, p.Pos.Column, p.Resource, p.Path, "error", p.Message,
				p.Hint, p.Server,
			}
			if p.Warning {
				reports[i].Severity = "warning"
			}
		}
		if err := a.WriteJSON(reports); err != nil {
			return err
		}
		if errs := failures(problems); len(errs) > 0 {
			return diag.ExitError(diag.ExitStatus(errs, api.FailureInput))
		}
		return nil
	}
	for i := range problems {
		if problems[i].Server {
			problems[i].Message += " (also the server)"
		}
	}
	notes(a, s, problems)
	if errs := failures(problems); len(errs) > 0 {
		errs.Sort()
		return errs
	}
	if o.report.Value != "text" {
		return nil
	}
	return a.WriteText(diag.Count(len(set.Configs()), functionconfig.Kind) + ", no errors\n")
}
