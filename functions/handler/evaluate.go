package handler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode"

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
		return &ArgumentError{
			Function: f.name, Parameter: arg.ParameterName, Value: arg.Value, Err: err,
			Message: fmt.Sprintf("argument %s: %v", arg.ParameterName, err),
		}
	}
	*arg = api.FunctionArgument{ParameterName: arg.ParameterName, Value: value}
	return f.convert(arg, f.parameterIndex(arg.ParameterName))
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
