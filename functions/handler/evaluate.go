package handler

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/functions/api"
)

// evaluate replaces the arguments that are expressions by their values and checks them like any other argument.
func (f *function) evaluate(fc *api.FunctionContext, args []api.FunctionArgument) ([]api.FunctionArgument, error) {
	isExpression := func(a api.FunctionArgument) bool { return a.Evaluator != "" }
	if !slices.ContainsFunc(args, isExpression) {
		return args, nil
	}
	args = slices.Clone(args)
	var problems []error
	for i := range args {
		if !isExpression(args[i]) {
			continue
		}
		if err := f.evaluateArgument(fc, &args[i]); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return args, f.checkArguments(args)
}

func (f *function) evaluateArgument(fc *api.FunctionContext, arg *api.FunctionArgument) error {
	var value string
	var err error
	switch text := arg.Value.(string); arg.Evaluator { // normalize has seen to it that it is a string
	case api.EvaluatorTemplate:
		value, err = renderTemplate(fc, text)
	default:
		err = fmt.Errorf("this executor has no evaluator for %s expressions: %w", arg.Evaluator, ErrUnsupportedRequest)
	}
	if err != nil {
		problem := &ArgumentError{
			Function: f.name, Parameter: arg.ParameterName, Value: arg.Value, Err: err,
			Message: fmt.Sprintf("argument %s: %v", arg.ParameterName, err),
		}
		if e, ok := errors.AsType[*TemplateError](err); ok {
			problem.HintText = e.Hint
		}
		return problem
	}
	*arg = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
	return f.convert(arg, f.parameterIndex(arg.ParameterName))
}
