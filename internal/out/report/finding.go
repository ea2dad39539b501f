package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// finding is one finding of a validation, or a problem because of which a function could not
// validate.
type finding struct {
	Position api.Position
	Resource string // type and name
	Function string
	Name     string // of the step of the chain, if it has one
	Path     string
	Rule     string // what was violated, if the function names it
	Score    string
	Message  string
	// Missing is the resource that the input lacks, see [api.AttributeValue], and Also are the other
	// places that refer to it.
	Missing string
	Also    []api.Position
	// Unchecked is the resources that could not be checked, if the finding is about them.
	Unchecked *api.Unchecked
	// Filter reports that a filter did not pass, which is not a failure.
	Filter bool
	// Exception is the place that accepts the finding, "" for none.
	Exception string
}

// finding returns what the findings of a validation have in common.
func (r Result) finding(result api.ValidationResult) finding {
	f := finding{
		Position: api.Position{File: r.File}, Function: result.FunctionName,
		Score: result.Score,
	}
	if step := r.step(result); step != nil {
		f.Name = step.Name
	}
	return f
}

// step returns the invocation that produced a result, nil if it is not known.
func (r Result) step(result api.ValidationResult) *api.FunctionInvocation {
	if i := result.Index; i < len(r.Invocations) &&
		r.Invocations[i].FunctionName == result.FunctionName {
		return &r.Invocations[i]
	}
	return nil
}

// findingsOf returns the findings of all results that did not pass, by position.
func (r Result) findingsOf(results api.ValidationResultList) []finding {
	var all []finding
	for _, result := range results {
		if !result.Passed {
			all = append(all, r.stepFindings(result)...)
		}
	}
	byPosition := func(a, b *finding) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column))
	}
	// Findings are large: sorting moves pointers.
	order := make([]*finding, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	if slices.IsSortedFunc(order, byPosition) {
		return all
	}
	slices.SortStableFunc(order, byPosition)
	sorted := make([]finding, len(all))
	for i, f := range order {
		sorted[i] = *f
	}
	return sorted
}

// stepFindings returns the findings of one result, with the message and the severity of its step.
func (r Result) stepFindings(result api.ValidationResult) []finding {
	return r.ofStep(result, r.resultFindings(result))
}

// ofStep gives findings of a result the message and the severity of its step.
func (r Result) ofStep(result api.ValidationResult, all []finding) []finding {
	if step := r.step(result); step != nil {
		for i := range all {
			all[i].Message = cmp.Or(step.Message, all[i].Message)
			all[i].Score = cmp.Or(step.Severity, all[i].Score)
		}
	}
	if len(r.joined) == 0 {
		return all
	}
	for i := range all {
		if all[i].Missing == "" {
			continue
		}
		if at := r.joined[all[i].lack()]; at != nil {
			all[i].Also = at.also
		}
	}
	return all
}

// lack identifies a missing resource as one validation reports it.
type lack struct{ rule, missing string }

func (f finding) lack() lack { return lack{f.rule(), f.Missing} }

// places are where findings lack the same resource: the first of all units, and the others.
type places struct {
	first api.Position
	also  []api.Position
}

// join leaves one finding about each missing resource, the first of all units, which has the places
// of the others in joined. It returns the findings that are left.
func (r *Result) join(joined map[lack]*places) []finding {
	all := r.findingsOf(r.results())
	repeated := false
	for i := range all {
		if all[i].Missing == "" {
			continue
		}
		if at := joined[all[i].lack()]; at == nil {
			joined[all[i].lack()] = &places{first: all[i].Position}
		} else {
			at.also, repeated = append(at.also, all[i].Position), true
		}
	}
	r.joined = joined
	if !repeated {
		return all
	}
	r.remove(func(f finding) bool {
		return f.Missing != "" && joined[f.lack()].first != f.Position
	}, silently)
	return r.findingsOf(r.results())
}

// mostAlso is how many other places a line of text has.
const mostAlso = 5

