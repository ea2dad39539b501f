package handler

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/fctl-dev/fctl/api"
)

type partKey struct{}

// IsPart reports whether a PerDocument function is called for only a part of a unit. If the
// function has to see the whole unit after all, it returns ErrWholeUnit and is called again.
func IsPart(fc *api.FunctionContext) bool { return fc.Context().Value(partKey{}) != nil }

// ErrWholeUnit asks for a call with the whole unit; see IsPart.
var ErrWholeUnit = errors.New("the function must see the whole unit")

// Leave hands what a function found out about a part of a unit to the Join of its registration. The
// facts must not refer to the documents.
func Leave(fc *api.FunctionContext, facts any) {
	if part, ok := fc.Context().Value(partKey{}).(*any); ok {
		*part = facts
	}
}

// inPart returns the context for a call with a part. Leave stores the function's facts in *facts.
func inPart(fc *api.FunctionContext, facts *any) *api.FunctionContext {
	return fc.WithContext(context.WithValue(fc.Context(), partKey{}, facts))
}

// join calls the Join of a step with the facts of all parts. The notes of the result are those Join
// made.
func (s *step) join(fc *api.FunctionContext, parts []any) (res stepResult) {
	defer func() {
		if p := recover(); p != nil {
			res.err = &PanicError{Function: s.name, Value: p, Stack: debug.Stack()}
		}
	}()
	res.err = s.f.Join(fc.WithReport(&res.report), s.args, parts)
	return res
}

// joinParts calls the Joins of all steps. It reports false if the unit must be processed as a
// whole.
func (r *run) joinParts(parts []unitPart) bool {
	for i := range r.steps {
		s := &r.steps[i]
		if s.f.Join == nil {
			continue
		}
		facts := make([]any, len(parts))
		for j := range parts {
			facts[j] = parts[j].results[i].facts
		}
		joined := s.join(r.fc, facts)
		if joined.err != nil {
			return false // the sequential run meets the failure again and reports it
		}
		last := &parts[len(parts)-1].results[i].report
		last.Notes = append(last.Notes, joined.report.Notes...)
	}
	return true
}
