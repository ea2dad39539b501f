package cel

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// maxMessage is the maximum length of a message that a rule generates, in bytes.
const maxMessage = 5120

// NewRuleCompiler returns a compiler of the rules of CustomResourceDefinitions
// (x-kubernetes-validations), which are about a value called self. It returns no program for a rule
// about changes (one with oldSelf), because a single value cannot violate it.
func NewRuleCompiler() jsonschema.RuleCompiler {
	return (&ruleCompiler{
		shapes: shapes{made: map[shapeKey]*shape{}}, envs: map[envKey]*cel.Env{},
	}).compile
}

// ruleCompiler caches the shapes of schemas and the environments of rules. It must not be used
// concurrently.
type ruleCompiler struct {
	shapes shapes
	envs   map[envKey]*cel.Env
}

// envKey is what an environment depends on.
type envKey struct {
	self            *shape // nil if nothing is known about self
	optionalOldSelf bool
}

// rule is a compiled rule of a CustomResourceDefinition.
type rule struct {
	self    *shape
	program *Expression
	message *Expression // computes the message for a violation; may be nil
}

// compile compiles a rule about the values of a schema. Without a schema, the type of self is
// unknown.
func (c *ruleCompiler) compile(
	r *jsonschema.Rule, schema gaby.Value, isResource bool,
) (jsonschema.RuleProgram, error) {
	compiled := rule{}
	if schema.Exists() {
		if compiled.self = c.shapes.of(schema, isResource); compiled.self == nil {
			return nil, errors.New("a rule needs a schema with a type")
		}
	}
	env, err := c.environment(envKey{compiled.self, r.OptionalOldSelf})
	if err != nil {
		return nil, fmt.Errorf("the environment of CEL expressions: %w", err)
	}
	if compiled.program, err = compileOf("rule", env, r.Rule, Bool); err != nil {
		return nil, err
	}
	if r.MessageExpression != "" {
		if compiled.message, err = compileOf("messageExpression", env, r.MessageExpression,
			String); err != nil {
			return nil, err
		}
	}
	if compiled.program.mentions("oldSelf") && !r.OptionalOldSelf {
		return nil, nil
	}
	return &compiled, nil
}

// compileOf compiles the expression of a keyword. Its errors are *jsonschema.RuleError.
func compileOf(keyword string, env *cel.Env, text string, kind Kind) (*Expression, error) {
	program, err := compile(env, text, []Kind{kind})
	if err == nil {
		return program, nil
	}
	var all []error
	for _, err := range configkit.Unjoin(err) {
		e := &jsonschema.RuleError{Keyword: keyword, Msg: err.Error(), Err: err}
		if problem, ok := errors.AsType[*expression.Error](err); ok {
			e.Hint = problem.Hint
		}
		all = append(all, e)
	}
	return nil, errors.Join(all...)
}

// environment returns the environment of rules about values of this shape.
func (c *ruleCompiler) environment(key envKey) (*cel.Env, error) {
	if env := c.envs[key]; env != nil {
		return env, nil
	}
	all, err := environment()
	if err != nil {
		return nil, err
	}
	self := cel.DynType
	if key.self != nil {
		self = key.self.celType
	}
	oldSelf := self
	if key.optionalOldSelf {
		oldSelf = cel.OptionalType(self)
	}
	c.envs[key], err = all.functions.Extend(
		cel.CustomTypeProvider(objectTypes{all.functions.CELTypeProvider(), c.shapes.objects}),
		cel.HomogeneousAggregateLiterals(),
		cel.Variable("self", self), cel.Variable("oldSelf", oldSelf),
	)
	return c.envs[key], err
}

// mentions reports whether the expression uses a variable.
func (p *Expression) mentions(name string) bool {
	found := false
	ast.PreOrderVisit(p.ast.NativeRep().Expr(), ast.NewExprVisitor(func(n ast.Expr) {
		found = found || n.Kind() == ast.IdentKind && n.AsIdent() == name
	}))
	return found
}

// Check implements jsonschema.RuleProgram.
func (r *rule) Check(ctx context.Context, self gaby.Value) (jsonschema.RuleResult, error) {
	// There is no old value, only the current one.
	variables := map[string]any{"self": valueOf(self, nil), "oldSelf": types.OptionalNone}
	if r.self != nil {
		variables["self"] = r.self.value(self)
	}
	value, details, err := evaluate(ctx, r.program.program, variables)
	result := jsonschema.RuleResult{Cost: costOf(details), Holds: value == types.True}
	if err != nil {
		return result, ruleError(err)
	}
	if result.Holds || r.message == nil {
		return result, nil
	}
	// The rule is violated even if its message expression fails.
	value, details, err = evaluate(ctx, r.message.program, variables)
	result.Cost += costOf(details)
	if _, limited := errors.AsType[*limit.Error](err); limited {
		return result, err
	}
	if text, ok := value.(types.String); ok && err == nil {
		message := strings.TrimSpace(string(text))
		if len(message) <= maxMessage && !strings.Contains(message, "\n") {
			result.Message = message
		}
	}
	return result, nil
}

// costOf returns the cost of an evaluation.
func costOf(details *cel.EvalDetails) uint64 {
	if details == nil || details.ActualCost() == nil {
		return 0
	}
	return *details.ActualCost()
}

// ruleError translates an error of an evaluation to the words of messages.
func ruleError(err error) error {
	switch {
	case isCostError(err):
		return errors.New("it costs too much")
	case strings.HasPrefix(err.Error(), "no such overload"):
		return errors.New("an operator or function is not defined for a value of this type")
	}
	return err
}
