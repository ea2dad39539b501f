package functionconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/settings"
)

// checkFlags are the flags of functionconfig check.
type checkFlags struct{ output, report, server *command.Choice }

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
the definition that Porch has. Warnings are notes.

--for prints, in place of that, why an API server refuses an object that kubectl
sends: with the definition of fctl functionconfig crd, or with that of Porch of
April 2026.

The status is 2 if an object has an error, 3 if a file cannot be read.`,
		Example: `  fctl functionconfig check functionconfigs/
  fctl functionconfig check set-labels.yaml -o json
  helm template fn-runner | fctl functionconfig check -
  fctl functionconfig check functionconfigs/ --for porch
  fctl functionconfig check functionconfigs/ --report github`,
	}
	o.output = command.AddOutput(cmd.Flags(), "text or json", "text", "json")
	o.report = command.AddReport(cmd.Flags())
	o.server = &command.Choice{What: "API server", Values: functionconfig.APIServers()}
	cmd.Flags().Var(o.server, "for", "decide as an API server with the definition of `SYSTEM` does: "+
		strings.Join(o.server.Values, " or "))
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
	if o.server.Value != "" && slices.ContainsFunc(words, settings.IsCluster) {
		return diag.Usage("--for is about files: the objects of a cluster were accepted")
	}
	var texts []configText
	s, set, problems, err := read(a, cmd, words, func(file string, text []byte) {
		texts = append(texts, configText{file, text})
	})
	if err != nil {
		return err
	}
	summary := diag.Count(len(set.Configs()), functionconfig.Kind) + ", no errors\n"
	if o.server.Value != "" {
		if summary, problems, err = admitted(cmd.Context(), o, texts, problems); err != nil {
			return err
		}
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
		if problems[i].Server && o.server.Value == "" {
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
	return a.WriteText(summary)
}

// configText is the text of a file.
type configText struct {
	file string
	text []byte
}

// admitted returns why the API server of --for refuses the objects of texts. Of known, which the runner
// finds, it keeps those about files that cannot be read.
func admitted(ctx context.Context, o *checkFlags, texts []configText, known []functionconfig.ConfigProblem,
) (summary string, problems []functionconfig.ConfigProblem, err error) {
	for _, p := range known {
		if p.Class == api.FailureInput {
			problems = append(problems, p)
		}
	}
	admission, err := functionconfig.NewAdmission(o.server.Value)
	if err != nil {
		return "", nil, err
	}
	count := 0
	for _, t := range texts {
		found, accepted, err := admission.Check(ctx, t.text, t.file, true)
		if err != nil {
			return "", nil, err
		}
		problems, count = append(problems, found...), count+accepted
	}
	return fmt.Sprintf("%s, accepted with the definition of %s\n", diag.Count(count, functionconfig.Kind),
		o.server.Value), problems, nil
}
