package fn

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// printReport prints a report of the errors and warnings of functions, and of the error of a function
// that failed without one. root is the directory of the files. items are the input of the functions,
// for the lines of resources.
func (r *runner) printReport(
	o *resultFlags, root string, items []*krm.Item, steps []*krm.StepResult,
) error {
	if o.report.Value == string(report.Text) {
		return nil
	}
	at := map[fnresult.FileRef]*krm.Item{}
	for _, item := range items {
		at[fnresult.FileRef{Path: item.Path, Index: item.Index}] = item
	}
	var results []report.Result
	for _, s := range steps {
		var found api.AttributeValueList
		for i := range s.Results {
			if s.Results[i].Severity != fnresult.SeverityInfo {
				found = append(found, rowOf(&s.Results[i], root, at))
			}
		}
		if s.Err != nil && len(found) == 0 {
			found = append(found, api.AttributeValue{
				Score: "High", Position: &api.Position{File: diag.FileName(root)},
				Issues: []api.Issue{{Message: r.masked(s.Err).Error()}},
			})
		}
		result := report.Checked(s.Step.Name, "A KRM function", diag.FileName(root), found)
		result.Response.ValidationFailed = s.Err != nil || o.failure([]*krm.StepResult{s}) != nil
		results = append(results, result)
	}
	text, err := report.RenderReport(report.Kind(o.report.Value), results)
	if err != nil {
		return err
	}
	return r.app.Write(text)
}

// rowOf returns a result of a function as a row of a report. at has the resources by where they are.
func rowOf(result *fnresult.Result, root string, at map[fnresult.FileRef]*krm.Item) api.AttributeValue {
	row := api.AttributeValue{
		Score: "High", Position: &api.Position{File: diag.FileName(root)},
		Issues: []api.Issue{{Message: result.Message}},
	}
	if result.Severity == fnresult.SeverityWarning {
		row.Score = "Medium"
	}
	row.ResourceType = api.ResourceType(result.ResourceRef.String())
	if result.Field != nil {
		row.Path = api.ResolvedPath(result.Field.Path)
	}
	if result.File == nil || result.File.Path == "" {
		return row
	}
	row.Position.File = diag.FileName(filepath.Join(root, filepath.FromSlash(result.File.Path)))
	item := at[*result.File]
	if item == nil {
		return row
	}
	value := item.Doc.Value()
	path := strings.NewReplacer("[", ".", "]", "").Replace(string(row.Path)) // as functions write it
	for segment := range strings.SplitSeq(path, ".") {
		below := value.Get(segment)
		if n, err := strconv.Atoi(segment); err == nil {
			below = value.Index(n)
		}
		if !below.Exists() { // a missing field is reported at its parent
			break
		}
		value = below
	}
	pos := value.Position()
	row.Position.Line, row.Position.Column = pos.Line, pos.Column
	return row
}
