package handler

import (
	"fmt"
	"strings"
	"text/template"
	"unicode"

	"github.com/fctl-dev/fctl/functions/api"
)

// evaluate replaces the arguments that are expressions by their values and checks them like any other argument.
func (f *function) evaluate(fc *api.FunctionContext, args []api.FunctionArgument) ([]api.FunctionArgument, error) {
	evaluated := false
	for i := range args {
		arg := args[i]
		if arg.Evaluator == "" {
			continue
		}
		if !evaluated {
			args, evaluated = append([]api.FunctionArgument(nil), args...), true
		}
		if arg.Evaluator != api.EvaluatorTemplate {
			return nil, &ArgumentError{
				Function: f.name, Parameter: arg.ParameterName, Value: arg.Value, Err: ErrUnsupportedRequest,
				Message: fmt.Sprintf("argument %s: this executor has no evaluator for %s expressions", arg.ParameterName, arg.Evaluator),
			}
		}
		value, err := renderTemplate(fc, arg.Value.(string))
		if err != nil {
			return nil, &ArgumentError{
				Function: f.name, Parameter: arg.ParameterName, Value: arg.Value, Err: err,
				Message: fmt.Sprintf("argument %s: %v", arg.ParameterName, err),
			}
		}
		args[i] = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
		if err := f.convert(&args[i], f.parameterIndex(arg.ParameterName)); err != nil {
			return nil, err
		}
	}
	if evaluated && f.CheckArguments != nil {
		if err := f.CheckArguments(args); err != nil {
			return nil, f.asArgumentError(err)
		}
	}
	return args, nil
}

// renderTemplate renders a Go text template over the fields of the function's context.
func renderTemplate(fc *api.FunctionContext, text string) (string, error) {
	t, err := template.New("argument").Option("missingkey=error").Funcs(template.FuncMap{
		"normalizeName": NormalizeName,
		"toUpper":       strings.ToUpper,
		"toLower":       strings.ToLower,
		"trimSpace":     strings.TrimSpace,
		"trimPrefix":    strings.TrimPrefix,
		"trimSuffix":    strings.TrimSuffix,
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	// Of a value, not a pointer, a template sees the fields only and no methods.
	if err := t.Execute(&b, *fc); err != nil {
		return "", err
	}
	return b.String(), nil
}

// NormalizeName makes a name of any text: lower-case letters and digits, every run of anything else a single dash, none at
// the ends.
func NormalizeName(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash = false
			continue
		}
		dash = true
	}
	return b.String()
}
