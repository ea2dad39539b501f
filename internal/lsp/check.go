package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/strict"
)

// mostDiagnostics is the number of diagnostics of a file that are shown.
const mostDiagnostics = 1000

// problem is a finding or a failure, before its place is known as the editor counts.
type problem struct {
	at            api.Position
	severity      int
	code, message string
	unchecked     bool           // it says that something was not checked
	choice        *strict.Choice // what would be right, if that is known
}

// validations returns what 'fctl vet' runs.
func (p *project) validations() do.Chain {
	return do.Chain{
		Policies: p.settings.Policies, Defaults: do.DefaultValidations(), Validations: true,
		KubernetesVersion: p.settings.KubernetesVersion,
	}
}

// sourceName is what diagnostics say they are from.
const sourceName = "fctl"

// diagnose checks the files of the folder as 'fctl vet -R' does, and the open ones that define
// something. It returns the diagnostics of the files that have some.
func (p *project) diagnose(ctx context.Context) (map[string][]diagnostic, error) {
	var options *do.Options
	result, executor, err := p.run(ctx, p.validations(), func(o *do.Options) {
		o.Report, options = report.Text, o
	})
	if err != nil {
		return nil, err
	}
	p.remember(executor, options.Request != nil && options.Request.HasFixes())
	problems := map[string][]problem{}
	for _, f := range result.Files {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		reported := map[api.Position]string{} // findings may repeat failures, without the hint
		for _, failure := range f.Failures {
			reported[failure.Pos] = failure.Message
			problems[path] = append(problems[path], ofFailure(failure))
		}
		for _, finding := range f.Findings {
			if message, failed := reported[finding.Position]; !failed || message != finding.Message {
				problems[path] = append(problems[path], ofFinding(finding))
			}
		}
	}
	for path := range p.buffers {
		found, ours := p.defined(ctx, path)
		if ours { // that there is no schema of its type says nothing
			problems[path] = slices.DeleteFunc(problems[path], func(p problem) bool {
				return p.unchecked
			})
		}
		problems[path] = append(problems[path], found...)
	}
	for path, failure := range p.refused {
		problems[path] = []problem{ofFailure(failure)}
	}
	all := map[string][]diagnostic{}
	for path, found := range problems {
		if len(found) > 0 {
			all[path] = diagnosticsOf(p.text(path), found)
		}
	}
	return all, nil
}

func ofFinding(f api.Finding) problem {
	severity := map[string]int{"warning": severityWarning, "note": severityInformation}[f.Level]
	return problem{
		at: f.Position, severity: cmp.Or(severity, severityError), code: cmp.Or(f.Rule, f.Function),
		message: f.Message, unchecked: f.Unchecked > 0,
	}
}

func ofFailure(f *api.Failure) problem {
	message := f.Message
	if f.Hint != "" {
		message += "\nhint: " + f.Hint
	}
	choice, _ := errors.AsType[*strict.Choice](f.Err)
	return problem{
		at: f.Pos, severity: severityError, code: f.Function, message: message, choice: choice,
	}
}

// diagnosticsOf returns the diagnostics of a file, in the order of the text.
func diagnosticsOf(t *text, problems []problem) []diagnostic {
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column))
	})
	var all []diagnostic
	seen := map[problem]bool{} // each function of the chain has the same problem with a file
	for _, p := range problems {
		p.at.File, p.choice = "", nil
		if seen[p] {
			continue
		}
		seen[p] = true
		from, to := t.wordAt(p.at)
		d := diagnostic{
			Range: t.span(from, to), Severity: p.severity, Source: sourceName, Code: p.code,
			Message: p.message,
		}
		if len(all) == mostDiagnostics {
			d.Code, d.Message = "", fmt.Sprintf("%d more problems begin here",
				len(problems)-len(all))
			return append(all, d)
		}
		all = append(all, d)
	}
	return all
}
