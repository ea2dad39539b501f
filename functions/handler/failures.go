package handler

import (
	"cmp"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// failuresOf splits the error of a function into failures, one for each problem, with everything
// the error types know.
func failuresOf(err error, function string, class api.FailureClass) []*api.Failure {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var failures []*api.Failure
		for _, e := range many.Unwrap() {
			failures = append(failures, failuresOf(e, function, class)...)
		}
		return failures
	}
	// An error that only wraps a joined one, such as fmt.Errorf("...: %w", errors.Join(...)), stays
	// a single failure. It gets the position of the first located error it wraps.
	return []*api.Failure{failureOf(err, function, class)}
}

// failureOf turns a single error into a failure. Position, path, hint and class come from the most
// specific error type in its chain; function and class are the defaults.
func failureOf(err error, function string, class api.FailureClass) *api.Failure {
	if f, ok := errors.AsType[*api.Failure](err); ok {
		c := *f
		if c.Class == 0 {
			c.Class = class
		}
		if c.Function == "" && c.Class != api.FailureInput {
			c.Function = function
		}
		return &c
	}
	f := &api.Failure{Class: class, Function: function, Message: err.Error(), Err: err}
	if class == api.FailureInput {
		f.Function = ""
	}
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Class, f.Function = api.FailureInput, ""
		f.Pos, f.Message, f.Hint = e.Pos, e.Msg, e.Hint
	}
	if e, ok := errors.AsType[*gaby.EditError](err); ok {
		f.Pos, f.Path, f.Message, f.Hint = e.Pos, e.Path, e.Msg, e.Hint
	}
	if e, ok := errors.AsType[*ArgumentError](err); ok {
		f.Class, f.Argument, f.Hint = api.FailureUsage, e.Parameter, e.Hint()
	}
	if e, ok := errors.AsType[*limit.Error](err); ok {
		f.Class = api.FailureFunction
		f.Hint = cmp.Or(f.Hint, e.Hint())
	}
	if e, ok := errors.AsType[*NotHermeticError](err); ok {
		f.Class, f.Hint = api.FailureUsage, e.Hint()
	}
	if e, ok := errors.AsType[*OutputTypeError](err); ok {
		f.Hint = e.Hint()
	}
	if e, ok := errors.AsType[*UnknownFunctionError](err); ok {
		f.Class, f.Hint, f.Function = api.FailureUsage, e.Hint(), ""
	}
	return f
}
