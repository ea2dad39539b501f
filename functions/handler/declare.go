package handler

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Required returns a parameter that must be given.
func Required(name string, t api.DataType, example, description string) api.FunctionParameter {
	p := Optional(name, t, example, description)
	p.Required = true
	return p
}

// Optional returns a parameter that may be omitted.
func Optional(name string, t api.DataType, example, description string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, DataType: t, Example: example, Description: description,
	}
}

// Output describes what a function returns besides the documents.
func Output(t api.OutputType, name, description string) *api.FunctionOutput {
	return &api.FunctionOutput{ResultName: name, Description: description, OutputType: t}
}

// Call is one call of a function.
type Call struct {
	*api.FunctionContext
	Docs  gaby.Container
	Args  Arguments
	Other []byte // other data that the signature asks for
}

// Reads implements a function that returns an output, and the documents as they are.
func Reads(f func(c *Call) (any, error)) FunctionImplementation {
	return func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		output, err := f(&Call{fc, docs, args, other})
		return docs, output, err
	}
}

// Rows implements a function that returns a list with an element for each match.
func Rows[S ~[]E, E any](f func(c *Call) (S, error)) FunctionImplementation {
	return Reads(func(c *Call) (any, error) {
		rows, err := f(c)
		c.Matched(len(rows))
		return rows, err
	})
}

// Edits implements a function that edits the documents it gets and returns the number of matches.
func Edits(f func(c *Call) (matches int, err error)) FunctionImplementation {
	return Reads(func(c *Call) (any, error) {
		matches, err := f(c)
		c.Matched(matches)
		return nil, err
	})
}
