package functions

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

// AddResourceTypes adds the contents of files about Kubernetes resource types. For each attribute
// they define it registers get-<name> and set-<name>, which are like the built-in functions in
// every respect. Call it before the first use of the executor. The errors are *api.Failure; after
// an error the executor must not be used.
func (e *Executor) AddResourceTypes(files ...resourcetypes.TypesFile) error {
	h := e.handlers[api.ToolchainKubernetesYAML]()
	provider := h.ResourceProvider()
	extensible, ok := provider.(interface {
		AddFiles(files ...resourcetypes.TypesFile) error
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
	e.added.Types = append(e.added.Types, files...)
	var problems []error
	for _, attribute := range provider.Attributes() {
		if before, ok := known[attribute.Name]; ok && before.File == attribute.File {
			continue // its functions are registered already
		}
		if err := generic.RegisterAttribute(h, attribute, provider); err != nil {
			problems = append(problems, attributeProblem(h, attribute, err))
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

// attributeProblem returns the error for an attribute whose functions cannot be registered.
func attributeProblem(
	h *handler.FunctionHandler, attribute configkit.AttributeDescription, err error,
) error {
	suffix := attribute.Functions.Name
	problem := &api.Failure{
		Class: api.FailureUsage, Message: suffix + ": " + err.Error(),
		Pos: api.Position{
			File: attribute.File, Line: attribute.Pos.Line, Column: attribute.Pos.Column,
		},
	}
	for _, name := range []string{"get-" + suffix, "set-" + suffix} {
		if other, taken := h.Registration(name); taken && other.AttributeName != attribute.Name {
			problem.Message = fmt.Sprintf("%s: function %s exists already", suffix, name)
			problem.Hint = "give the attribute another name"
			break
		}
	}
	return problem
}
