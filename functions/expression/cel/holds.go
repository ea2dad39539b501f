package cel

import (
	"context"
	"strings"

	"cel.dev/cel-go/common/types"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// Holds reports whether an expression that gives a bool is true of a resource. It is false if the
// expression needs a key that the resource does not have. Other errors are those of Eval.
func (p *Program) Holds(
	ctx context.Context, resource gaby.Value, scope *expression.Scope,
) (bool, error) {
	// Eval would evaluate the expression again to explain the missing key, for most resources.
	watch := limit.Start(ctx, nil)
	value, _, err := p.program.Eval(&activation{object: valueOf(resource, nil), scope: scope})
	watch.End()
	if ended := watch.Err(); ended != nil {
		return false, expression.Ended(Language, p.text, ended)
	}
	if err != nil && strings.HasPrefix(err.Error(), "no such key") {
		return false, nil
	}
	if holds, ok := value.(types.Bool); ok && err == nil {
		return bool(holds), nil
	}
	result, err := p.Eval(ctx, resource, scope)
	holds, _ := result.(bool)
	return holds, err
}
