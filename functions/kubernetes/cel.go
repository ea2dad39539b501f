package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/expression"
	"github.com/fctl-dev/fctl/functions/expression/cel"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/program"
)

// celFunctions returns the functions that get, set and check values with the CEL expressions of
// admission policies.
func celFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	language := &program.Language{
		Name: "cel",
		Program: api.FunctionParameter{
			ParameterName: "expression", Required: true, DataType: api.DataTypeCEL,
			Example: `object.kind != "Deployment" || object.spec.replicas > 1`,
			Description: "CEL expression about a resource, which is called object or r ('fctl " +
				"help cel')",
		},
		Compile: compileCEL,
		Write: func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error {
			part, ok := value.(map[string]any)
			if !ok { // the expression returned a whole value of the resource
				return doc.SetData(value)
			}
			return yamlkit.Merge(doc, provider.MergeKeys(info.ResourceType), part)
		},
		GetDescription: "Get values with a CEL expression that returns a list of rows for each " +
			"resource",
		SetDescription: "Merge the map that a CEL expression gives into each resource; what the " +
			"map does not mention stays as it is",
		VetDescription: "Check every resource with a CEL expression: it gives true or false, or " +
			"a verdict",
		GetExamples: []string{
			`get-cel 'object.?spec.?replicas.hasValue() ? [{"Path": "spec.replicas", "Value": ` +
				`object.spec.replicas}] : []'`,
		},
		SetExamples: []string{
			`set-cel '{"metadata": {"labels": {"zone": params.zone}}}' zone=eu`,
			`set-cel 'object.kind == "Deployment" ? {"spec": {"replicas": object.spec.replicas * ` +
				`2}} : {}'`,
		},
		VetExamples: []string{
			`vet-cel 'object.kind != "Deployment" || object.spec.replicas >= int(params.least)' ` +
				`least=2`,
			`vet-cel '{"passed": object.metadata.name.size() < 30, "details": ["the name " + ` +
				`object.metadata.name + " is too long"]}'`,
		},
	}
	return program.Functions(language, provider)
}

func compileCEL(
	text string, use program.Use,
) (func(*expression.Scope) (program.Run, error), error) {
	kinds, ok := map[program.Use][]cel.Kind{
		program.Gets: {cel.List}, program.Checks: {cel.Bool, cel.Map}, program.Sets: {cel.Map},
	}[use]
	if !ok {
		return nil, fmt.Errorf("a program is used in an unknown way: %d", use)
	}
	compiled, err := cel.Compile(text, kinds...)
	if err != nil {
		return nil, err
	}
	return func(scope *expression.Scope) (program.Run, error) {
		return func(resource gaby.Value) (any, error) { return compiled.Eval(resource, scope) }, nil
	}, nil
}
