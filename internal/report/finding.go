package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// finding is one thing that a validation found, or a problem that kept a
// function from finding anything.
type finding struct {
	Position api.Position
	Resource string // type and name
	Function string
	Path     string
	Rule     string // what was violated, when the function says
	Score    string
	Message  string
}

// findings are those of all results that did not pass, in the order of place.
func findings(file string, results api.ValidationResultList) []finding {
	var all []finding
	for _, result := range results {
		if result.Passed {
			continue
		}
		base := finding{Position: api.Position{File: file}, Function: result.FunctionName, Score: result.Score}
		told := map[string]bool{} // resources
		for i := range result.FailedAttributes {
			row := &result.FailedAttributes[i]
			all = append(all, attributeFindings(base, row)...)
			told[row.ResourceInfo.String()] = true
		}
		for i, detail := range result.Details {
			// Details tell again what the attributes say, for programs that print no attributes.
			if len(told) > 0 && (i >= len(result.Places) || told[result.Places[i].Resource]) {
				continue
			}
			f := base
			f.Message = detail
			if i < len(result.Places) {
				f.Resource, f.Position = result.Places[i].Resource, result.Places[i].Position
				f.Position.File = cmp.Or(f.Position.File, file)
			}
			all = append(all, f)
		}
		if len(result.Details) == 0 && len(told) == 0 {
			base.Message = cmp.Or(result.Reason, "did not pass")
			all = append(all, base)
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return all
}

// attributeFindings is one for each issue of an attribute, or one when it has none.
func attributeFindings(f finding, row *api.AttributeValue) []finding {
	if row.Position != nil {
		f.Position = *row.Position
	}
	f.Resource, f.Path = row.ResourceInfo.String(), string(row.Path)
	f.Score = cmp.Or(row.Score, f.Score)
	if len(row.Issues) == 0 {
		f.Message = row.Comment
		if value := cell(row.Value); row.Value != nil && value != "" {
			f.Message = "the value is " + value
		}
		f.Message = cmp.Or(row.Reason, f.Message)
		return []finding{f}
	}
	all := make([]finding, len(row.Issues))
	for i, issue := range row.Issues {
		all[i] = f
		all[i].Rule, all[i].Message = issue.Identifier, issue.Message
	}
	return all
}

// failureFindings are the problems of a response.
func failureFindings(file string, failures []*api.Failure) []finding {
	all := make([]finding, len(failures))
	for i, f := range failures {
		all[i] = finding{Position: f.Pos, Resource: f.Resource, Function: f.Function, Path: f.Path, Message: f.Message}
		all[i].Position.File = cmp.Or(f.Pos.File, file)
	}
	return all
}

// text is the message with everything before it that says what it is about,
// the place left out.
func (f finding) text() string {
	return strings.Join(slices.DeleteFunc([]string{f.Resource, f.Function, f.Path, f.Rule, f.Message}, func(s string) bool { return s == "" }), ": ")
}

// failed prints the results that did not pass.
func (s Screen) failed(file string, results api.ValidationResultList) []byte {
	var b strings.Builder
	for _, f := range findings(file, results) {
		b.WriteString(s.head(diag.Printable(f.Position.String())+":") + " " + oneLine(f.text()) + "\n")
	}
	return []byte(b.String())
}

// lines prints results the way compilers do: a line for each finding, with a
// place that terminals and editors make a link.
func (s Screen) lines(file string, results api.ValidationResultList) []byte {
	var b strings.Builder
	b.Write(s.failed(file, results))
	for _, r := range results {
		if r.Passed {
			b.WriteString(s.head(diag.Printable(file)+":") + " " + r.FunctionName + ": passed\n")
		}
	}
	return []byte(b.String())
}
