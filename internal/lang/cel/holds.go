package cel

import (
	"context"
	"strings"

	"cel.dev/cel-go/common/types"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// Holds reports whether an expression that gives a bool is true of a resource. It is false if the
// expression needs a key that the resource does not have. Other errors are those of Eval.
func (p *Expression) Holds(
	ctx context.Context, resource gaby.Value, scope *expression.Scope,
) (bool, error) {
	// Eval would evaluate the expression again to explain the missing key, for most resources.
	a := &activation{object: valueOf(resource, nil), resource: resource, scope: scope}
	value, _, err := evaluate(ctx, p.program, a)
	if err != nil && strings.HasPrefix(err.Error(), "no such key") {
		return false, nil
	}
	if err != nil {
		return false, p.explain(ctx, a, err)
	}
	if holds, ok := value.(types.Bool); ok {
		return bool(holds), nil
	}
	return false, p.wrongKind("returned", describe(value))
}
