package handler

import (
	"errors"
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
	value, err := renderTemplate(fc, arg.Value.(string)) // normalize has seen to it that it is one, and a string
	if err != nil {
		return f.expressionError(arg, err)
	}
	*arg = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
	return f.convert(arg, f.parameterIndex(arg.ParameterName))
}

func (f *function) expressionError(arg *api.FunctionArgument, err error) *ArgumentError {
	problem := f.problem(arg.ParameterName, "argument %s: %v", arg.ParameterName, err)
	problem.Value, problem.Err = arg.Value, err
	if e, ok := errors.AsType[*TemplateError](err); ok {
		problem.HintText = e.Hint
	}
	return problem
}
