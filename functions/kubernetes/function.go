package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// argumentError returns the error for an argument.
func argumentError(parameter, value, hint, format string, args ...any) *handler.ArgumentError {
	return &handler.ArgumentError{
		Parameter: parameter, Value: value, HintText: hint,
		Message: "argument " + parameter + ": " + fmt.Sprintf(format, args...),
	}
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
