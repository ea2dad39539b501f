package handler

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/template"
)

// evaluate replaces arguments that are expressions by their values, which are then checked like
// other arguments. Expressions see the context and the parameters of the invocation.
func (f *function) evaluate(
	fc *api.FunctionContext, params map[string]string, args []api.FunctionArgument,
) ([]api.FunctionArgument, error) {
	if !slices.ContainsFunc(args, isExpression) {
		return args, nil
	}
	// An expression that fails does not keep the others from being evaluated: all problems are
	// reported. The list of the caller keeps the expressions.
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

// isExpression reports whether the value of an argument is to be evaluated.
func isExpression(a api.FunctionArgument) bool { return a.Evaluator != "" }

// evaluateArgument replaces one expression by its value, converted to the type of the parameter.
func (f *function) evaluateArgument(
	fc *api.FunctionContext, params map[string]string, arg *api.FunctionArgument,
) error {
	values := make(map[string]any, len(params))
	for name, value := range params {
		values[name] = value
	}
	// normalize checked the expression
	render, err := f.programs[arg.Evaluator].Get(arg.Value.(string))
	if err != nil {
		return f.expressionError(arg, err)
	}
	ctx := limit.Named(fc.Context(), func(err error) error {
		return failureOf(f.expressionError(arg, err), f.name, api.FailureFunction)
	})
	value, err := render(fc.WithContext(ctx), values)
	if err != nil {
		return f.expressionError(arg, err)
	}
	*arg = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
	return f.convert(arg, f.parameterIndex(arg.ParameterName))
}

// programs caches the compiled expressions of arguments, by evaluator.
type programs map[string]*expression.Programs[render]

// render returns the value of an expression as text.
type render func(fc *api.FunctionContext, params map[string]any) (string, error)

// newPrograms returns empty caches for the languages that an argument can be written in. A handler
// has one set of them, so that a chain over many files compiles an expression once.
func newPrograms() programs {
	return programs{
		api.EvaluatorCEL: expression.NewPrograms(cel.Language, func(text string) (render, error) {
			program, err := cel.CompileArgument(text)
			return func(fc *api.FunctionContext, params map[string]any) (string, error) {
				return program.EvalText(fc.Context(), &expression.Scope{
					Params: params, Context: expression.Context(fc),
				})
			}, err
		}),
		api.EvaluatorTemplate: expression.NewPrograms(template.Language,
			func(text string) (render, error) {
				program, err := template.Compile(text)
				return program.Render, err
			}),
	}
}

// expressionError returns an *ArgumentError for each problem of an expression, joined.
func (f *function) expressionError(arg *api.FunctionArgument, err error) error {
	var problems []error
	for _, err := range configkit.Unjoin(err) {
		problem := InvalidArgument(arg.ParameterName, "%w", err)
		problem.Function, problem.Value = f.name, arg.Value
		problems = append(problems, problem)
	}
	return errors.Join(problems...)
}
