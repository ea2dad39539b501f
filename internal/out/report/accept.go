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
	// Missing is the resource that the input lacks, see [api.AttributeValue].
	Missing string
}

// Exceptions are findings that are accepted.
type Exceptions []finding

// Places where findings are accepted, in the words of SARIF.
const (
	InSource = "inSource" // by an annotation of the resource
	External = "external" // by a baseline
)

// Accept removes the findings that are accepted from the validation results, which it changes, and
// returns them. accepted returns the place that accepts a finding, "" for none. A result without
// other findings passes.
func (r Result) Accept(accepted func(Identity) (place string)) Exceptions {
	var all Exceptions
	r.remove(func(f finding) bool {
		f.Exception = accepted(f.identity())
		if f.Exception != "" {
			all = append(all, f)
		}
		return f.Exception != ""
	}, func(result *api.ValidationResult, n int) { result.Ignored += n })
	return all
}

// remove removes the findings that drop reports from the validation results, which it changes, and
// calls removed for each result with their number, which is not 0.
func (r Result) remove(
	drop func(finding) bool, removed func(result *api.ValidationResult, n int),
) {
	any, failed := false, false
	for _, o := range r.Response.Outputs {
		list, ok := o.Value.(api.ValidationResultList)
		for i := range list {
			if ok && !list[i].Passed {
				if n := r.removeFrom(&list[i], drop); n > 0 {
					removed(&list[i], n)
					any = true
				}
			}
			failed = failed || !list[i].Passed
		}
	}
	if any {
		r.Response.ValidationFailed = failed
	}
}

// silently is for findings whose removal is not counted.
func silently(*api.ValidationResult, int) {}

// Drop removes the findings that are none, such as those about resources that the cluster has.
func (r Result) Drop(none func(Identity) bool) {
	drop := func(f finding) bool { return none(f.identity()) }
	for _, result := range r.results() { // in most runs there are none
		if !result.Passed && slices.ContainsFunc(r.stepFindings(result), drop) {
			r.remove(drop, silently)
			return
		}
	}
}

// DropRepeated removes the findings about values about which an earlier function of the chain has
// one, so that a bad value is one finding. It comes before Accept.
func (r Result) DropRepeated() {
	type place struct{ resource, path string }
	first := map[place]string{} // the function
	r.Drop(func(f Identity) bool {
		at := place{f.Resource, f.Path}
		if _, known := first[at]; !known {
			first[at] = f.Function
		}
		return f.Path != "" && first[at] != f.Function
	})
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

// removeFrom is remove for one result. It returns how many findings it removed.
func (r Result) removeFrom(result *api.ValidationResult, drop func(finding) bool) int {
	n, left := 0, *result
	counted := func(f finding) bool {
		dropped := drop(f)
		if dropped {
			n++
		}
		return dropped
	}
	if len(result.Details) == 0 && len(result.FailedAttributes) == 0 {
		for _, f := range r.stepFindings(*result) { // one, or none if resources are unchecked
			left.Passed = counted(f)
		}
	} else {
		r.removeRows(result, &left, counted)
		left.Passed = len(left.Details) == 0 && len(left.FailedAttributes) == 0
	}
	if left.Passed {
		left.Score, left.Reason = "", ""
	}
	if n > 0 {
		*result = left
	}
	return n
}

// removeRows removes dropped attributes from left, and the details that repeat them or are dropped
// themselves.
func (r Result) removeRows(result, left *api.ValidationResult, drop func(finding) bool) {
	left.FailedAttributes, left.Details, left.Locations = nil, nil, nil
	rows := len(result.FailedAttributes)
	kept := make([]bool, rows)
	stays := map[string]bool{} // of the resources with attributes, those that keep one
	for i, row := range result.FailedAttributes {
		if kept[i] = r.keeps(result, &row, drop); kept[i] {
			left.FailedAttributes = append(left.FailedAttributes, row)
		}
		if len(result.Locations) > 0 {
			resource := row.ResourceInfo.String()
			stays[resource] = stays[resource] || kept[i]
		}
	}
	for i, detail := range result.Details {
		keep, repeats := false, false
		located := i < len(result.Locations)
		if located {
			keep, repeats = stays[result.Locations[i].Resource]
		}
		switch {
		case repeats:
		case !located && rows == len(result.Details): // the detail of each attribute
			keep = kept[i]
		case !located && rows > 0:
			keep = len(left.FailedAttributes) > 0
		default:
			keep = !drop(r.ofStep(*result, []finding{r.detailFinding(result, i)})[0])
		}
		if keep {
			left.Details = append(left.Details, detail)
			if i < len(result.Locations) {
				left.Locations = append(left.Locations, result.Locations[i])
			}
		}
	}
}

// keeps reports whether a row has findings that are not dropped. It removes dropped issues from the
// row.
func (r Result) keeps(result *api.ValidationResult, row *api.AttributeValue,
	drop func(finding) bool,
) bool {
	findings := r.ofStep(*result, attributeFindings(nil, r.finding(*result), row))
	if len(row.Issues) == 0 {
		return !drop(findings[0])
	}
	var issues []api.Issue
	for i := range findings {
		if !drop(findings[i]) {
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
		Message: f.Message, Missing: f.Missing,
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
