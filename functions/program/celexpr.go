package program

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// vetCELExprFunction returns vet-celexpr, which checks every resource with a CEL expression.
func vetCELExprFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	language := &programLanguage{
		Name: "celexpr",
		Program: handler.Required("validation-expr", api.DataTypeCEL,
			`r.kind != "Deployment" || r.spec.replicas > 1`,
			"CEL expression that must be true of every resource, which it calls r or object "+
				"('fctl help cel')"),
		Compile: func(text string, _ purpose) (func(*expression.Scope) (runFunc, error), error) {
			program, err := cel.Compile(text, cel.Bool)
			if err != nil {
				return nil, err
			}
			return func(scope *expression.Scope) (runFunc, error) {
				return program.Bind(scope), nil
			}, nil
		},
		VetDescription: "Check that a CEL expression is true of every resource",
		VetExamples: []string{
			`vet-celexpr 'r.kind != "Deployment" || r.spec.replicas > 1'`,
			`vet-celexpr 'has(r.metadata.labels) && "app.kubernetes.io/name" in r.metadata.labels'`,
		},
	}
	r := vetProgramFunction(language, provider)
	r.Parameters, r.VarArgs = r.Parameters[:1], false
	r.DeprecatedAliases = []string{"cel-validate"}
	return r
}
