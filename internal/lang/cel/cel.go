// Package cel evaluates expressions of the Common Expression Language (CEL) on the values of
// documents, with the functions that Kubernetes' admission policies have.
//
// The rules of this package:
//   - The values of a document are read in place (value.go). The document is never converted as a
//     whole.
//   - The environment (environment.go) is created once. Each library of functions that cel-go does
//     not have is a file.
//   - An expression that costs too much, in the units of Kubernetes' limits, fails. Values
//     that one step makes are limited as well (guard.go).
//
// Layer: languages.
package cel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// Language is the name of the language in errors.
const Language = "CEL"

const (
	// maxCost is the maximum cost of one evaluation. It is the limit that Kubernetes sets for an
	// admission policy.
	maxCost = 1_000_000
	// maxText is the maximum length of an argument's value, in bytes.
	maxText = 1 << 20
)

// Kind is the kind of an expression's result.
type Kind types.Kind

// The kinds that functions ask for.
const (
	Bool   = Kind(types.BoolKind)
	String = Kind(types.StringKind)
	List   = Kind(types.ListKind)
	Map    = Kind(types.MapKind)
)

func (k Kind) String() string {
	switch k {
	case Bool:
		return "true or false"
	case String:
		return "a string"
	case List:
		return "a list"
	case Map:
		return "a map"
	}
	return "a scalar"
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression struct {
	expression.Source
	kinds   []Kind
	env     *cel.Env
	ast     *cel.Ast
	program cel.Program
}

// Compile compiles an expression about a resource, which the expression calls object or r. The
// result must have one of the kinds. The error is one or several (joined) *[expression.Error].
func Compile(text string, kinds ...Kind) (*Expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return compile(env.ofResources, text, kinds)
}

// CompileArgument compiles an expression for the value of an argument. It cannot refer to a
// resource.
func CompileArgument(text string) (*Expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return compile(env.ofArguments, text, nil)
}

// CompileUnit compiles an expression about all resources of a unit, a list that the expression
// calls resources. The result must be of one of kinds, or a string, number or bool without kinds.
func CompileUnit(text string, kinds ...Kind) (*Expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return compile(env.ofUnits, text, kinds)
}

// compile compiles an expression in an environment. If kinds is nil, the result is the value of an
// argument.
func compile(env *cel.Env, text string, kinds []Kind) (*Expression, error) {
	p := &Expression{
		Source: expression.Source{Language: Language, Text: text}, kinds: kinds, env: env,
	}
	if strings.TrimSpace(text) == "" {
		return nil, p.Fail(0, "the expression is empty")
	}
	var issues *cel.Issues
	if p.ast, issues = env.Compile(text); issues.Err() != nil {
		return nil, p.compileErrors(issues)
	}
	if t := p.ast.OutputType(); t.Kind() != types.DynKind && t.Kind() != types.TypeParamKind &&
		!p.gives(t.Kind()) {
		return nil, p.wrongKind("returns", typeText(t))
	}
	var err error
	if p.program, err = p.plan(); err != nil {
		return nil, p.Failed(err)
	}
	return p, nil
}

// plan returns a program that can be evaluated, with the limits.
func (p *Expression) plan(options ...cel.ProgramOption) (cel.Program, error) {
	all, err := environment()
	if err != nil {
		return nil, err
	}
	const stepsPerCheck = 100 // whether the evaluation has to end
	return p.env.Program(p.ast,
		append(options, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost),
			cel.CustomDecoratorV2(all.guard), cel.InterruptCheckFrequency(stepsPerCheck))...)
}

// gives reports whether a result may have this kind. The value of an argument may be a string, bool
// or number.
func (p *Expression) gives(kind types.Kind) bool {
	if p.kinds == nil {
		switch kind {
		case types.StringKind, types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind:
			return true
		}
		return false
	}
	return slices.Contains(p.kinds, Kind(kind))
}

// wanted returns the wanted kinds for messages.
func (p *Expression) wanted() string {
	if p.kinds == nil {
		return "a string, number or bool"
	}
	texts := make([]string, len(p.kinds))
	for i, k := range p.kinds {
		texts[i] = k.String()
	}
	return strings.Join(texts, " or ")
}

