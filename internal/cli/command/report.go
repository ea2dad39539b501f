package command

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// AddReport adds the flag --report.
func AddReport(flags *pflag.FlagSet) *Choice {
	kind := &Choice{
		What: "report", Value: string(report.Text),
		Values: []string{"text", "json", "sarif", "junit", "github", "gitlab"},
	}
	flags.Var(kind, "report", "print a `FORMAT`: text, json, sarif, junit, github or gitlab")
	return kind
}

// Reports makes the error of a command that checks the files it is given a report, if --report has
// another format than text. rule names its findings.
func (a *App) Reports(cmd *cobra.Command, kind *Choice, rule string) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		files := make([]string, len(words))
		for i, word := range words {
			files[i] = diag.FileName(word)
		}
		return a.Report(cmd, kind, rule, files, run(cmd, words))
	}
}

// Report prints err, the problems of a command that checked files, as a report, after other results.
// An error that is not about a file, such as one of usage, stays an error, and so does each one if
// --report is text.
func (a *App) Report(
	cmd *cobra.Command, kind *Choice, rule string, files []string, err error,
	others ...report.Result,
) error {
	if kind.Value == string(report.Text) {
		return err
	}
	found := map[string]api.AttributeValueList{} // by file
	var rest []error
	if err != nil {
		for _, f := range diag.Failures(err, api.FailureInput) {
			if f.Pos.File == "" {
				rest = append(rest, f)
				continue
			}
			row := api.AttributeValue{Score: "High", Position: &f.Pos}
			row.ResourceType, row.Path = api.ResourceType(f.Resource), api.ResolvedPath(f.Path)
			row.Issues = []api.Issue{{Message: a.Masked(f.Message)}}
			files, found[f.Pos.File] = append(files, f.Pos.File), append(found[f.Pos.File], row)
		}
	}
	if len(rest) > 0 && len(found)+len(others) == 0 {
		return err
	}
	results := others
	seen := map[string]bool{}
	for _, file := range files {
		if !seen[file] {
			seen[file] = true
			results = append(results, report.Checked(rule, cmd.Short, file, found[file]))
		}
	}
	text, failed := report.RenderReport(report.Kind(kind.Value), results)
	if failed == nil {
		failed = a.Write(text)
	}
	if failed != nil || err == nil {
		return failed
	}
	if len(rest) > 0 {
		return errors.Join(rest...)
	}
	return diag.ExitError(diag.ExitStatus(err, api.FailureInput))
}
