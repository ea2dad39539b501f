package handler

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/expression"
	"github.com/fctl-dev/fctl/functions/expression/cel"
	"github.com/fctl-dev/fctl/functions/expression/template"
)

// evaluate replaces arguments that are expressions by their values, which are then checked like
// other arguments. Expressions see the context and the parameters of the invocation.
func (f *function) evaluate(
	fc *api.FunctionContext, params map[string]string, args []api.FunctionArgument,
) ([]api.FunctionArgument, error) {
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
		if err := f.evaluateArgument(fc, params, &args[i]); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return args, f.checkArguments(args)
}

// evaluateArgument replaces one expression by its value, converted to the type of the parameter.
func (f *function) evaluateArgument(
	fc *api.FunctionContext, params map[string]string, arg *api.FunctionArgument,
) error {
	values := make(map[string]any, len(params))
	for name, value := range params {
		values[name] = value
	}
	// normalize checked that it is a string
	value, err := f.programs.evaluate(arg.Evaluator, arg.Value.(string), fc, values)
	if err != nil {
		return f.expressionError(arg, err)
	}
	*arg = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
	return f.convert(arg, f.parameterIndex(arg.ParameterName))
}

// programs caches the compiled expressions of arguments.
type programs struct {
	cel      *expression.Programs[*cel.Program]
	template *expression.Programs[*template.Program]
}

func newPrograms() *programs {
	return &programs{
		cel:      expression.NewPrograms(cel.Language, cel.CompileArgument),
		template: expression.NewPrograms(template.Language, template.Compile),
	}
}

// check reports what is wrong with an expression, before there is anything to evaluate it on.
func (p *programs) check(evaluator, text string) error {
	var err error
	if evaluator == api.EvaluatorCEL {
		_, err = p.cel.Get(text)
	} else {
		_, err = p.template.Get(text)
	}
	return err
}

// evaluate returns the value of an expression as text.
func (p *programs) evaluate(
	evaluator, text string, fc *api.FunctionContext, params map[string]any,
) (string, error) {
	if evaluator == api.EvaluatorCEL {
		program, err := p.cel.Get(text)
		if err != nil {
			return "", err
		}
		return program.Text(&expression.Scope{Params: params, Context: expression.Context(fc)})
	}
	program, err := p.template.Get(text)
	if err != nil {
		return "", err
	}
	return program.Render(fc, params)
}

// expressionError returns an *ArgumentError for each problem of an expression, joined.
func (f *function) expressionError(arg *api.FunctionArgument, err error) error {
	var problems []error
	for _, err := range configkit.Unjoin(err) {
		problem := f.problem(arg.ParameterName, "argument %s: %v", arg.ParameterName, err)
		problem.Value, problem.Err = arg.Value, err
		if e, ok := errors.AsType[*expression.Error](err); ok {
			problem.HintText = e.Hint
		}
		problems = append(problems, problem)
	}
	return errors.Join(problems...)
}
