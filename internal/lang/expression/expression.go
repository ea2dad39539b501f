// Package expression has what the expression languages share. Each language is a package below it:
//
//	cel       the expression language of Kubernetes, on the values of documents in place
//	starlark  programs in a dialect of Python
//	yq        the language of yq
//	template  Go text templates
//
// Programs are compiled once and can be evaluated concurrently. They are hermetic: they see the
// resource, their parameters and the context of the function, but no files, environment, network,
// clock or random numbers. Package limit ends programs that take too much memory or time. Problems
// of a program, when it is compiled or run, are reported as an [Error], which has the position in
// the program and, if there is one, in the document.
//
// Layer: languages.
package expression

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// MaxLength is the maximum length of an expression or program, in bytes.
const MaxLength = 128 << 10

// Source is a program in a language. It makes the errors of the program.
type Source struct {
	Language string
	Text     string // the whole program
}

// Fail returns an error at a column of the program, 0 if it is not known.
func (s Source) Fail(column int, format string, args ...any) *Error {
	return &Error{Source: s, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// Failed returns the error of a program that failed because of err.
func (s Source) Failed(err error) *Error {
	return &Error{Source: s, Msg: err.Error(), Hint: limit.HintOf(err), Err: err}
}

// Ended returns the error of a program that was ended because of err, the Err of its watch.
func (s Source) Ended(err error) *Error {
	e := &Error{Source: s, Msg: "it was ended", Err: err}
	if limited, ok := errors.AsType[*limit.Error](err); ok {
		e.Msg, e.Hint = limited.Error(), limited.Hint()
	}
	return e
}

// Error reports what is wrong with a program, or what went wrong when it ran.
type Error struct {
	Source
	Column int // in runes of the whole text, 1-based; 0 if unknown
	// of the value in a document that caused the error; zero if there is none
	Pos  gaby.Position
	Msg  string
	Hint string
	Err  error // the cause, if any
	// Result says that the program works, but its result is of a kind that is not wanted.
	Result bool
}

// Error returns the message after the language and the position in the program.
func (e *Error) Error() string {
	if position := e.position(); position != "" {
		return e.Language + ": " + position + ": " + e.Msg
	}
	return e.Language + ": " + e.Msg
}

// position returns the position of the error in the program for the message, or "".
func (e *Error) position() string {
	if e.Column < 1 {
		return ""
	}
	line, column := 1, 1
	for i, r := range []rune(e.Text) {
		if i == e.Column-1 {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	if line == 1 && !strings.Contains(strings.TrimSuffix(e.Text, "\n"), "\n") {
		return fmt.Sprintf("column %d", column)
	}
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Expression returns the program and the column of the error in it, as in Text and Column.
func (e *Error) Expression() (text string, column int) { return e.Text, e.Column }

// At converts a line and a character in that line to a column of the whole text. All are 1-based,
// and characters are runes. It returns 0 if there is no such position.
func (s Source) At(line, character int) int {
	text := s.Text
	if line < 1 || character < 1 {
		return 0
	}
	before := 0
	for range line - 1 {
		next := strings.IndexByte(text, '\n')
		if next < 0 {
			return 0
		}
		before += utf8.RuneCountInString(text[:next+1])
		text = text[next+1:]
	}
	if character > utf8.RuneCountInString(text)+1 {
		return 0
	}
	return before + character
}

// FailureIn turns an error about a resource into a failure. Its position is the one in the document
// that an [Error] knows, or else that of the resource. Edit and syntax errors have positions of
// their own and are returned unchanged. No error stays none.
func FailureIn(doc *gaby.YamlDoc, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*gaby.EditError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		return err
	}
	failure := &api.Failure{Class: api.FailureFunction, Message: err.Error(), Err: err}
	pos := doc.Position()
	failure.Hint = limit.HintOf(err)
	if e, ok := errors.AsType[*Error](err); ok {
		failure.Hint = cmp.Or(e.Hint, failure.Hint)
		if e.Pos.Line > 0 {
			pos = e.Pos
		}
	}
	failure.Pos = pos
	return failure
}

// In returns a context for the evaluation of a program on a resource. An evaluation that ends the
// run because it reaches a limit names the resource; info may be nil.
func In(ctx context.Context, doc *gaby.YamlDoc, info *api.ResourceInfo) context.Context {
	return limit.Named(ctx, inDocument(doc, info))
}

// At notes that a function goes on to a resource, which the error of a limit names that the function
// reaches there; info may be nil. It reports whether the function has to end.
func At(ctx context.Context, doc *gaby.YamlDoc, info *api.ResourceInfo) (late bool) {
	return limit.At(ctx, inDocument(doc, info))
}

func inDocument(doc *gaby.YamlDoc, info *api.ResourceInfo) func(error) error {
	return func(err error) error { return yamlpath.Locate(FailureIn(doc, err), info) }
}

// Context returns the context of a function as programs see it: by field name, as strings, int64s,
// bools, and maps and lists of strings.
func Context(fc *api.FunctionContext) map[string]any {
	fields := map[string]any{}
	if fc == nil {
		fc = &api.FunctionContext{}
	}
	for field, value := range reflect.ValueOf(*fc).Fields() {
		switch {
		case !field.IsExported():
		case value.Kind() == reflect.String:
			fields[field.Name] = value.String()
		case value.Kind() == reflect.Map && value.IsNil():
			fields[field.Name] = map[string]string{}
		case value.Kind() == reflect.Slice && value.IsNil():
			fields[field.Name] = []string{}
		default:
			fields[field.Name] = value.Interface()
		}
	}
	return fields
}

// Scope is what programs see besides the resource. They do not change it.
type Scope struct {
	Params  map[string]any // values that JSON can represent
	Context map[string]any // see [Context]
	// Variables are further variables that a program sees: values of documents, and Go data.
	Variables map[string]any
	// Print takes what a program prints, if its language can print.
	Print func(text string)
}

// Params parses arguments of the form key=value. The error names the first malformed argument or
// repeated key.
func Params(words []string) (map[string]any, error) {
	params := make(map[string]any, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%s is not of the form key=value", configkit.Quote(word))
		}
		if _, twice := params[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		params[key] = value
	}
	return params, nil
}

// YAML returns Go data, as accepted by [gaby.YamlDoc.SetData], as YAML text without a final
// newline.
func YAML(data any) (string, error) {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		err = doc.SetData(data)
	}
	return strings.TrimSuffix(doc.String(), "\n"), err
}
