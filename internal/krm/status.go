package krm

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// The most that a Kptfile says of one function: results, and lines of its standard error.
const (
	statusResults = 10
	statusLines   = 20
)

// HasStatus reports whether the Kptfile says that the package was rendered successfully.
func (r *Rendered) HasStatus() bool {
	for c := range r.Kptfile.Doc.Value().Get("status").Get("conditions").Entries() {
		if c.Get("type").EqualText("Rendered") && c.Get("status").EqualText("True") {
			return true
		}
	}
	return false
}

// SetStatus records in the Kptfile of the root whether the package was rendered, and what its
// functions did: a part of it where it is long, with a pointer to file, which has all of it. failed is
// why it was not rendered. The other conditions stay.
func (r *Rendered) SetStatus(failed error, file string) error {
	if len(r.Results) == 0 {
		return nil
	}
	doc := r.Kptfile.Doc
	var conditions []any
	for c := range doc.Value().Get("status").Get("conditions").Entries() {
		if !c.Get("type").EqualText("Rendered") {
			conditions = append(conditions, c)
		}
	}
	condition := fnresult.Present("type", "Rendered", "status", "True", "reason", "RenderSuccess")
	if failed != nil {
		condition = fnresult.Present("type", "Rendered", "status", "False", "reason", "RenderFailed",
			"message", failed.Error())
	}
	conditions = append(conditions, condition)
	if _, err := doc.Set(conditions, "status", "conditions"); err != nil {
		return r.Kptfile.located(err)
	}
	status := gaby.Entries{}
	for _, kind := range []struct {
		key   string
		check bool
	}{{"mutationSteps", false}, {"validationSteps", true}} {
		var steps []any
		for _, result := range r.Results {
			if result.Step.Check == kind.check {
				step := result.capped(file).entry(result.Step.Label)
				if result.Skipped != "" {
					step = append(step, gaby.Entry{Key: "skipped", Value: true})
				}
				steps = append(steps, step)
			}
		}
		if len(steps) > 0 {
			status = append(status, gaby.Entry{Key: kind.key, Value: steps})
		}
	}
	if failed != nil {
		status = append(status, gaby.Entry{Key: "errorSummary", Value: failed.Error()})
	}
	if _, err := doc.Set(status, "status", "renderStatus"); err != nil {
		return r.Kptfile.located(err)
	}
	return nil
}

// capped returns the part of the results that a Kptfile shows. file has all of them, "" for none.
func (r *StepResult) capped(file string) *StepResult {
	const worse = 3
	short := *r
	where := "--results-dir writes them to a file"
	if file != "" {
		where = file + " has all"
	}
	if left := len(r.Results) - statusResults; left > 0 {
		short.Results = nil
		for rank := range worse { // the worst first
			for i := range r.Results {
				if r.Results[i].Severity.Rank() == rank && len(short.Results) < statusResults {
					short.Results = append(short.Results, r.Results[i])
				}
			}
		}
		short.Results = append(short.Results, fnresult.Result{
			Severity: fnresult.SeverityInfo, Message: fmt.Sprintf("%d more results: %s", left, where),
		})
	}
	if lines := strings.Split(r.Stderr, "\n"); len(lines) > statusLines {
		short.Stderr = strings.Join(lines[:statusLines], "\n") + "\n..."
	}
	return &short
}
