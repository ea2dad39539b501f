package kubernetes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// vetChangesFunction completes a function that checks that fields of attributes were not changed.
// kind is what the fields are called in messages. With a parameter for a threshold, changes below
// it pass.
func vetChangesFunction(
	provider configkit.ResourceProvider, r handler.FunctionRegistration, kind, threshold string,
	attributes func(handler.Arguments) ([]api.AttributeName, error),
) handler.FunctionRegistration {
	r.OtherDataExpected = []string{sourceLastReleased, sourceHead, sourceBefore}
	r.RowsSorted = true
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, err := attributes(args)
		return err
	}
	released := &baseline{provider: provider}
	const description = "whether none of the fields was changed, and those that were"
	return handler.Checking(r, description, func(c *handler.Call) (api.ValidationResult, error) {
		result := api.ValidationResult{Passed: true}
		names, err := attributes(c.Args)
		if err != nil {
			return result, err
		}
		changes, err := released.changes(c)
		if err != nil || changes == nil {
			return result, err
		}
		rows, err := changes.of(c, names)
		for _, row := range rows {
			row.Issues = []api.Issue{{
				Identifier: kind + "-field-changed",
				Message:    fmt.Sprintf("%s field %s was changed", kind, row.Path),
			}}
			if threshold != "" {
				row.Score = levelOf(row.AttributeName)
				result.Score = api.WorseScore(result.Score, row.Score)
				if api.WorseScore(row.Score, c.Args.String(threshold)) != row.Score {
					continue
				}
			}
			result.FailedAttributes = append(result.FailedAttributes, row)
		}
		result.Passed = len(result.FailedAttributes) == 0
		return result, err
	})
}

func vetImmutableFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter, standard = "attribute-name", "immutable"
	return vetChangesFunction(provider, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-immutable",
			Description: "Check that immutable fields are unchanged since the last release; " +
				"passes without an earlier version",
			Parameters: []api.FunctionParameter{
				optional(textParameter(parameter, standard,
					"attribute whose fields must not change; if not given, "+standard, "")),
			},
			Examples: []string{"vet-immutable"},
		},
		Paths: provider.AttributePaths(standard),
	}, "immutable", "", func(a handler.Arguments) ([]api.AttributeName, error) {
		name := api.AttributeName(cmp.Or(a.String(parameter), standard))
		_, err := generic.AttributeKeys(provider, name)
		return []api.AttributeName{name}, err
	})
}

func vetDisruptionFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const thresholdParameter, prefixParameter, standard = "score-threshold", "attribute-prefix",
		"disruption"
	named := func(prefix string) (names []api.AttributeName) { // worst first
		for _, level := range api.Scores() {
			names = append(names, api.AttributeName(prefix+"-"+strings.ToLower(level)))
		}
		return names
	}
	return vetChangesFunction(provider, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-disruption",
			Description: "Check that no change since the last release is more disruptive than " +
				"allowed; passes without an earlier version",
			Parameters: []api.FunctionParameter{
				enumParameter(thresholdParameter, "High",
					"changes of this score or worse fail", api.Scores()...),
				optional(textParameter(prefixParameter, standard,
					"what the names of the attributes begin with, before -critical, -high, "+
						"-medium and -low; if not given, "+standard,
					"")),
			},
			Examples: []string{"vet-disruption High"},
		},
		Paths: attributesPaths(provider, named(standard)...),
	}, "disruptive", thresholdParameter, func(a handler.Arguments) ([]api.AttributeName, error) {
		prefix := cmp.Or(a.String(prefixParameter), standard)
		names := slices.DeleteFunc(named(prefix), func(name api.AttributeName) bool {
			_, unknown := generic.AttributeKeys(provider, name)
			return unknown != nil
		})
		if len(names) == 0 {
			return nil, argumentError(prefixParameter, prefix,
				"register them with --resource-types, or leave the argument out",
				"none of the attributes %s-critical, -high, -medium and -low is registered",
				configkit.Abbreviate(prefix))
		}
		return names, nil
	})
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
