package cel

import (
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/jsonschema"
)

// rule is a rule of a CustomResourceDefinition.
type rule struct {
	program *Program
	message *Program // gives the message of a value that breaks the rule; may be nil
}

// CompileRule compiles a rule of x-kubernetes-validations, which is about a value called self. It is nil for a rule about changes
// (oldSelf), which a value alone cannot break. The error is one or several (joined) *[expression.Error].
func CompileRule(r *jsonschema.Rule) (jsonschema.RuleProgram, error) {
	env, err := ruleEnvironment()
	if err != nil {
		return nil, fmt.Errorf("the environment of CEL expressions: %w", err)
	}
	var compiled rule
	if compiled.program, err = compile(env, r.Rule, []Kind{Bool}); err != nil {
		return nil, err
	}
	if compiled.program.mentions("oldSelf") {
		return nil, nil
	}
	if r.MessageExpression != "" {
		if compiled.message, err = compile(env, r.MessageExpression, nil); err != nil {
			return nil, err
		}
	}
	return &compiled, nil
}

// ruleEnvironment is the same for all rules.
//
//nolint:gochecknoglobals // made when the first rule is compiled, and never changed
var ruleEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return env.ofArguments.Extend(cel.Variable("self", cel.DynType), cel.Variable("oldSelf", cel.DynType))
})

// mentions reports whether the expression uses a variable.
func (p *Program) mentions(name string) bool {
	found := false
	ast.PreOrderVisit(p.ast.NativeRep().Expr(), ast.NewExprVisitor(func(n ast.Expr) {
		found = found || n.Kind() == ast.IdentKind && n.AsIdent() == name
	}))
	return found
}

// Check implements jsonschema.RuleProgram.
func (r *rule) Check(self gaby.Value) (holds bool, message string, err error) {
	variables := map[string]any{"self": valueOf(self, nil)}
	value, _, err := r.program.program.Eval(variables)
	if err != nil {
		return false, "", err
	}
	if value == types.True {
		return true, "", nil
	}
	if r.message == nil {
		return false, "", nil
	}
	// Without a message of its own the rule is broken all the same.
	if value, _, err := r.message.program.Eval(variables); err == nil {
		if text, ok := value.(types.String); ok {
			message = strings.TrimSpace(string(text))
		}
	}
	return false, message, nil
}
