// Package expression has what the languages of expressions share; each language is a package below it:
//
//	cel       the expression language of Kubernetes, over the values of documents as they stand
//	starlark  programs in a dialect of Python
//	yq        the language of yq
//	template  Go text templates
//
// Programs are compiled once, evaluated concurrently and hermetic: they see the resource, their parameters and the context of the
// function, and no file, environment, network, clock or chance. The limits of the libraries end programs that take too long;
// nothing limits their memory. What is wrong with a program or with what it did is an [Error], which knows the place in the
// program and, if there is one, in the document.
package expression

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// MaxLength is how many bytes an expression or program may have.
const MaxLength = 128 << 10

// Error tells what is wrong with a program, or what went wrong when it ran.
type Error struct {
	Language string
	Text     string        // the program
	Column   int           // counted in runes of the whole text, from 1; 0 when it is not known
	Pos      gaby.Position // of the value in a document that it went wrong with; zero when there is none
	Msg      string
	Hint     string
	Err      error // what caused it, if anything
}

// Error is the message with the language and the place in the program in front.
func (e *Error) Error() string {
	if place := e.place(); place != "" {
		return e.Language + ": " + place + ": " + e.Msg
	}
	return e.Language + ": " + e.Msg
}

func (e *Error) place() string {
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

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Expression is the program and the column in which it is wrong.
func (e *Error) Expression() (text string, column int) { return e.Text, e.Column }

// Column is the column of the whole text that a line and a character in it are, all counted from 1; 0 when there is no such place.
func Column(text string, line, character int) int {
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

// FailureIn makes a failure of what went wrong with a resource: at the place in the document that an [Error] knows, or else at the
// resource's. Errors of edits know their own places and stay what they are.
func FailureIn(doc *gaby.YamlDoc, err error) error {
	if _, ok := errors.AsType[*gaby.EditError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		return err
	}
	failure := &api.Failure{Class: api.FailureFunction, Message: err.Error(), Err: err}
	pos := doc.Position()
	if e, ok := errors.AsType[*Error](err); ok {
		failure.Hint = e.Hint
		if e.Pos.Line > 0 {
			pos = e.Pos
		}
	}
	failure.Pos = pos
	return failure
}

// Context is what programs see of the context of a function, by the names of its fields: strings, int64s, bools, maps and lists
// of strings.
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

// Scope is what programs see beside the resource. It is not changed by them.
type Scope struct {
	Params  map[string]any // what JSON knows
	Context map[string]any // see [Context]
	// Print takes what a program prints, if its language can print.
	Print func(text string)
}

// Params reads arguments of the form key=value. The error names the first that is not, or a key given twice.
func Params(words []string) (map[string]any, error) {
	params := make(map[string]any, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%s is not of the form key=value", configkit.Quoted(word))
		}
		if _, twice := params[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		params[key] = value
	}
	return params, nil
}

// YAML is Go data, as [gaby.YamlDoc.Set] takes it, as YAML text without a line end behind it.
func YAML(data any) (string, error) {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		err = doc.SetData(data)
	}
	return strings.TrimSuffix(doc.String(), "\n"), err
}
