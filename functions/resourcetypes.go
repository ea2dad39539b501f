package functions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/shellwords"
)

// AddResourceTypes adds the contents of files about Kubernetes resource types. For each attribute
// they define it registers get-<name> and set-<name>, which are like the built-in functions in
// every respect. Call it before the first use of the executor. The errors are *resourcetypes.Error;
// after an error the executor must not be used.
func (e *Executor) AddResourceTypes(files ...resourcetypes.File) error {
	h := e.handlers[api.ToolchainKubernetesYAML]()
	provider := h.ResourceProvider()
	extensible, ok := provider.(interface {
		AddFiles(files ...resourcetypes.File) error
	})
	if !ok {
		return fmt.Errorf(
			"resource types of %s: %w", provider.ToolchainType(), handler.ErrUnsupportedRequest,
		)
	}
	known := map[api.AttributeName]configkit.AttributeDescription{}
	for _, attribute := range provider.Attributes() {
		known[attribute.Name] = attribute
	}
	if err := extensible.AddFiles(files...); err != nil {
		return err
	}
	var problems []error
	for _, attribute := range provider.Attributes() {
		if before, ok := known[attribute.Name]; ok && before.File == attribute.File {
			continue // its functions are registered already
		}
		if err := registerAttribute(h, attribute); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// OverriddenTypes returns the built-in types whose paths a file of AddResourceTypes changes, and
// the position of the first such change in the file.
func (e *Executor) OverriddenTypes(file string) ([]api.ResourceType, gaby.Position) {
	provider, ok := e.handlers[api.ToolchainKubernetesYAML]().ResourceProvider().(interface {
		Overridden(file string) ([]api.ResourceType, gaby.Position)
	})
	if !ok {
		return nil, gaby.Position{}
	}
	return provider.Overridden(file)
}

// registerAttribute registers the getter and the setter of an attribute.
func registerAttribute(h *handler.FunctionHandler, attribute configkit.AttributeDescription) error {
	suffix := string(attribute.Name)
	var options []generic.PathFunctionOption
	if get, set, ok := attributeExamples(suffix, attribute.Parameters); ok {
		options = append(options, generic.WithPathFunctionExamples(get, set))
	}
	err := generic.RegisterPathSetterAndGetter(
		h, suffix, attribute.Parameters, attribute.Description, attribute.Name,
		h.ResourceProvider(), true, attribute.Upsert, options...,
	)
	if err == nil {
		return nil
	}
	problem := &resourcetypes.Error{
		File: attribute.File, Pos: attribute.Pos, Key: suffix, Msg: err.Error(),
	}
	for _, name := range []string{"get-" + suffix, "set-" + suffix} {
		if other, taken := h.Registration(name); taken && other.AttributeName != attribute.Name {
			problem.Msg = fmt.Sprintf("there is a function %s already", name)
			problem.Hint = "give the attribute another name"
			break
		}
	}
	return problem
}

// attributeExamples builds examples from the examples of the parameters and, where there is none,
// from values that any parameter of the type accepts. It reports false if it cannot know an
// acceptable value.
func attributeExamples(
	suffix string, parameters []api.FunctionParameter,
) (get, set string, ok bool) {
	var words []string
	for i, p := range parameters {
		word := p.Example
		switch {
		case word != "":
		case p.DataType == api.DataTypeBool:
			word = "true"
		case p.DataType == api.DataTypeEnum:
			word = p.EnumValues[0]
		case p.DataType == api.DataTypeInt && p.Min != nil:
			word = strconv.Itoa(*p.Min)
		case p.DataType == api.DataTypeInt && p.Max == nil:
			word = "1"
		case i < len(parameters)-1 && p.Regexp == "":
			word = "*" // * matches everything in a path
		default:
			return "", "", false
		}
		words = append(words, shellwords.Quote(word))
	}
	getter := append([]string{"get-" + suffix}, words[:len(words)-1]...)
	setter := append([]string{"set-" + suffix}, words...)
	return strings.Join(getter, " "), strings.Join(setter, " "), true
}
