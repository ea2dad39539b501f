// Package handler is one toolchain's registry of functions and the pipeline that runs chains of them.
//
// The rules of this room:
//   - What is wrong with a registration is found when it is registered, what is wrong with an argument before anything runs.
//     The built-in functions are registered unchecked, because a test checks them and users need not wait for it.
//   - Which documents a function sees is decided here, by where-expressions; functions know nothing of those. What they do not
//     see stays where it is, byte by byte.
//   - All functions of a chain work on the same documents; a function that fails leaves them as it found them.
//   - Running the documents of a unit in parallel is an implementation detail: output, order and errors are those of the
//     sequential run.
//   - The cause of every problem is an error type of this package or of api; callers branch on types, never on texts.
package handler

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// FunctionImplementation is the body of a function. It gets the documents (which it may edit in place), its arguments in the
// order of the parameters, and the other data of the request if its signature asks for it. It returns the documents, its
// output if it has one, and what went wrong: one error, or several joined with errors.Join.
//
// Arguments of skipped optional parameters are absent, so look arguments up by name; see Arguments.
type FunctionImplementation func(fc *api.FunctionContext, documents gaby.Container, args []api.FunctionArgument, otherData []byte) (gaby.Container, any, error)

// FunctionRegistration is a function as it is registered.
type FunctionRegistration struct {
	api.FunctionSignature
	Function FunctionImplementation

	// Aliases are other names of the function. Outputs carry the name that was invoked.
	Aliases []string
	// DeprecatedAliases are other names that are only kept for those who know them.
	DeprecatedAliases []string
	// PerDocument promises that the function treats every document by itself: run on parts of the documents, with the
	// outputs put together, it gives what it gives on all of them. Such functions are run in parallel. Lists are appended.
	// A validating function passes when it passes on all parts, and what it found in them is put together in order; one that
	// passes when anything in the unit does, or compares documents, cannot promise it.
	PerDocument bool
	// Join completes calls for parts of a unit: it gets what each left with Leave, in order, and makes the notes that are about the
	// unit. It returns ErrWholeUnit when a call for the whole unit would have done something else.
	Join func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error
	// WholeUnit says that the function is about the unit and not about its resources: it sees all documents, whatever
	// where-expressions say, and knows the hash of the data it began with.
	WholeUnit bool
	// KeepsNames says that the function, though mutating, adds and removes no resources and leaves their names, namespaces and types.
	KeepsNames bool
	// Nameless says that the function looks at documents too that lack nothing but a name.
	Nameless bool
	// RowsSorted has the rows of the output, or those that did not pass, sorted by resource type, resource name and path.
	RowsSorted bool
	// ValueParameter is the first parameter that says what to set rather than where, so that what is told about a place nothing
	// was found at leaves it and those after it out. Of a setter of registered paths it is the last one if nothing else is said.
	ValueParameter string
	// Places are where a function without an AttributeName applies, as far as that does not depend on its arguments.
	Places configkit.PathSource
	// CheckArguments finds what the constraints of the parameters cannot express, before any file is read. Its errors are
	// best *ArgumentError.
	CheckArguments func(args []api.FunctionArgument) error
}

// names are all names of the function, its own first.
func (r *FunctionRegistration) names() []string {
	names := make([]string, 0, 1+len(r.Aliases)+len(r.DeprecatedAliases))
	return append(append(append(names, r.FunctionName), r.Aliases...), r.DeprecatedAliases...)
}

// FunctionRegistry is what families of functions register with.
type FunctionRegistry interface {
	RegisterFunction(registration FunctionRegistration) error
}

// Register registers functions, up to the first one that is refused.
func Register(registry FunctionRegistry, registrations ...FunctionRegistration) error {
	for i := range registrations {
		if err := registry.RegisterFunction(registrations[i]); err != nil {
			return err
		}
	}
	return nil
}

// Arguments looks arguments up by parameter name.
type Arguments []api.FunctionArgument

// Lookup is the value of the first argument of that name.
func (a Arguments) Lookup(name string) (any, bool) {
	for i := range a {
		if a[i].ParameterName == name {
			return a[i].Value, true
		}
	}
	return nil, false
}

// String is the argument as a string, "" when it is absent.
func (a Arguments) String(name string) string {
	v, _ := a.Lookup(name)
	s, _ := v.(string)
	return s
}

// Int is the argument as an int, 0 when it is absent.
func (a Arguments) Int(name string) int {
	v, _ := a.Lookup(name)
	n, _ := v.(int)
	return n
}

// Bool is the argument as a bool, false when it is absent.
func (a Arguments) Bool(name string) bool {
	v, _ := a.Lookup(name)
	b, _ := v.(bool)
	return b
}
