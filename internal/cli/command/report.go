package command

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// AddReport adds the flag --report.
func AddReport(flags *pflag.FlagSet) *Choice {
	kind := &Choice{
		What: "report", Value: string(report.Text),
		Values: []string{"text", "json", "sarif", "junit", "github"},
	}
	flags.Var(kind, "report", "print a `FORMAT`: text, json, sarif, junit or github")
	return kind
}

// Reports makes the error of a command that checks the files it is given a report, if --report has
// another format than text. rule is what the findings are called there. An error that is not about a
// file, such as one of usage, stays an error.
func (a *App) Reports(cmd *cobra.Command, kind *Choice, rule string) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		err := run(cmd, words)
		if kind.Value == string(report.Text) {
			return err
		}
		var failures diag.List
		if err != nil {
			failures = diag.Failures(err, api.FailureInput)
		}
		var files []string
		found := map[string]api.AttributeValueList{} // by file
		for _, word := range words {
			files = append(files, diag.FileName(word))
		}
		for _, f := range failures {
			if f.Pos.File == "" {
				return err
			}
			files = append(files, f.Pos.File)
			row := api.AttributeValue{AttributeInfo: api.AttributeInfo{AttributeIdentifier: api.AttributeIdentifier{
				ResourceInfo: api.ResourceInfo{ResourceName: api.ResourceName(f.Resource)},
				Path:         api.ResolvedPath(f.Path),
			}}, Score: "High", Position: &f.Pos, Issues: []api.Issue{{Message: f.Message}}}
			found[f.Pos.File] = append(found[f.Pos.File], row)
		}
		var results []report.Result
		signature := api.FunctionSignature{FunctionName: rule, Description: cmd.Short}
		for _, file := range files {
			if slices.ContainsFunc(results, func(r report.Result) bool { return r.File == file }) {
				continue
			}
			response := &handler.Result{}
			response.Success = true
			response.Outputs = api.OutputList{{
				OutputType: api.OutputTypeValidationResultList,
				Value: api.ValidationResultList{{
					Passed: len(found[file]) == 0, FunctionName: rule, FailedAttributes: found[file],
				}},
			}}
			results = append(results, report.Result{
				Unit: file, File: file, Response: response,
				Signatures:  []api.FunctionSignature{signature},
				Invocations: api.FunctionInvocationList{{FunctionName: rule}},
			})
		}
		text, failed := report.RenderReport(report.Kind(kind.Value), results)
		if failed == nil {
			failed = a.Write(text)
		}
		if failed != nil || err == nil {
			return failed
		}
		return diag.ExitError(diag.ExitStatus(err, api.FailureInput))
	}
}
