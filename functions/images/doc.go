// Package images has the functions for images, in resources of Kubernetes and in other files that
// their names tell: values of charts, compose files, workflows, Dockerfiles.
//
// Where a type has images is knowledge and comes from the ResourceProvider. Only the fields of charts,
// which choose their own, and the lines of a Dockerfile are recognized here.
//
// Layer: functions.
package images

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// textParameter returns a required string parameter. regexp may be "".
func textParameter(name, example, description, regexp string) api.FunctionParameter {
	p := handler.Required(name, api.DataTypeString, example, description)
	p.Regexp = regexp
	return p
}

// optional returns a parameter that may be omitted.
func optional(p api.FunctionParameter) api.FunctionParameter {
	p.Required = false
	return p
}
