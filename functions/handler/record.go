package handler

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/where"
)

// refuse records that a step was not run because of its arguments.
func (r *run) refuse(s *step) {
	r.response.Functions[s.index].Failed = true
	r.fail(s.failures(s.err, api.FailureUsage))
}

// failed records that a step was run and failed.
func (r *run) failed(s *step, res stepResult) {
	outcome := &r.response.Functions[s.index]
	outcome.Ran, outcome.Failed = true, true
	r.note(s, res.report.Notes...)
	r.fail(s.failures(res.err, api.FailureFunction))
}

// failures returns the failures in err, labelled with the invocation of the step.
func (s *step) failures(err error, class api.FailureClass) []*api.Failure {
	failures := failuresOf(err, s.name, class)
	for _, f := range failures {
		if f.Function == s.name {
			f.Invocation = s.invocation
		}
	}
	return failures
}

// succeeded records the result of a step. It returns false if a filter did not pass, which ends the
// chain without a failure.
func (r *run) succeeded(s *step, res stepResult) bool {
	outcome := &r.response.Functions[s.index]
	outcome.Ran, outcome.Seen = true, res.seen
	outcome.Counted, outcome.Matches = res.report.Counted, res.report.Matches
	r.note(s, res.report.Notes...)
	r.noteNothingMatched(s, res)
	if s.f.Validating && !passed(res.output) {
		if s.filter {
			r.note(s, api.Note{
				Kind:    api.NoteFilter,
				Message: "the filter did not pass; later functions were not run",
			})
			return false
		}
		r.response.ValidationFailed = true
	}
	if !r.outputs.add(s, res.output) {
		r.note(s, api.Note{
			Message: fmt.Sprintf("functions with unmergeable output types; output of %s discarded",
				s.name),
		})
	}
	return true
}

// noteDeprecated reports deprecated names of the function and of its parameters, and what to write
// instead.
func (r *run) noteDeprecated(s *step, args []api.FunctionArgument) {
	if s.f == nil {
		return
	}
	signature := s.f.signature()
	r.note(s, DeprecatedParameters(signature, args)...)
	if !signature.Deprecated {
		return
	}
	message := "this function is deprecated"
	if s.name != s.f.FunctionName {
		message = "this name is deprecated, the function is called " + s.f.FunctionName
	}
	r.note(s, api.Note{Message: message})
}

// noteNothingMatched reports that a step had nothing to do. If the request's where-expression
// selects no resource, that is reported once instead of for every step.
func (r *run) noteNothingMatched(s *step, res stepResult) {
	note := api.Note{Kind: api.NoteNothingMatched}
	switch where := where.And(r.where, s.where); {
	case where != nil && res.seen == 0:
		text := where.String()
		if r.whereText != "" {
			text = strings.Replace(text, r.given, r.whereText, 1)
		}
		note.Kind, note.Message = api.NoteNothingSelected, "no resource satisfies "+text
		if s.where != nil {
			note.Function, note.Invocation = s.name, s.invocation
		}
		note.Suggestion = suggestion(res.report.Nearest)
	case res.report.Counted && res.report.Matches == 0:
		note.Function, note.Invocation, note.Message = s.name, s.invocation, s.nothingMatched()
		if res.report.Missing != "" {
			note.Kind, note.Message = api.NoteNothingGiven, res.report.Missing
		} else {
			note.Suggestion = suggestion(res.report.Nearest)
		}
	default:
		return
	}
	r.response.Functions[s.index].Unmatched = new(note)
	if !slices.Contains(r.response.Notes, note) {
		r.response.Notes = append(r.response.Notes, note)
	}
}

// suggestion asks whether a name was meant; empty without a name.
func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return configkit.DidYouMean("", []string{name})
}

