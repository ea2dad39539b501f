// Package strict decodes the files that define something: chains, settings, baselines, Bundles,
// entities, Kptfiles, FunctionConfigs, resource types. It is the only package that does, so that a
// mistake is reported in the same words and at the same position in all of them.
//
// A table of fields describes a map. A Reader collects all problems of a text: unknown fields with
// what was probably meant, fields given twice, wrong types, missing fields. Aliases and merge keys
// mean their values, and null is the same as a missing field. The parser limits depth and aliases.
//
// Layer: document.
package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Kind says which mistake a problem is.
type Kind int

// The kinds of problems.
const (
	Wrong    Kind = iota // a value with a right type; what Fail reports
	Syntax               // not YAML
	Unknown              // a field
	Repeated             // a field
	Type
	Missing // a field
)

// Problem is one mistake in a definition.
type Problem struct {
	Failure api.Failure
	Kind    Kind
	Code    string // of the caller, if its problems have codes
}

// Reader reads texts and collects their problems.
type Reader struct {
	File     string // its name in messages
	Resource string // of problems from now on
	Function string // of problems from now on
	// Locate returns the position in the file of a position in the text; nil if they are the same.
	Locate func(api.Position) api.Position
	// Respelled is called for a field whose name is written in another case, which then counts. If
	// it is nil, such a field is unknown.
	Respelled func(Value, Field)

	problems []*Problem
}

// Document parses a text with one document. The value does not exist if the text is empty or is not
// YAML.
func (r *Reader) Document(text []byte) Value {
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		r.Syntax(err)
	}
	return r.Value(doc.Value(), "")
}

// Documents parses a text and returns its documents, without empty ones, up to the first that is
// not YAML.
func (r *Reader) Documents(text []byte) []Value {
	docs, err := gaby.ParseAll(text)
	var values []Value
	for _, doc := range docs {
		if err = cmp.Or(err, doc.Check()); err != nil {
			break
		}
		if v := r.Value(doc.Value(), ""); v.Exists() {
			values = append(values, v)
		}
	}
	if err != nil {
		r.Syntax(err)
	}
	return values
}

// Value returns a value of a document that is parsed already. It does not exist if it is null. path
// is what messages call it.
func (r *Reader) Value(v gaby.Value, path string) Value {
	if v.IsNull() {
		v = gaby.Value{}
	}
	return Value{v, path, r}
}

// Syntax reports an error of the parser.
func (r *Reader) Syntax(err error) {
	f := &r.report(Syntax, gaby.Position{}, "", "%w", err).Failure
	f.Class = api.FailureInput
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Pos, f.Message, f.Hint = r.position(syntax.Pos), syntax.Msg, syntax.Hint
	}
}

// Report adds a problem with no value, such as a text that is too long.
func (r *Reader) Report(at gaby.Position, hint, format string, args ...any) *Problem {
	return r.report(Wrong, at, hint, format, args...)
}

// Add adds a problem that something else found.
func (r *Reader) Add(at gaby.Position, f *api.Failure) {
	p := &Problem{Failure: *f}
	p.Failure.Pos = r.position(at)
	r.problems = append(r.problems, p)
}

// report adds a problem. A value with a wrong type has no other problem.
func (r *Reader) report(
	kind Kind, at gaby.Position, hint, format string, args ...any,
) *Problem {
	err := fmt.Errorf(format, args...)
	p := &Problem{Kind: kind, Failure: api.Failure{
		Class: api.FailureUsage, Pos: r.position(at), Resource: r.Resource, Function: r.Function,
		Message: err.Error(), Hint: hint, Err: errors.Unwrap(err),
	}}
	if last := len(r.problems) - 1; kind == Wrong && last >= 0 &&
		r.problems[last].Kind == Type && r.problems[last].Failure.Pos == p.Failure.Pos {
		return p
	}
	r.problems = append(r.problems, p)
	return p
}

func (r *Reader) position(at gaby.Position) api.Position {
	pos := api.Position{File: r.File, Line: at.Line, Column: at.Column}
	if r.Locate != nil {
		pos = r.Locate(pos)
	}
	return pos
}

// Count returns the number of problems so far.
func (r *Reader) Count() int { return len(r.problems) }

// Problems returns the problems in the order of their positions. A value that was read several
// times, through aliases for example, has its problems once.
func (r *Reader) Problems() []*Problem {
	slices.SortStableFunc(r.problems, func(a, b *Problem) int {
		at, other := a.Failure.Pos, b.Failure.Pos
		return cmp.Or(cmp.Compare(at.Line, other.Line), cmp.Compare(at.Column, other.Column))
	})
	r.problems = slices.CompactFunc(r.problems, func(a, b *Problem) bool {
		return a.Failure.Pos == b.Failure.Pos && a.Failure.Message == b.Failure.Message
	})
	return r.problems
}

// Failures returns the problems as callers print them.
func (r *Reader) Failures() []*api.Failure {
	problems := r.Problems()
	failures := make([]*api.Failure, len(problems))
	for i, p := range problems {
		failures[i] = &p.Failure
	}
	return failures
}
