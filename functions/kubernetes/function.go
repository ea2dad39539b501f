package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// editor edits documents and returns the number of its matches.
type editor func(
	fc *api.FunctionContext, docs gaby.Container, args handler.Arguments,
) (matches int, err error)

// mutating completes the registration of a function that edits documents.
func mutating(r handler.FunctionRegistration, edit editor) handler.FunctionRegistration {
	r.Mutating = true
	r.Function = handler.Edits(func(c *handler.Call) (int, error) {
		return edit(c.FunctionContext, c.Docs, c.Args)
	})
	return complete(r)
}

// vetter checks documents. other is the other data of the function.
type vetter func(
	fc *api.FunctionContext, docs gaby.Container, args handler.Arguments, other []byte,
) (api.ValidationResult, error)

// validating completes the registration of a function that checks documents. description describes
// its result.
func validating(
	r handler.FunctionRegistration, description string, vet vetter,
) handler.FunctionRegistration {
	r.Validating = true
	r.OutputInfo = handler.Output(api.OutputTypeValidationResult, "passed", description)
	r.Function = handler.Reads(func(c *handler.Call) (any, error) {
		return vet(c.FunctionContext, c.Docs, c.Args, c.Other)
	})
	return complete(r)
}

// complete fills in what most functions have in common.
func complete(r handler.FunctionRegistration) handler.FunctionRegistration {
	r.Hermetic, r.Idempotent = true, true
	return r
}

// reading completes the registration of a function that reads rows of each document by itself.
func reading(
	r handler.FunctionRegistration, result, description string,
	read func(docs gaby.Container) (api.AttributeValueList, error),
) handler.FunctionRegistration {
	r.OutputInfo = handler.Output(api.OutputTypeAttributeValueList, result, description)
	r.PerDocument, r.RowsSorted = true, true
	r.Function = handler.Rows(func(c *handler.Call) (api.AttributeValueList, error) {
		return read(c.Docs)
	})
	return complete(r)
}

// argumentError returns the error for an argument.
func argumentError(parameter, value, hint, format string, args ...any) *handler.ArgumentError {
	return &handler.ArgumentError{
		Parameter: parameter, Value: value, HintText: hint,
		Message: "argument " + parameter + ": " + fmt.Sprintf(format, args...),
	}
}

// parameterOf returns a parameter of the functions of an attribute, for functions that have the
// same one.
func parameterOf(
	provider configkit.ResourceProvider, attribute api.AttributeName, name string,
) api.FunctionParameter {
	info, _ := provider.AttributeInfo(attribute)
	for _, p := range info.Parameters {
		if p.ParameterName == name {
			return p
		}
	}
	return textParameter(name, "", name, "")
}

// textParameter returns a required string parameter. regexp may be "".
func textParameter(name, example, description, regexp string) api.FunctionParameter {
	p := handler.Required(name, api.DataTypeString, example, description)
	p.Regexp = regexp
	return p
}

// intParameter returns a required int parameter with a minimum.
func intParameter(name, example, description string, least int) api.FunctionParameter {
	p := handler.Required(name, api.DataTypeInt, example, description)
	p.Min = &least
	return p
}

// enumParameter returns a required parameter that is one of the values.
func enumParameter(name, example, description string, values ...string) api.FunctionParameter {
	p := handler.Required(name, api.DataTypeEnum, example, description)
	p.EnumValues = values
	return p
}

// optional returns a parameter that may be omitted.
func optional(p api.FunctionParameter) api.FunctionParameter {
	p.Required = false
	return p
}