// nothingMatched returns a message with the arguments that say where to look.
func (s *step) nothingMatched() string {
	// The arguments before the value say where the function looked. Without a declared parameter
	// for the value, the last one of a path visitor is the value.
	value := s.f.ValueParameter
	if n := len(s.f.Parameters); value == "" && n > 0 && s.f.Mutating &&
		s.f.FunctionType == api.FunctionTypePathVisitor {
		value = s.f.Parameters[n-1].ParameterName
	}
	var where []string
	for _, a := range s.args {
		if a.ParameterName == value {
			break
		}
		where = append(where, a.ParameterName+" "+configkit.Abbreviate(fmt.Sprint(a.Value)))
	}
	if len(where) == 0 {
		return "nothing matched"
	}
	return "nothing matched " + strings.Join(where, ", ")
}

// note records notes of a step. Notes about the unit are merged with equal ones.
func (r *run) note(s *step, notes ...api.Note) {
	for _, n := range notes {
		n.Function, n.Invocation = s.name, s.invocation
		if n.Kind == api.NoteUnit {
			if i := slices.IndexFunc(r.response.Notes,
				func(known api.Note) bool { return known.Key() == n.Key() }); i >= 0 {
				r.response.Notes[i].Add(n)
				continue
			}
		}
		r.response.Notes = append(r.response.Notes, n)
	}
}

// fail records failures. If several functions find the same problem in the input, it is reported
// once.
func (r *run) fail(failures []*api.Failure) {
	for _, f := range failures {
		known := f.Class == api.FailureInput &&
			slices.ContainsFunc(r.response.Failures, func(g *api.Failure) bool {
				return g.Class == f.Class && g.Pos == f.Pos && g.Message == f.Message
			})
		if !known {
			r.response.Failures = append(r.response.Failures, f)
		}
	}
}

// compare returns what the chain changed in the documents of a part, if that was asked for.
func (r *run) compare(
	p *unitPart, provider configkit.ResourceProvider, documents gaby.Container,
) *Changes {
	switch {
	case !r.compares:
		return nil
	case !r.lists && slices.Equal(p.original, documents):
		return edits(documents)
	}
	c, err := compare(p.original.At(p.marks), documents, provider)
	if err != nil {
		return nil
	}
	return c
}

// finish completes the response.
func (r *run) finish() *Result {
	if !r.inParts {
		if len(r.response.Parts) == 1 {
			r.response.ConfigData = r.response.Parts[0]
		} else {
			r.response.ConfigData = bytes.Join(r.response.Parts, nil)
		}
		r.response.Parts = nil
	}
	if r.file != "" {
		locate(r.outputs.list, r.file)
	}
	r.response.Outputs = r.outputs.list
	if r.combine {
		r.outputs.combineResults()
	}
	if !r.inParts {
		// An output that cannot be encoded as JSON can only be used in this process, so the error
		// is ignored.
		if t, text, err := r.outputs.list.First(); err == nil {
			r.response.OutputType, r.response.Output = t, text
		}
	}
	r.response.HasNewMutations = r.response.Changed
	if r.mutations {
		r.response.HasNewMutations = r.changedValues
		if r.response.Changed && !r.response.HasNewMutations {
			r.response.Notes = append(r.response.Notes, api.Note{
				Message: "no value changed; mutations do not record comments, the order of " +
					"resources or formatting",
			})
		}
	}
	r.response.Success = len(r.response.Failures) == 0
	r.response.ErrorMessages = errorMessages(r.response.Failures)
	return r.response
}

// errorMessages returns the messages of failures for the response, limited in number and length.
func errorMessages(failures []*api.Failure) []string {
	var messages []string
	for i, f := range failures {
		if left := len(failures) - i; i == api.MaxErrors-1 && left > 1 {
			return append(messages, fmt.Sprintf("and %d more errors", left))
		}
		text := f.Error()
		if runes := []rune(text); len(runes) > api.MaxErrorLength {
			text = string(runes[:api.MaxErrorLength-1]) + "…"
		}
		messages = append(messages, text)
	}
	return messages
}
