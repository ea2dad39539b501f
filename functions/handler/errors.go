package handler

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/expression"
)

// UnknownFunctionError tells that no function has the name.
type UnknownFunctionError struct {
	Name        string
	Suggestions []string // most similar first
}

func (e *UnknownFunctionError) Error() string {
	return fmt.Sprintf("invoke %s: function does not exist", e.Name)
}

// Hint returns what to use in place of a function that existed before, or the question whether another name was meant, or "".
func (e *UnknownFunctionError) Hint() string {
	return cmp.Or(formerFunction(e.Name), configkit.DidYouMean("", e.Suggestions))
}

// ArgumentError tells what is wrong with an argument, or with the arguments as a whole (Parameter is then empty).
type ArgumentError struct {
	Function    string
	Parameter   string
	Value       any
	Message     string
	Suggestions []string
	HintText    string
	Err         error
}

func (e *ArgumentError) Error() string { return e.Message }

// Unwrap is the cause.
func (e *ArgumentError) Unwrap() error { return e.Err }

// Hint is a way out, or "".
func (e *ArgumentError) Hint() string {
	if hint := configkit.DidYouMean("", e.Suggestions); hint != "" {
		return hint
	}
	return e.HintText
}

// NotHermeticError tells that a function depends on more than its input, which the request does not allow.
type NotHermeticError struct{ Function string }

func (e *NotHermeticError) Error() string {
	return fmt.Sprintf("function %s depends on more than its input", e.Function)
}

// Hint is how to allow it.
func (e *NotHermeticError) Hint() string {
	return "--allow-external lets functions use files, programs and the network; the author of one that uses none says so with Hermetic: true"
}

// ArgumentErrors returns an *ArgumentError about an argument for each problem in err. It has the hint of an *expression.Error.
func ArgumentErrors(parameter string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range joined.Unwrap() {
			all = append(all, ArgumentErrors(parameter, err))
		}
		return errors.Join(all...)
	}
	failure := &ArgumentError{Parameter: parameter, Message: fmt.Sprintf("argument %s: %v", parameter, err), Err: err}
	if e, ok := errors.AsType[*expression.Error](err); ok {
		failure.HintText = e.Hint
	}
	return failure
}

// RegistrationError tells why a function could not be registered.
type RegistrationError struct {
	Function string
	Problems []string
}

func (e *RegistrationError) Error() string {
	name := e.Function
	if name == "" {
		name = "(no name)"
	}
	return fmt.Sprintf("registering function %s: %s", name, strings.Join(e.Problems, "; "))
}

// OutputTypeError tells that a function returned something else than its signature says.
type OutputTypeError struct {
	Function string
	Declared api.OutputType
	Value    any
}

func (e *OutputTypeError) Error() string {
	return fmt.Sprintf("the signature of %s says that its output is of type %s, but it returned %T", e.Function, e.Declared, e.Value)
}

// Hint is how an output gets its type.
func (e *OutputTypeError) Hint() string {
	return "outputs of the known types have the Go types of api; JSON and Opaque can be anything"
}

// PanicError is a panic of a function (or, without a name, of the executor itself), made an error.
type PanicError struct {
	Function string
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	if e.Function == "" {
		return fmt.Sprintf("the executor panicked: %v", e.Value)
	}
	return fmt.Sprintf("the function panicked: %v", e.Value)
}

// ErrUnsupportedRequest is wrapped by errors about requests that ask for something this executor does not offer.
var ErrUnsupportedRequest = errors.New("unsupported request")