// message returns the message with the other places, of which it shows no more than most.
func (f finding) message(most int) string {
	if len(f.Also) == 0 {
		return f.Message
	}
	var places []string
	for _, at := range f.Also[:min(len(f.Also), most)] {
		places = append(places, at.String())
	}
	text := f.Message + "; also at " + strings.Join(places, ", ")
	if more := len(f.Also) - len(places); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// resultFindings returns one finding for each failed attribute and for each detail that no
// attribute repeats.
func (r Result) resultFindings(result api.ValidationResult) []finding {
	base := r.finding(result)
	all := make([]finding, 0, max(len(result.FailedAttributes), 1))
	inAttributes := map[string]bool{} // located resources with failed attributes
	for i := range result.FailedAttributes {
		row := &result.FailedAttributes[i]
		all = attributeFindings(all, base, row)
		if len(result.Locations) > 0 {
			inAttributes[row.ResourceInfo.String()] = true
		}
	}
	for i := range result.Details {
		// Details repeat the failed attributes, for programs that do not print attributes.
		if len(result.FailedAttributes) > 0 && (i >= len(result.Locations) ||
			inAttributes[result.Locations[i].Resource]) {
			continue
		}
		all = append(all, r.detailFinding(&result, i))
	}
	if len(result.Details) == 0 && len(result.FailedAttributes) == 0 && len(result.Unchecked) == 0 {
		base.Message = cmp.Or(result.Reason, "did not pass")
		all = append(all, base)
	}
	return all
}

// attributeFindings appends a finding for each issue of an attribute, or one if it has no issues.
func attributeFindings(all []finding, f finding, row *api.AttributeValue) []finding {
	if row.Position != nil {
		f.Position = *row.Position
	}
	f.Resource, f.Path = row.ResourceInfo.String(), string(row.Path)
	f.Score, f.Missing = cmp.Or(row.Score, f.Score), row.Missing
	if len(row.Issues) == 0 {
		if f.Message = row.Reason; f.Message == "" {
			f.Message = aboutValue(row)
		}
		return append(all, f)
	}
	for _, issue := range row.Issues {
		f.Rule, f.Message = issue.Identifier, issue.Message
		all = append(all, f)
	}
	return all
}

// aboutValue returns the message of an attribute that gives no reason.
func aboutValue(row *api.AttributeValue) string {
	if value := cell(row.Value); row.Value != nil && value != "" {
		return "the value is " + value
	}
	return row.Comment
}

// uncheckedFindings returns what the validations could not check. Such a finding is an error if a
// failure reports it too, as with --strict.
func (r Result) uncheckedFindings(results api.ValidationResultList) []finding {
	var all []finding
	for _, result := range results {
		for _, u := range result.Unchecked {
			f := r.finding(result)
			f.Resource, f.Unchecked = string(u.ResourceType), &u
			f.Message = "unchecked: " + f.reason()
			if u.Position != nil {
				f.Position = *u.Position
			}
			if !slices.ContainsFunc(r.Response.Failures, f.repeats) {
				f.Score = "none"
			}
			all = append(all, f)
		}
	}
	return all
}

// filterFindings returns the filters that did not pass.
func (r Result) filterFindings() []finding {
	var all []finding
	for _, n := range r.Response.Notes {
		if n.Kind == api.NoteFilter {
			all = append(all, finding{
				Position: api.Position{File: r.File}, Function: n.Function,
				Name: n.Invocation, Score: "none", Message: n.Message, Filter: true,
			})
		}
	}
	return all
}

// reason returns why resources could not be checked, and how many they are.
func (f finding) reason() string {
	if f.Unchecked.Count > 1 {
		return fmt.Sprintf("%s (%d resources)", f.Unchecked.Reason, f.Unchecked.Count)
	}
	return f.Unchecked.Reason
}

// unchecked returns the number of resources that could not be checked, 0 for other findings.
func (f finding) unchecked() int {
	if f.Unchecked == nil {
		return 0
	}
	return f.Unchecked.Count
}

// repeats reports whether a failure reports the same unchecked resources as f.
func (f finding) repeats(failure *api.Failure) bool {
	return failure.Function == f.Function && failure.Pos.Line == f.Position.Line &&
		failure.Pos.Column == f.Position.Column
}

// failures returns the problems of a unit, except those that report unchecked resources.
func (r Result) failures() []finding {
	unchecked := r.uncheckedFindings(r.results())
	return failureFindings(r.File, slices.DeleteFunc(slices.Clone(r.Response.Failures),
		func(failure *api.Failure) bool {
			return slices.ContainsFunc(unchecked, func(f finding) bool {
				return f.repeats(failure)
			})
		}))
}

// failureFindings returns the failures of a response as findings.
func failureFindings(file string, failures []*api.Failure) []finding {
	all := make([]finding, len(failures))
	for i, f := range failures {
		all[i] = finding{
			Position: f.Pos, Resource: f.Resource, Function: f.Function,
			Name: f.Invocation, Path: f.Path, Message: f.Message,
		}
		all[i].Position.File = cmp.Or(f.Pos.File, file)
	}
	return all
}

// text returns the message after its subject (resource, label, path and rule), without the
// position. Control characters are escaped.
func (f finding) text() string {
	return diag.PrintableLines(strings.Join(slices.DeleteFunc([]string{
		f.Resource, f.label(),
		f.Path, f.Rule, f.message(mostAlso),
	}, func(s string) bool {
		return s == ""
	}), ": "))
}

// label returns the name by which people know the validation: that of its step, or its function.
func (f finding) label() string { return cmp.Or(f.Name, f.Function) }

// findings prints findings, one per line.
func (s Terminal) findings(all []finding) []byte {
	var b []byte
	for _, f := range all {
		b = append(b, s.head(diag.Printable(f.Position.String())+":")+" "+oneLine(f.text())+"\n"...)
	}
	return b
}

// lines prints results as compilers do: a line for each finding, beginning with a position that
// terminals and editors turn into a link.
func (s Terminal) lines(r Result, results api.ValidationResultList) []byte {
	b := s.findings(append(r.findingsOf(results), r.uncheckedFindings(results)...))
	return append(b, s.passed(r, results)...)
}

// passed prints the results that passed, one per line.
func (s Terminal) passed(r Result, results api.ValidationResultList) []byte {
	var b []byte
	for _, v := range results {
		if v.Passed && len(v.Unchecked) == 0 {
			b = append(b, s.head(diag.Printable(r.File)+":")+" "+r.finding(v).label()+
				": passed\n"...)
		}
	}
	return b
}
