package resolve

import (
	"cmp"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
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

// evaluate returns the value of an expression as text. names are the parameters that it may read.
func (r *resolver) evaluate(
	l *entity.Link, what, evaluator, text string, names []string, values map[string]any,
) (string, error) {
	p, err := formula.Compile(evaluator, text)
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
	result, err := p.Eval(fc.WithContext(ctx), visible)
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
