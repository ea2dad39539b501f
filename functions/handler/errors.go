package handler

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// UnknownFunctionError reports that no function has this name.
type UnknownFunctionError struct {
	Name        string
	Suggestions []string // most similar first
}

func (e *UnknownFunctionError) Error() string {
	return fmt.Sprintf("invoke %s: function does not exist", e.Name)
}

// Hint returns what to use instead of a former function, or else asks whether a similar name was
// meant. It returns "" if it knows neither.
func (e *UnknownFunctionError) Hint() string {
	return cmp.Or(formerFunction(e.Name), configkit.DidYouMean("", e.Suggestions))
}

// ArgumentError reports what is wrong with an argument, or with all arguments together if Parameter
// is empty.
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

// Unwrap returns the cause, or nil.
func (e *ArgumentError) Unwrap() error { return e.Err }

// Hint returns a way to fix the argument, or "".
func (e *ArgumentError) Hint() string {
	if hint := configkit.DidYouMean("", e.Suggestions); hint != "" {
		return hint
	}
	return e.HintText
}

// NotHermeticError reports a function that depends on more than its input, which the request does
// not allow.
type NotHermeticError struct{ Function string }

func (e *NotHermeticError) Error() string {
	return fmt.Sprintf("function %s depends on more than its input", e.Function)
}

// Hint says how to allow the function.
func (e *NotHermeticError) Hint() string {
	return "--allow-external lets functions use files, programs and the network. A function that " +
		"uses none of them should declare Hermetic: true"
}

// ArgumentErrors returns an *ArgumentError about the parameter for each problem in err, joined.
func ArgumentErrors(parameter string, err error) error {
	var all []error
	for _, err := range configkit.Unjoin(err) {
		all = append(all, InvalidArgument(parameter, "%w", err))
	}
	return errors.Join(all...)
}

// InvalidArgument returns an error about an argument. Its message is "argument NAME: " and the
// formatted text. It has the hint of the error that the text wraps with %w.
func InvalidArgument(parameter, format string, values ...any) *ArgumentError {
	err := fmt.Errorf(format, values...)
	return &ArgumentError{
		Parameter: parameter, Message: "argument " + parameter + ": " + err.Error(),
		HintText: hintOf(err), Err: err,
	}
}

// WithHint sets the hint of an error and returns the error.
func (e *ArgumentError) WithHint(hint string) *ArgumentError {
	e.HintText = hint
	return e
}

// hintOf returns the hint of the errors that arguments are parsed with, or "".
func hintOf(err error) string {
	if e, ok := errors.AsType[*expression.Error](err); ok && e.Hint != "" {
		return e.Hint
	}
	if e, ok := errors.AsType[*where.Error](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*yamlpath.Error](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*resourcetypes.NoAccessorError](err); ok {
		return e.Hint()
	}
	return limit.HintOf(err)
}

// RegistrationError reports why a function could not be registered.
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

// OutputTypeError reports a function whose output does not have the type that its signature
// declares.
type OutputTypeError struct {
	Function string
	Declared api.OutputType
	Value    any
}

func (e *OutputTypeError) Error() string {
	return fmt.Sprintf("the signature of %s says that its output is of type %s, but it returned %T",
		e.Function, e.Declared, e.Value)
}

// Hint says how Go types and output types correspond.
func (e *OutputTypeError) Hint() string {
	return "outputs of the known types have the Go types of api; JSON and Opaque can be anything"
}

// PanicError reports a panic of a function, or of the executor itself if Function is empty.
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

// ErrUnsupportedRequest is wrapped by the errors of requests that this executor does not support.
var ErrUnsupportedRequest = errors.New("unsupported request")