// activation resolves the variables of one evaluation.
type activation struct {
	object    ref.Val
	resource  gaby.Value // that object is
	resources []gaby.Value
	scope     *expression.Scope
	missed    missed
}

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case "object", "r":
		return a.object, true
	case "resources":
		values := make([]ref.Val, len(a.resources))
		for i, v := range a.resources {
			values[i] = valueOf(v, nil)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, values), true
	case "params":
		return a.scope.Params, true
	case "functionContext":
		return a.scope.Context, true
	}
	return variable(a.scope, name, a.missed)
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() interpreter.Activation { return nil }

// Eval evaluates the expression on a resource. The result is a bool, or data as accepted by
// [gaby.YamlDoc.Set], of one of the kinds passed to Compile. The error is an *[expression.Error].
func (p *Expression) Eval(
	ctx context.Context, resource gaby.Value, scope *expression.Scope,
) (any, error) {
	value, err := p.eval(ctx, resource, scope)
	if err != nil {
		return nil, err
	}
	if b, ok := value.(types.Bool); ok {
		return bool(b), nil
	}
	data, err := toData(value)
	if err != nil {
		return nil, p.Failed(err)
	}
	return data, nil
}

// Bind returns Eval with its scope.
func (p *Expression) Bind(
	scope *expression.Scope,
) func(ctx context.Context, resource gaby.Value) (any, error) {
	return func(ctx context.Context, resource gaby.Value) (any, error) {
		return p.Eval(ctx, resource, scope)
	}
}

// EvalUnit evaluates the expression on the resources of a unit. The result is a string, bool,
// int64, uint64 or float64. The error is an *[expression.Error].
func (p *Expression) EvalUnit(
	ctx context.Context, resources []gaby.Value, scope *expression.Scope,
) (any, error) {
	value, err := p.evalIn(ctx, &activation{resources: resources, scope: scope})
	if err != nil {
		return nil, err
	}
	return value.Value(), nil
}

// eval evaluates the expression and checks the kind of the result.
func (p *Expression) eval(
	ctx context.Context, resource gaby.Value, scope *expression.Scope,
) (ref.Val, error) {
	return p.evalIn(ctx,
		&activation{object: valueOf(resource, nil), resource: resource, scope: scope})
}

// evalIn evaluates the expression with the variables of an activation.
func (p *Expression) evalIn(ctx context.Context, a *activation) (ref.Val, error) {
	value, _, err := evaluate(ctx, p.program, a)
	if err != nil {
		return nil, p.explain(ctx, a, err)
	}
	if kind := value.Type().(*types.Type).Kind(); !p.gives(kind) {
		return nil, p.wrongKind("returned", describe(value))
	}
	return value, nil
}

// wrongKind returns the error of a result of another kind than is wanted.
func (p *Expression) wrongKind(returns, result string) error {
	problem := p.Fail(1, "expression %s %s, not %s", returns, result, p.wanted())
	problem.Result = true
	return problem
}

// EvalText evaluates the expression of an argument. Numbers have their shortest form; whole numbers
// have no decimal point.
func (p *Expression) EvalText(ctx context.Context, scope *expression.Scope) (string, error) {
	value, err := p.eval(ctx, gaby.Value{}, scope)
	if err != nil {
		return "", err
	}
	var text string
	switch v := value.(type) {
	case types.String:
		text = string(v)
	case types.Double:
		format := byte('g')
		if f := float64(v); f == float64(int64(f)) && f < 1e15 && f > -1e15 {
			format = 'f'
		}
		text = strconv.FormatFloat(float64(v), format, -1, 64)
	default:
		text = fmt.Sprint(v.Value())
	}
	if len(text) > maxText {
		return "", p.Fail(0, "the value has %d bytes, at most %d are allowed", len(text), maxText)
	}
	return text, nil
}

// isCostError reports whether an evaluation was ended because it became too expensive.
func isCostError(err error) bool {
	e, ok := errors.AsType[interpreter.EvalCancelledError](err)
	return ok && e.Cause == interpreter.CostLimitExceeded
}
