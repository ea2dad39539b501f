// Package formula compiles the expressions of links.
//
// Layer: systems.
package formula

import (
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/template"
)

// Formula is a compiled expression.
type Formula struct {
	// Eval returns the value as text.
	Eval func(fc *api.FunctionContext, params map[string]any) (string, error)
	// Params are the parameters that the expression names, in order and without duplicates, and
	// Fields the fields of the context. Names that are computed are not known.
	Params, Fields []string
}

// Compile compiles an expression. An empty evaluator means template.
func Compile(evaluator, text string) (*Formula, error) {
	switch evaluator {
	case "", api.EvaluatorTemplate:
		p, err := template.Compile(text)
		if err != nil {
			return nil, err
		}
		params, fields := p.Names()
		return &Formula{p.Render, params, fields}, nil
	case api.EvaluatorCEL:
		p, err := cel.CompileArgument(text)
		if err != nil {
			return nil, err
		}
		params, fields := p.Names()
		return &Formula{func(fc *api.FunctionContext, params map[string]any) (string, error) {
			return p.EvalText(fc.Context(), &expression.Scope{Params: params, Context: expression.Context(fc)})
		}, params, fields}, nil
	}
	return nil, fmt.Errorf("unknown evaluator %q: there are template and cel", evaluator)
}

// Parameters returns the names of the parameters that an expression reads, for links that are
// written with flags.
func Parameters(evaluator, text string) ([]string, error) {
	p, err := Compile(evaluator, text)
	if err != nil {
		return nil, err
	}
	return p.Params, nil
}

// Text returns a value as text, as an expression would.
func Text(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		const noExponent = 1e15
		if v == float64(int64(v)) && v < noExponent && v > -noExponent {
			return strconv.FormatInt(int64(v), 10), nil
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("a value of type %T is not text, a number or a bool", value)
}
