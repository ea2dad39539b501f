package kubernetes

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

func registerImmutableFunctions(
	fh handler.FunctionRegistry, provider configkit.ResourceProvider,
) error {
	return handler.Register(fh, vetImmutableFunction(provider), vetDisruptionFunction(provider))
}

// vetChangesFunction returns the common part of functions that compare with what was released
// before.
func vetChangesFunction(
	name, description string, parameters []api.FunctionParameter, required int,
) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name, Parameters: parameters, RequiredParameters: required,
			OutputInfo: &api.FunctionOutput{
				ResultName:  "passed",
				Description: "whether none of the fields was changed, and those that were",
				OutputType:  api.OutputTypeValidationResult,
			},
			Validating: true, Hermetic: true, Idempotent: true,
			Description: description, FunctionType: api.FunctionTypeCustom,
			OtherDataExpected: []string{sourceLastReleased, sourceHead, sourceBefore},
		},
		RowsSorted: true,
	}
}

func vetImmutableFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter, standard = "attribute-name", "immutable"
	attribute := func(args []api.FunctionArgument) api.AttributeName {
		if name := handler.Arguments(args).String(parameter); name != "" {
			return api.AttributeName(name)
		}
		return standard
	}
	r := vetChangesFunction("vet-immutable",
		"Check that fields that cannot be changed are as they were in what was released before; without that, everything passes",
		[]api.FunctionParameter{{
			ParameterName: parameter, DataType: api.DataTypeString, Example: standard,
			Description: "attribute whose fields must not change; if not given, " + standard,
		}}, 0)
	r.Examples = []string{"vet-immutable"}
	r.Paths = provider.AttributePaths(standard)
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, err := generic.AttributeKeys(provider, attribute(args))
		return err
	}
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		changes, err := changesSince(fc, other, docs, provider)
		if err != nil || changes == nil {
			return docs, api.ValidationResult{Passed: true}, err
		}
		rows, err := changes.of(fc, func(row *api.AttributeValue) {
			row.Issues = []api.Issue{
				{
					Identifier: "immutable-field-changed",
					Message:    fmt.Sprintf("immutable field %s was changed", row.Path),
				},
			}
		}, attribute(args))
		return docs, api.ValidationResult{Passed: len(rows) == 0, FailedAttributes: rows}, err
	}
	return r
}

func vetDisruptionFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const thresholdParameter, prefixParameter, standard = "score-threshold", "attribute-prefix", "disruption"
	named := func(prefix string) (names []api.AttributeName) {
		for _, level := range api.Scores() {
			names = append(names, api.AttributeName(prefix+"-"+strings.ToLower(level)))
		}
		return names
	}
	// attributes returns the attributes of the registered levels, worst first.
	attributes := func(args []api.FunctionArgument) (names []api.AttributeName, err error) {
		prefix := cmp.Or(handler.Arguments(args).String(prefixParameter), standard)
		for _, name := range named(prefix) {
			if _, unknown := generic.AttributeKeys(provider, name); unknown == nil {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return nil, &handler.ArgumentError{
				Parameter: prefixParameter, Value: prefix,
				Message:  fmt.Sprintf("argument %s: none of the attributes %s-critical, -high, -medium and -low is registered", prefixParameter, configkit.Abbreviate(prefix)),
				HintText: "register them with --resource-types, or leave the argument out",
			}
		}
		return names, nil
	}
	r := vetChangesFunction("vet-disruption",
		"Check that nothing was changed that disrupts what runs, or not more than that, since what was released before; without that, everything passes",
		[]api.FunctionParameter{
			{
				ParameterName: thresholdParameter, Required: true, DataType: api.DataTypeEnum,
				Example:          "High",
				Description:      "what disrupts as much as this, or more, does not pass",
				ValueConstraints: api.ValueConstraints{EnumValues: api.Scores()},
			},
			{
				ParameterName: prefixParameter, DataType: api.DataTypeString, Example: standard,
				Description: "what the names of the attributes begin with, before -critical, -high, -medium and -low; if not given, " + standard,
			},
		}, 1)
	r.Examples = []string{"vet-disruption High"}
	r.Paths = attributesPaths{provider, named(standard)}
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, err := attributes(args)
		return err
	}
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		names, err := attributes(args)
		if err != nil {
			return nil, nil, err
		}
		changes, err := changesSince(fc, other, docs, provider)
		if err != nil || changes == nil {
			return docs, api.ValidationResult{Passed: true}, err
		}
		rows, err := changes.of(fc, func(row *api.AttributeValue) {
			row.Score = levelOf(row.AttributeName)
			row.Issues = []api.Issue{
				{
					Identifier: "disruptive-field-changed",
					Message:    fmt.Sprintf("disruptive field %s was changed", row.Path),
				},
			}
		}, names...)
		result := api.ValidationResult{}
		threshold := handler.Arguments(args).String(thresholdParameter)
		for _, row := range rows {
			result.Score = api.WorseScore(result.Score, row.Score)
			if api.WorseScore(row.Score, threshold) == row.Score {
				result.FailedAttributes = append(result.FailedAttributes, row)
			}
		}
		result.Passed = len(result.FailedAttributes) == 0
		return docs, result, err
	}
	return r
}

// levelOf returns the level that an attribute of disruption is registered for: the last word of its
// name.
func levelOf(name api.AttributeName) string {
	for _, level := range api.Scores() {
		if strings.HasSuffix(string(name), "-"+strings.ToLower(level)) {
			return level
		}
	}
	return ""
}
