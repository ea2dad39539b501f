package kubernetes

import (
	"cmp"
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
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
	) (gaby.Container, any, error) {
		matches, err := edit(fc, docs, args)
		fc.Matched(matches)
		return docs, nil, err
	}
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
	r.OutputInfo = &api.FunctionOutput{
		ResultName: "passed", Description: description, OutputType: api.OutputTypeValidationResult,
	}
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		result, err := vet(fc, docs, args, other)
		return docs, result, err
	}
	return complete(r)
}

// complete fills in what most functions have in common.
func complete(r handler.FunctionRegistration) handler.FunctionRegistration {
	r.Hermetic, r.Idempotent = true, true
	r.FunctionType = cmp.Or(r.FunctionType, api.FunctionTypeCustom)
	for _, p := range r.Parameters {
		if p.Required {
			r.RequiredParameters++
		}
	}
	return r
}

// reading completes the registration of a function that reads rows of each document by itself.
func reading(
	r handler.FunctionRegistration, result, description string,
	read func(docs gaby.Container) (api.AttributeValueList, error),
) handler.FunctionRegistration {
	r.OutputInfo = &api.FunctionOutput{
		ResultName: result, Description: description, OutputType: api.OutputTypeAttributeValueList,
	}
	r.PerDocument, r.RowsSorted = true, true
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
	) (gaby.Container, any, error) {
		rows, err := read(docs)
		fc.Matched(len(rows))
		return docs, rows, err
	}
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
	return api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeString, Example: example,
		Description:      description,
		ValueConstraints: api.ValueConstraints{Regexp: regexp},
	}
}

// intParameter returns a required int parameter with a minimum.
func intParameter(name, example, description string, least int) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeInt, Example: example,
		Description:      description,
		ValueConstraints: api.ValueConstraints{Min: &least},
	}
}

// enumParameter returns a required parameter that is one of the values.
func enumParameter(name, example, description string, values ...string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeEnum, Example: example,
		Description:      description,
		ValueConstraints: api.ValueConstraints{EnumValues: values},
	}
}

// optional returns a parameter that may be omitted.
func optional(p api.FunctionParameter) api.FunctionParameter {
	p.Required = false
	return p
}
