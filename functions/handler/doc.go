// Package handler implements the registry of one toolchain's functions and the pipeline that runs
// chains of them.
//
// The rules of this package:
//   - Problems of a registration are found when the function is registered, and problems of an
//     argument before anything runs. Built-in functions are registered unchecked: a test checks
//     them, so that users need not wait for it.
//   - Where-expressions, which are evaluated here, decide which documents a function sees.
//     Functions do not know about them. Documents that a function does not see are preserved byte
//     by byte.
//   - All functions of a chain work on the same documents. A function that fails leaves them as it
//     found them.
//   - Running the documents of a unit in parallel is an implementation detail: output, order and
//     errors are those of the sequential run.
//   - The cause of every problem is an error type of this package or of api. Callers branch on
//     types, never on texts.
//
// Layer: functions.
package handler

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// FunctionImplementation is the body of a function. It gets the documents (which it may edit in
// place), its arguments in the order of the parameters, and the other data of the request that its
// signature asks for. It returns the documents, its output if it has one, and its error; several
// errors are joined with errors.Join.
//
// Arguments of omitted optional parameters are absent, so look arguments up by name; see Arguments.
type FunctionImplementation func(
	fc *api.FunctionContext, documents gaby.Container, args []api.FunctionArgument,
	otherData []byte,
) (gaby.Container, any, error)

// FunctionRegistration describes a function and how it is run.
type FunctionRegistration struct {
	api.FunctionSignature
	Function FunctionImplementation

	// Aliases are other names of the function. Outputs contain the name that was invoked.
	Aliases []string
	// DeprecatedAliases are other names that are only kept for those who know them.
	DeprecatedAliases []string
	// PerDocument promises that the function treats every document by itself: running it on parts
	// of the documents and combining the outputs has the same result as running it on all of them.
	// Such functions run in parallel. Lists are appended. A validating function passes if it passes
	// on all parts, and its findings are concatenated. A function that passes if any document
	// passes, or that compares documents, must not promise this.
	PerDocument bool
	// Join completes the calls for the parts of a unit. It gets what each call left with Leave, in
	// order, and makes the notes that are about the whole unit. It returns ErrWholeUnit if a call
	// for the whole unit would have had another result.
	Join func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error
	// AllFiles says that the function changes what belongs together, in several files: if it fails on
	// one of them, none may be written.
	AllFiles bool
	// WholeUnit says that the function is about the unit and not about its resources. It sees all
	// documents, whatever where-expressions say, and knows the hash of the data before the chain.
	WholeUnit bool
	// Surveys says that the function looks at what other resources of the input have; see SurveyOf.
	// It returns a function that reports whether it looks at the resources of a type, or nil if
	// with these arguments it looks at none.
	Surveys func(args []api.FunctionArgument) func(api.ResourceType) bool
	// KeepsNames says that the function, though mutating, does not add or remove resources and does
	// not change their names, namespaces or types.
	KeepsNames bool
	// Nameless says that the function also looks at documents that would be resources if they had a
	// name.
	Nameless bool
	// RowsSorted says that the rows of the output (or the failed attributes of a validation) are to
	// be sorted by resource type, resource name and path.
	RowsSorted bool
	// ValueParameter is the first parameter that says what to set rather than where. Messages that
	// nothing matched omit it and the parameters after it. For a setter of registered paths it
	// defaults to the last parameter.
	ValueParameter string
	// Paths are the paths to which a function without an AttributeName applies, as far as they do
	// not depend on its arguments.
	Paths configkit.PathSource
	// CheckArguments checks what the constraints of the parameters cannot express. It is called
	// before any file is read. Its errors should be *ArgumentError.
	CheckArguments func(args []api.FunctionArgument) error
}

// names returns all names of the function, its own first.
func (r *FunctionRegistration) names() []string {
	names := make([]string, 0, 1+len(r.Aliases)+len(r.DeprecatedAliases))
	return append(append(append(names, r.FunctionName), r.Aliases...), r.DeprecatedAliases...)
}

// FunctionRegistry accepts the functions of a family.
type FunctionRegistry interface {
	RegisterFunction(registration FunctionRegistration) error
}

// Register registers functions. It stops at the first one that is refused.
func Register(registry FunctionRegistry, registrations ...FunctionRegistration) error {
	for i := range registrations {
		if err := registry.RegisterFunction(registrations[i]); err != nil {
			return err
		}
	}
	return nil
}

// Arguments looks up arguments by parameter name.
type Arguments []api.FunctionArgument

// Lookup returns the value of the first argument with this name.
func (a Arguments) Lookup(name string) (any, bool) {
	for i := range a {
		if a[i].ParameterName == name {
			return a[i].Value, true
		}
	}
	return nil, false
}

// String returns the argument as a string, or "" if it is absent.
func (a Arguments) String(name string) string {
	v, _ := a.Lookup(name)
	s, _ := v.(string)
	return s
}

// Int returns the argument as an int, or 0 if it is absent.
func (a Arguments) Int(name string) int {
	v, _ := a.Lookup(name)
	n, _ := v.(int)
	return n
}

// Bool returns the argument as a bool, or false if it is absent.
func (a Arguments) Bool(name string) bool {
	v, _ := a.Lookup(name)
	b, _ := v.(bool)
	return b
}
