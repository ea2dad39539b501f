package krm

import "github.com/fctl-dev/fctl/configkit/gaby"

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
// functions did. failed is why it was not. The other conditions stay.
func (r *Rendered) SetStatus(failed error) error {
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
	condition := present("type", "Rendered", "status", "True", "reason", "RenderSuccess")
	if failed != nil {
		condition = present("type", "Rendered", "status", "False", "reason", "RenderFailed",
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
				step := result.entry(result.Step.Label)
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
