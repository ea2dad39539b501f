package do

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// judge returns the response for a unit as the options judge it: they decide which notes are
// failures, and which findings are accepted. The response itself stays as it is.
func (l *loop) judge(o *outcome, unit *source.InputUnit, chain *plan.Plan,
	answer *handler.Result,
) *handler.Result {
	response := *answer
	response.Functions, response.Notes = slices.Clone(answer.Functions), slices.Clone(answer.Notes)
	response.Failures = slices.Clip(answer.Failures)
	response.ErrorMessages = slices.Clip(answer.ErrorMessages)
	response.Outputs = slices.Clone(answer.Outputs)
	for i, output := range response.Outputs {
		if list, ok := output.Value.(api.ValidationResultList); ok {
			response.Outputs[i].Value = slices.Clone(list)
		}
	}
	if l.chain.Defaults { // one of them may have nothing to do if another one has
		dropUnmatched(&response)
	}
	if l.options.Settings.Strict {
		l.failUnmatched(&response)
	}
	l.refuse(&response)
	l.accept(o, unit, chain, &response)
	return &response
}

// accept removes the findings that annotations and the baseline accept from the results of a unit.
func (l *loop) accept(o *outcome, unit *source.InputUnit, chain *plan.Plan,
	response *handler.Result,
) {
	if !response.ValidationFailed && l.baseline == nil {
		return
	}
	result := report.Result{
		File: unit.File, Signatures: chain.Signatures, Invocations: chain.Invocations,
		Response: response,
	}
	if l.chain.Defaults {
		result.DropRepeated()
	}
	if len(l.provided) > 0 {
		result.Drop(func(f report.Identity) bool { return l.isProvided(f.Missing) })
	}
	ignored := l.ignoredRules(unit, response)
	file := ""
	if l.baseline != nil {
		file = l.baseline.File(o.file.Path)
	}
	accepted := func(f report.Identity) string {
		switch {
		case accepts(ignored[f.Resource], f):
			return report.InSource
		case l.options.Learn:
			l.missing.add(f.Missing)
		case l.baseline == nil:
			return ""
		case l.options.WriteBaseline != "":
			l.baseline.Add(l.finding(file, f))
		case !l.baseline.Accepts(l.finding(file, f)):
			return ""
		}
		return report.External
	}
	if len(ignored) > 0 || l.options.Learn || l.baseline != nil {
		o.accepted = result.Accept(accepted)
	}
	if l.options.Settings.Strict {
		failUnchecked(response)
	}
	response.Notes = append(response.Notes, l.misspelledRules(ignored)...)
}

// refuse turns the notes that --require-match and --strict do not accept into failures. With several
// units, --require-match is checked for all of them together, in unmatched.
func (l *loop) refuse(response *handler.Result) {
	var kept []api.Note
	for _, n := range response.Notes {
		f := &api.Failure{
			Pos: n.Pos, Function: n.Function, Invocation: n.Invocation,
			Message: n.Text(),
		}
		switch {
		case n.Kind.Unmatched() && !l.request.found.Several && l.mustMatch(n):
			f.Class = api.FailureFunction
		case n.Kind == api.NoteNamelessDocument && !l.options.Settings.Strict:
			continue
		case l.options.Settings.Strict &&
			(n.Kind == api.NoteSkippedDocument || n.Kind == api.NoteNamelessDocument):
			f.Class = api.FailureInput
			if !hasSchema(response, n.Pos) {
				f.Hint = report.NoSchemaHint
			}
			failUnchecked(response)
		default:
			kept = append(kept, n)
			continue
		}
		response.Failures = append(response.Failures, f)
		response.ErrorMessages = append(response.ErrorMessages, f.Error())
		response.Success = false
	}
	response.Notes = kept
}

// dropUnmatched removes what says that some functions matched nothing, if others matched something.
func dropUnmatched(response *handler.Result) {
	if !slices.ContainsFunc(response.Functions, func(f handler.Outcome) bool {
		return f.Ran && f.Unmatched == nil
	}) {
		return
	}
	for i := range response.Functions {
		response.Functions[i].Unmatched = nil
	}
	response.Notes = slices.DeleteFunc(response.Notes, func(n api.Note) bool {
		return n.Kind == api.NoteNothingMatched
	})
}

// failUnmatched fails validations that checked nothing. With several units, one that checked
// nothing in this unit may have checked something in another one, so its result is dropped.
func (l *loop) failUnmatched(response *handler.Result) {
	unmatched := func(r api.ValidationResult) bool {
		return r.Passed && r.Index < len(response.Functions) &&
			response.Functions[r.Index].Unmatched != nil
	}
	for i := range response.Outputs {
		list, ok := response.Outputs[i].Value.(api.ValidationResultList)
		switch {
		case !ok || !slices.ContainsFunc(list, unmatched):
		case l.request.found.Several:
			response.Outputs[i].Value = slices.DeleteFunc(list, unmatched)
		default:
			for k := range list {
				list[k].Passed = list[k].Passed && !unmatched(list[k])
			}
		}
	}
}

// failUnchecked fails validations that could not check everything.
func failUnchecked(response *handler.Result) {
	for _, o := range response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		for i := range list {
			list[i].Passed = list[i].Passed && len(list[i].Unchecked) == 0
		}
	}
}

// hasSchema reports whether no validation lacked the schema of a resource at a position.
func hasSchema(response *handler.Result, at api.Position) bool {
	for _, o := range response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		for _, v := range list {
			if slices.ContainsFunc(v.Unchecked, func(u api.Unchecked) bool {
				return u.NoSchema && u.Position.Line == at.Line && u.Position.Column == at.Column
			}) {
				return false
			}
		}
	}
	return true
}
