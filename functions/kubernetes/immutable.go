package kubernetes

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Sources of the data that is compared with, the first that is there.
const (
	sourceLastReleased = "LastReleasedRevisionNum"
	sourceHead         = "HeadRevisionNum"
	sourceBefore       = "Before:" // followed by the name of any source
)

func registerImmutableFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	for _, registration := range []handler.FunctionRegistration{vetImmutableFunction(provider), vetDisruptionFunction(provider)} {
		if err := fh.RegisterFunction(registration); err != nil {
			return err
		}
	}
	return nil
}

// vetChangesFunction is what functions share that compare with what was released before.
func vetChangesFunction(name, description string, parameters []api.FunctionParameter, required int) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name, Parameters: parameters, RequiredParameters: required,
			OutputInfo: &api.FunctionOutput{
				ResultName: "passed", Description: "whether none of the fields was changed, and those that were", OutputType: api.OutputTypeValidationResult,
			},
			Validating: true, Hermetic: true, Idempotent: true,
			Description: description, FunctionType: api.FunctionTypeCustom,
			OtherDataExpected: []string{sourceLastReleased, sourceHead, sourceBefore},
		},
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
	r := vetChangesFunction("vet-immutable", "Check that fields that cannot be changed are as they were in what was released before; without that, everything passes",
		[]api.FunctionParameter{{
			ParameterName: parameter, DataType: api.DataTypeString, Example: standard,
			Description: "attribute whose fields must not change; if not given, " + standard,
		}}, 0)
	r.Examples = []string{"vet-immutable"}
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, err := generic.AttributeKeys(provider, attribute(args))
		return err
	}
	r.Function = func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte) (gaby.Container, any, error) {
		changes, err := newChanges(fc, docs, provider, other)
		if err != nil || changes == nil {
			return docs, api.ValidationResult{Passed: true}, err
		}
		rows, err := changes.of(attribute(args), func(row *api.AttributeValue) {
			row.Issues = []api.Issue{{Identifier: "immutable-field-changed", Message: fmt.Sprintf("immutable field %s was changed", row.Path)}}
		})
		fc.Matched(changes.compared)
		return docs, api.ValidationResult{Passed: len(rows) == 0, FailedAttributes: rows}, err
	}
	return r
}

// disruptionLevels are the grades of disruption, worst first.
func disruptionLevels() []string { return []string{"Critical", "High", "Medium", "Low"} }

func vetDisruptionFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const thresholdParameter, prefixParameter, standard = "score-threshold", "attribute-prefix", "disruption"
	// attributes are those of the levels that are registered.
	attributes := func(args []api.FunctionArgument) (names map[string]api.AttributeName, err error) {
		prefix := handler.Arguments(args).String(prefixParameter)
		if prefix == "" {
			prefix = standard
		}
		names = map[string]api.AttributeName{}
		for _, level := range disruptionLevels() {
			name := api.AttributeName(prefix + "-" + strings.ToLower(level))
			if _, unknown := generic.AttributeKeys(provider, name); unknown == nil {
				names[level] = name
			}
		}
		if len(names) == 0 {
			return nil, &handler.ArgumentError{
				Parameter: prefixParameter, Value: prefix,
				Message:  fmt.Sprintf("argument %s: none of the attributes %s-critical, -high, -medium and -low is registered", prefixParameter, prefix),
				HintText: "register them with --resource-types, or leave the argument out",
			}
		}
		return names, nil
	}
	r := vetChangesFunction("vet-disruption",
		"Check that nothing was changed that disrupts what runs, or not more than that, since what was released before; without that, everything passes",
		[]api.FunctionParameter{
			{
				ParameterName: thresholdParameter, Required: true, DataType: api.DataTypeEnum, Example: "High",
				Description:      "what disrupts as much as this, or more, does not pass",
				ValueConstraints: api.ValueConstraints{EnumValues: disruptionLevels()},
			},
			{
				ParameterName: prefixParameter, DataType: api.DataTypeString, Example: standard,
				Description: "what the names of the attributes begin with, before -critical, -high, -medium and -low; if not given, " + standard,
			},
		}, 1)
	r.Examples = []string{"vet-disruption High"}
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, err := attributes(args)
		return err
	}
	r.Function = func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte) (gaby.Container, any, error) {
		names, err := attributes(args)
		if err != nil {
			return nil, nil, err
		}
		changes, err := newChanges(fc, docs, provider, other)
		if err != nil || changes == nil {
			return docs, api.ValidationResult{Passed: true}, err
		}
		result := api.ValidationResult{Passed: true}
		failing := true
		for _, level := range disruptionLevels() {
			rows, err := changes.of(names[level], func(row *api.AttributeValue) {
				row.Score = level
				row.Issues = []api.Issue{{Identifier: "disruptive-field-changed", Message: fmt.Sprintf("disruptive field %s was changed", row.Path)}}
			})
			if err != nil {
				return nil, nil, err
			}
			if len(rows) > 0 && result.Score == "" {
				result.Score = level
			}
			if failing {
				result.FailedAttributes = append(result.FailedAttributes, rows...)
			}
			failing = failing && level != handler.Arguments(args).String(thresholdParameter)
		}
		fc.Matched(changes.compared)
		result.Passed = len(result.FailedAttributes) == 0
		return docs, result, nil
	}
	return r
}

