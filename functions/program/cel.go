package program

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// CELFunctions returns the functions of Kubernetes that get, set and check values with the CEL
// expressions of admission policies.
func CELFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	language := &programLanguage{
		Name: "cel",
		Program: api.FunctionParameter{
			ParameterName: "expression", Required: true, DataType: api.DataTypeCEL,
			Example: `object.kind != "Deployment" || object.spec.replicas > 1`,
			Description: "CEL expression about a resource, which is called object or r ('fctl " +
				"help cel')",
		},
		Compile: compileCEL,
		Writer:  func(fc *api.FunctionContext) valueWriter { return celWriter(fc, provider) },
		Surveys: generic.SurveysAll,
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
	return functionsOf(language, provider)
}

// celWriter returns what merges the maps that expressions give into resources.
func celWriter(
	fc *api.FunctionContext, provider configkit.ResourceProvider,
) valueWriter {
	merging := generic.NewMerging(fc, provider)
	return valueWriter{
		Write: func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error {
			part, ok := value.(map[string]any)
			if !ok { // the expression returned a whole value of the resource
				return doc.SetData(value)
			}
			return yamlkit.Merge(doc, provider.MergeKeys(info.ResourceType), part,
				func(segments []string) bool {
					return merging.May(doc, info.ResourceType, segments)
				})
		},
		Report: merging.Report,
	}
}

func compileCEL(
	text string, use purpose,
) (func(*expression.Scope) (runFunc, error), error) {
	kinds, ok := map[purpose][]cel.Kind{
		forGet: {cel.List}, forVet: {cel.Bool, cel.Map}, forSet: {cel.Map},
	}[use]
	if !ok {
		return nil, fmt.Errorf("a program is used in an unknown way: %d", use)
	}
	compiled, err := cel.Compile(text, kinds...)
	if err != nil {
		return nil, err
	}
	return func(scope *expression.Scope) (runFunc, error) {
		return compiled.Bind(scope), nil
	}, nil
}
