package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/template"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// noID is the ID of what does not exist locally.
const noID = "00000000-0000-0000-0000-000000000000"

// Context returns the context in which functions and expressions see a unit. live says that they
// see its live state.
func Context(u *HeadUnit, live bool) api.FunctionContext {
	fc := api.FunctionContext{
		ToolchainType: u.ToolchainType, UnitSlug: u.Slug, UnitID: u.UnitID,
		UnitLabels: u.Labels, UnitAnnotations: u.Annotations,
		SpaceID: u.SpaceID, SpaceSlug: u.SpaceSlug, OrganizationID: noID,
		RevisionNum: u.HeadRevisionNum, NotLive: true, IsLiveState: live,
		PreviousDataHash: u.DataHash, Conflicts: u.Conflicts,
	}
	if u.HeadRevisionNum > 0 {
		fc.RevisionID = entity.RecordID(u.UnitID, "revision", u.HeadRevisionNum)
	}
	if s := u.Space; s != nil {
		fc.SpaceID, fc.SpaceSlug = s.SpaceID, s.Slug
		fc.SpaceLabels, fc.SpaceAnnotations, fc.TargetFacts = s.Labels, s.Annotations, s.TargetFacts
	}
	return fc
}

// formula is a compiled expression.
type formula struct {
	// eval returns the value as text.
	eval func(fc *api.FunctionContext, params map[string]any) (string, error)
	// params are the parameters that the expression names, in order and without duplicates, and
	// fields the fields of the context. Names that are computed are not known.
	params, fields []string
}

// compile compiles an expression. An empty evaluator means template.
func compile(evaluator, text string) (*formula, error) {
	switch evaluator {
	case "", api.EvaluatorTemplate:
		p, err := template.Compile(text)
		if err != nil {
			return nil, err
		}
		params, fields := p.Names()
		return &formula{p.Render, params, fields}, nil
	case api.EvaluatorCEL:
		p, err := cel.CompileArgument(text)
		if err != nil {
			return nil, err
		}
		params, fields := p.Names()
		return &formula{func(fc *api.FunctionContext, params map[string]any) (string, error) {
			return p.EvalText(fc.Context(), &expression.Scope{Params: params, Context: expression.Context(fc)})
		}, params, fields}, nil
	}
	return nil, fmt.Errorf("unknown evaluator %q: there are template and cel", evaluator)
}

// Parameters returns the names of the parameters that an expression reads, for links that are
// written with flags.
func Parameters(evaluator, text string) ([]string, error) {
	p, err := compile(evaluator, text)
	if err != nil {
		return nil, err
	}
	return p.params, nil
}

// evaluate returns the value of an expression as text. names are the parameters that it may read.
func (r *resolver) evaluate(
	l *entity.Link, what, evaluator, text string, names []string, values map[string]any,
) (string, error) {
	p, err := compile(evaluator, text)
	if err != nil {
		return "", r.expressionError(l, entity.CodeExprParse, what, err)
	}
	visible := make(map[string]any, len(names))
	for _, name := range names {
		if v, ok := values[name]; ok {
			visible[name] = v
		}
	}
	fc := Context(&r.in.Downstream, false)
	ctx := limit.Named(r.ctx, func(err error) error {
		return r.expressionError(l, entity.CodeExprEval, what, err)
	})
	result, err := p.eval(fc.WithContext(ctx), visible)
	if err != nil {
		return "", r.expressionError(l, entity.CodeExprEval, what, err)
	}
	return result, nil
}

// expressionError returns the error of an expression.
func (r *resolver) expressionError(
	l *entity.Link, code entity.Code, what string, err error,
) error {
	e := r.problem(l, code, "%s: %w", what, err).WithHint(limit.HintOf(err))
	if x, ok := errors.AsType[*expression.Error](err); ok {
		if e.Hint = cmp.Or(x.Hint, e.Hint); x.Result {
			e.Code = entity.CodeCoerce
		}
	}
	return e
}

// textOf returns a value as text, as an expression would.
func textOf(value any) (string, error) {
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
