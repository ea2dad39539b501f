package cel

import (
	"context"
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// PodVariables are the variables of an expression about a pod, besides object, params and
// functionContext: the metadata and the spec of the pod or the pod template, and the part that the
// expression is about. A container has a type: container, initContainer or ephemeralContainer.
func PodVariables() []string {
	return []string{"metadata", "spec", "container", "containerType", "volume", "context"}
}

// CompileForPod compiles an expression about a pod, with the PodVariables. The result must have one
// of the kinds. The error is one or several (joined) *[expression.Error].
func CompileForPod(text string, kinds ...Kind) (*Expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	var variables []cel.EnvOption
	for _, name := range PodVariables() {
		variables = append(variables, cel.Variable(name, cel.DynType))
	}
	pods, err := env.ofResources.Extend(variables...)
	if err != nil {
		return nil, fmt.Errorf("the environment of CEL expressions: %w", err)
	}
	return compile(pods, text, kinds)
}

// EvalForPod evaluates an expression of CompileForPod. variables are the PodVariables that have a
// value here; reading another one is an error. The result and the error are those of Eval.
func (p *Expression) EvalForPod(
	ctx context.Context, resource gaby.Value, variables map[string]any,
	scope *expression.Scope,
) (any, error) {
	with := *scope
	with.Variables = variables
	return p.Eval(ctx, resource, &with)
}

// variable returns the value of a variable that the scope adds.
func variable(scope *expression.Scope, name string, noted missed) (ref.Val, bool) {
	if scope == nil {
		return nil, false
	}
	v, ok := scope.Variables[name]
	if !ok {
		return nil, false
	}
	if value, ok := v.(gaby.Value); ok {
		return valueOf(value, noted), true
	}
	return types.DefaultTypeAdapter.NativeToValue(v), true
}
