package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// Identity identifies a finding of a validation within its file. It does not contain the position,
// which changes when lines move.
type Identity struct {
	Resource string // type and name
	Function string
	// as reports show it: the name of the step or the function, and what was violated
	Rule    string
	Path    string
	Message string
}

// Accept removes the findings that accepted accepts from the validation results, which it changes.
// It returns their number. A result without other findings passes.
func (r Result) Accept(accepted func(Identity) bool) int {
	n, failed := 0, false
	for _, o := range r.Response.Outputs {
		list, ok := o.Value.(api.ValidationResultList)
		for i := range list {
			if ok && !list[i].Passed {
				n += r.accept(&list[i], accepted)
			}
			failed = failed || !list[i].Passed
		}
	}
	if n > 0 {
		r.Response.ValidationFailed = failed
	}
	return n
}

// DropRepeated removes the findings about values about which an earlier function of the chain has
// one, so that a bad value is one finding. It comes before Accept.
func (r Result) DropRepeated() {
	type place struct{ resource, path string }
	first := map[place]string{} // the function
	r.Accept(func(f Identity) bool {
		at := place{f.Resource, f.Path}
		if _, known := first[at]; !known {
			first[at] = f.Function
		}
		return f.Path != "" && first[at] != f.Function
	})
	for _, o := range r.Response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		for i := range list {
			list[i].Ignored = 0 // Accept has counted them
		}
	}
}

// Broken returns the resources with findings that are not accepted, by the index of the invocation.
// Of the resources, only types and names are set.
func (r Result) Broken(accepted func(Identity) bool) map[int][]api.ResourceInfo {
	all := map[int][]api.ResourceInfo{}
	for _, result := range r.results() {
		if result.Passed {
			continue
		}
		for _, f := range r.stepFindings(result) {
			t, name, _ := strings.Cut(f.Resource, " ")
			if f.Resource != "" && !accepted(f.identity()) {
				all[result.Index] = append(all[result.Index], api.ResourceInfo{
					ResourceType: api.ResourceType(t), ResourceName: api.ResourceName(name),
				})
			}
		}
	}
	return all
}

// accept is Accept for one result.
func (r Result) accept(result *api.ValidationResult, accepted func(Identity) bool) int {
	findings := r.stepFindings(*result)
	left := *result
	switch {
	case len(findings) == 0:
		return 0
	case len(result.Details) == 0 && len(result.FailedAttributes) == 0:
		left.Passed = accepted(findings[0].identity())
	default:
		r.acceptRows(result, &left, accepted)
		left.Passed = len(left.Details) == 0 && len(left.FailedAttributes) == 0
	}
	after := 0
	if left.Passed {
		left.Score, left.Reason = "", ""
	} else {
		after = len(r.stepFindings(left))
	}
	n := len(findings) - after
	left.Ignored += n
	if n > 0 {
		*result = left
	}
	return n
}

// acceptRows removes accepted attributes from left, and the details that repeat them or are
// accepted themselves.
func (r Result) acceptRows(result, left *api.ValidationResult, accepted func(Identity) bool) {
	left.FailedAttributes, left.Details, left.Locations = nil, nil, nil
	rows := len(result.FailedAttributes)
	kept := make([]bool, rows)
	known, stays := map[string]bool{}, map[string]bool{} // resources with attributes
	for i, row := range result.FailedAttributes {
		resource := row.ResourceInfo.String()
		known[resource] = true
		if kept[i] = r.keeps(result, &row, accepted); kept[i] {
			stays[resource] = true
			left.FailedAttributes = append(left.FailedAttributes, row)
		}
	}
	for i, detail := range result.Details {
		keep := false
		switch located := i < len(result.Locations); {
		case located && known[result.Locations[i].Resource]:
			keep = stays[result.Locations[i].Resource]
		case !located && rows == len(result.Details): // the detail of each attribute
			keep = kept[i]
		case !located && rows > 0:
			keep = len(left.FailedAttributes) > 0
		default:
			keep = !accepted(r.ofStep(*result, []finding{r.detailFinding(result, i)})[0].identity())
		}
		if keep {
			left.Details = append(left.Details, detail)
			if i < len(result.Locations) {
				left.Locations = append(left.Locations, result.Locations[i])
			}
		}
	}
}

// keeps reports whether a row has findings that are not accepted. It removes accepted issues from
// the row.
func (r Result) keeps(result *api.ValidationResult, row *api.AttributeValue,
	accepted func(Identity) bool,
) bool {
	findings := r.ofStep(*result, attributeFindings(r.finding(*result), row))
	if len(row.Issues) == 0 {
		return !accepted(findings[0].identity())
	}
	var issues []api.Issue
	for i := range findings {
		if !accepted(findings[i].identity()) {
			issues = append(issues, row.Issues[i])
		}
	}
	row.Issues = issues
	return len(issues) > 0
}

// detailFinding returns the finding of a detail that no attribute repeats.
func (r Result) detailFinding(result *api.ValidationResult, i int) finding {
	f := r.finding(*result)
	f.Message = result.Details[i]
	if i < len(result.Locations) {
		f.Resource, f.Position = result.Locations[i].Resource, result.Locations[i].Position
		f.Position.File = cmp.Or(f.Position.File, r.File)
	}
	return f
}

func (f finding) identity() Identity {
	return Identity{
		Resource: f.Resource, Function: f.Function, Rule: f.rule(), Path: f.Path,
		Message: f.Message,
	}
}

// Rules returns the rules of a chain: the names of its validating steps, and their functions.
func Rules(signatures []api.FunctionSignature, invocations api.FunctionInvocationList) []string {
	var all []string
	for i, s := range signatures {
		if !s.Validating {
			continue
		}
		all = append(all, s.FunctionName)
		if i < len(invocations) && invocations[i].Name != "" {
			all = append(all, invocations[i].Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
