package handler

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// failuresOf takes the error of a function apart: one failure for each problem, with everything the error types tell.
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
	// An error that only wraps a joined one, such as fmt.Errorf("...: %w", errors.Join(...)), stays one failure unless what
	// it wraps is located.
	return []*api.Failure{failureOf(err, function, class)}
}

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