// changes compares documents with what they were.
type changes struct {
	docs, before gaby.Container
	provider     configkit.ResourceProvider
	compared     int // fields that are in both
}

// newChanges reads what the documents were. It is nil, and says so, when that was not given.
func newChanges(fc *api.FunctionContext, docs gaby.Container, provider configkit.ResourceProvider, before []byte) (*changes, error) {
	if before == nil {
		fc.Note(api.Position{}, "there is nothing to compare with (--other-data "+sourceLastReleased+"=FILE), so everything passes")
		return nil, nil
	}
	c := &changes{docs: docs, provider: provider}
	var err error
	if c.before, err = gaby.ParseAll(before); err != nil {
		return nil, baselineError(err)
	}
	return c, nil
}

// baselineError tells what is wrong with what is compared with. It does not wrap its cause, whose positions are not those of the unit.
func baselineError(err error) error {
	return errors.New("what to compare with cannot be read: " + err.Error())
}

// field is a place of a resource that has a name of its own in the unit.
type field struct {
	resource yamlkit.ResourceTypeAndName
	path     api.ResolvedPath
}

// of lists the fields of an attribute that are not what they were. What is only on one side is not compared.
func (c *changes) of(name api.AttributeName, describe func(*api.AttributeValue)) (api.AttributeValueList, error) {
	if name == "" {
		return nil, nil
	}
	keys, err := generic.AttributeKeys(c.provider, name)
	if err != nil {
		return nil, err
	}
	type old struct {
		row   any
		value gaby.Value
	}
	was := map[field]old{}
	paths := c.provider.AttributePaths(name)
	_, err = yamlkit.VisitRows(c.before, paths, keys, c.provider, func(p *yamlkit.Place, row *api.AttributeValue) bool {
		was[field{yamlkit.TypeAndName(p.Resource), row.Path}] = old{row.Value, p.Value}
		return false
	})
	if err != nil {
		return nil, baselineError(err)
	}
	return yamlkit.VisitRows(c.docs, paths, keys, c.provider, func(p *yamlkit.Place, row *api.AttributeValue) bool {
		before, ok := was[field{yamlkit.TypeAndName(p.Resource), row.Path}]
		if !ok {
			return false
		}
		c.compared++
		if row.DataType != api.DataTypeYAML && row.Value == before.row ||
			row.DataType == api.DataTypeYAML && reflect.DeepEqual(p.Value.Data(), before.value.Data()) {
			return false
		}
		if row.DataType == api.DataTypeYAML {
			if pos := firstDifference(p.Value, before.value).Position(); pos.Line > 0 {
				row.Position = &api.Position{Line: pos.Line, Column: pos.Column}
			}
		} else {
			row.Value = fmt.Sprint(row.Value)
		}
		row.DataType = api.DataTypeYAML
		describe(row)
		return true
	})
}

// firstDifference is the first place in a value where it is not what it was.
func firstDifference(is, was gaby.Value) gaby.Value {
	if is.Kind() != was.Kind() || is.Kind() == gaby.Scalar {
		return is
	}
	index := 0
	for v := is.First(); v.Exists(); v = v.Next() {
		old := was.Get(v.Key())
		if is.Kind() == gaby.List {
			old = was.Index(index)
			index++
		}
		if !old.Exists() {
			return v
		}
		if !reflect.DeepEqual(v.Data(), old.Data()) {
			return firstDifference(v, old)
		}
	}
	return is // something is missing
}
