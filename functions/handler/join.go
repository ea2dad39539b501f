package handler

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/fctl-dev/fctl/api"
)

type partKey struct{}

// IsPart reports whether a function that works document by document is called for a part of a unit only. One that has to see the whole
// unit after all returns ErrWholeUnit and is called again.
func IsPart(fc *api.FunctionContext) bool { return fc.Context().Value(partKey{}) != nil }

// ErrWholeUnit asks for the whole unit, see IsPart.
var ErrWholeUnit = errors.New("the function has to see the whole unit")

// Leave keeps what a function has found out about a part of a unit for the Join of its registration. It must not refer to the documents.
func Leave(fc *api.FunctionContext, facts any) {
	if part, ok := fc.Context().Value(partKey{}).(*any); ok {
		*part = facts
	}
}

// inPart is the context of a call for a part. What the function leaves goes to facts.
func inPart(fc *api.FunctionContext, facts *any) *api.FunctionContext {
	return fc.WithContext(context.WithValue(fc.Context(), partKey{}, facts))
}

// join calls the Join of a step with what its calls for all parts left. It makes the notes of result.
func (s *step) join(fc *api.FunctionContext, parts []any) (res result) {
	defer func() {
		if p := recover(); p != nil {
			res.err = &PanicError{Function: s.name, Value: p, Stack: debug.Stack()}
		}
	}()
	res.err = s.f.Join(fc.WithReport(&res.report), s.args, parts)
	return res
}

// joinShards calls the Joins of all steps. It reports false when the unit has to be worked on in one piece.
func (r *run) joinShards(shards []shard) bool {
	for i := range r.steps {
		s := &r.steps[i]
		if s.f.Join == nil {
			continue
		}
		parts := make([]any, len(shards))
		for j := range shards {
			parts[j] = shards[j].results[i].facts
		}
		joined := s.join(r.fc, parts)
		if joined.err != nil {
			return false // a failure is met again where it can be reported
		}
		last := &shards[len(shards)-1].results[i].report
		last.Notes = append(last.Notes, joined.report.Notes...)
	}
	return true
}
