package handler

import (
	"slices"

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

// Call is one call of a function. A function that adds, removes or replaces documents sets Docs.
type Call struct {
	*api.FunctionContext
	Docs  gaby.Container
	Args  Arguments
	Other []byte // other data that the signature asks for
}

// Unit returns all documents of the unit: those that the function gets, and those that are not
// selected.
func (c *Call) Unit() gaby.Container {
	if s := ExcludedOf(c.FunctionContext); s != nil {
		return slices.Concat(c.Docs, s.Docs)
	}
	return c.Docs
}

// Reads implements a function that returns an output.
func Reads(f func(c *Call) (any, error)) FunctionImplementation {
	return func(
		fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		c := &Call{fc, docs, args, other}
		output, err := f(c)
		return c.Docs, output, err
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

// Editing completes the registration of a function that edits documents, as Edits says.
func Editing(
	r FunctionRegistration, edit func(c *Call) (matches int, err error),
) FunctionRegistration {
	r.Mutating, r.Hermetic, r.Idempotent = true, true, true
	r.Function = Edits(edit)
	return r
}

// Getting completes the registration of a function that reads rows of each document by itself.
// result and description describe the value of a row.
func Getting(
	r FunctionRegistration, result, description string,
	read func(c *Call) (api.AttributeValueList, error),
) FunctionRegistration {
	r.OutputInfo = Output(api.OutputTypeAttributeValueList, result, description)
	r.Hermetic, r.Idempotent, r.PerDocument, r.RowsSorted = true, true, true, true
	r.Function = Rows(read)
	return r
}

// Checking completes the registration of a function that checks documents. description describes
// its result.
func Checking(
	r FunctionRegistration, description string, check func(c *Call) (api.ValidationResult, error),
) FunctionRegistration {
	r.OutputInfo = Output(api.OutputTypeValidationResult, "passed", description)
	r.Validating, r.Hermetic, r.Idempotent = true, true, true
	r.Function = Reads(func(c *Call) (any, error) { return check(c) })
	return r
}

// Verdict returns the result of a check that found these rows wrong.
func Verdict(wrong api.AttributeValueList) api.ValidationResult {
	return api.ValidationResult{Passed: len(wrong) == 0, FailedAttributes: wrong}
}

// Parses returns a CheckArguments for a function that parses its arguments with parse.
func Parses[A ~[]api.FunctionArgument, T any](
	parse func(A) (T, error),
) func([]api.FunctionArgument) error {
	return func(args []api.FunctionArgument) error {
		_, err := parse(A(args))
		return err
	}
}
