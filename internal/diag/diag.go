// Package diag represents and prints the problems of fctl: each with its position in the file, the
// resource, the function and the argument, and at most one hint.
//
// A problem is an api.Failure. This package adds the constructors that the command line needs, the
// order in which problems are reported, and the text. A problem with an expression shows the
// expression with a caret. Messages are lower case and have no final period. "fctl: " is prepended
// to problems without a file, only here. The package has the one table of exit statuses, for fctl
// and fctl-runner.
//
// Layer: base.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
)

// Stdin is the name of the standard input in positions.
const Stdin = "<stdin>"

// Usage returns a problem with the words on the command line.
func Usage(format string, args ...any) *api.Failure {
	err := fmt.Errorf(format, args...)
	return &api.Failure{Class: api.FailureUsage, Message: err.Error(), Err: errors.Unwrap(err)}
}

// UsageHint is Usage with a hint, usually the corrected command.
func UsageHint(hint, format string, args ...any) *api.Failure {
	f := Usage(format, args...)
	f.Hint = hint
	return f
}

// Untrusted returns the problem of something that is refused because the repository is not trusted.
func Untrusted(format string, args ...any) *api.Failure {
	return UsageHint("--trust allows it, if you trust everything in the repository",
		format+": the repository is not trusted", args...)
}

// Input returns a problem with a file that cannot be read. file is a name as returned by FileName.
// An error that is a problem already, such as a refused path, stays as it is.
func Input(file, hint string, err error) *api.Failure {
	if refused, ok := errors.AsType[*api.Failure](err); ok {
		return refused
	}
	return &api.Failure{
		Class: api.FailureInput, Pos: api.Position{File: file},
		Message: err.Error(), Hint: hint, Err: err,
	}
}

// FileName returns the name of a file in messages: relative paths start with a dot, so that
// terminals and editors turn them into links.
func FileName(path string) string {
	switch {
	case path == "-":
		return Stdin
	case path == "", filepath.IsAbs(path), path == ".", path == "..",
		strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
		return path
	}
	return "./" + path
}

// List is several problems reported together.
type List []*api.Failure

// Error returns the first problem and the number of others.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no problem"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", l[0], len(l)-1)
}

// Unwrap gives errors.Is and errors.AsType every problem.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, f := range l {
		errs[i] = f
	}
	return errs
}

// Err returns the list, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// In returns copies of the failures, with file as the file of those that have none.
func In(file string, failures []*api.Failure) List {
	l := make(List, len(failures))
	for i, f := range failures {
		in := *f
		if in.Pos.File == "" {
			in.Pos.File = file
		}
		l[i] = &in
	}
	return l
}

// Sort orders the problems of each file by position. Files keep their order of appearance, problems
// without a line come first in their file, and problems with the same position keep their order.
func (l List) Sort() {
	rank := make(map[string]int, 1)
	for _, f := range l {
		if _, ok := rank[f.Pos.File]; !ok {
			rank[f.Pos.File] = len(rank)
		}
	}
	slices.SortStableFunc(l, func(a, b *api.Failure) int {
		return cmp.Or(
			cmp.Compare(rank[a.Pos.File], rank[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
		)
	})
}

// Failures collects the problems inside err, including those joined by errors.Join. An error of
// another type becomes a problem of the class unknown.
func Failures(err error, unknown api.FailureClass) List {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		errs := several.Unwrap()
		// joined, without text of its own
		if joined := errors.Join(errs...); joined != nil && joined.Error() == err.Error() {
			var l List
			for _, e := range errs {
				l = append(l, Failures(e, unknown)...)
			}
			return l
		}
	}
	if l, ok := errors.AsType[List](err); ok {
		return l
	}
	if f, ok := errors.AsType[*api.Failure](err); ok {
		return List{f}
	}
	return List{{Class: unknown, Message: err.Error(), Err: err}}
}

// Style colours the parts of a problem; the zero Style is plain.
type Style struct {
	Position, Hint, Caret func(string) string
}

// Write writes the problems, one per line, each followed by the expression it is about with a
// caret, if any, and by its hint on a line. A repeated hint is written only once.
func (l List) Write(w io.Writer, style Style) error {
	var b strings.Builder
	hints := map[string]bool{}
	for _, f := range l {
		b.WriteString(apply(style.Position, prefix(f.Pos)))
		for _, part := range []string{f.Resource, api.InvocationLabel(f.Function, f.Invocation)} {
			if part != "" {
				b.WriteString(Printable(part) + ": ")
			}
		}
		if f.Argument != "" && !strings.Contains(f.Message, f.Argument) {
			b.WriteString("argument " + f.Argument + ": ")
		}
		b.WriteString(Printable(f.Message))
		b.WriteByte('\n')
		b.WriteString(apply(style.Caret, caret(f)))
		if f.Hint != "" && !hints[f.Hint] {
			hints[f.Hint] = true
			b.WriteString(apply(style.Hint, "hint:") + " " + Printable(f.Hint) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteNotes writes notes, which are not problems. file is that of notes without one.
func WriteNotes(w io.Writer, file string, notes []api.Note, style Style) error {
	if len(notes) == 0 {
		return nil
	}
	var b strings.Builder
	for _, n := range notes {
		if n.Pos.File == "" {
			n.Pos.File = file
		}
		b.WriteString(apply(style.Position, prefix(n.Pos)) + "note: ")
		if n.Function != "" {
			b.WriteString(Printable(api.InvocationLabel(n.Function, n.Invocation)) + ": ")
		}
		b.WriteString(Printable(n.Text()) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Program begins messages about no file.
const Program = "fctl: "

func prefix(p api.Position) string {
	if p.File == "" {
		return Program
	}
	return Printable(p.String()) + ": "
}

func apply(style func(string) string, text string) string {
	if style == nil || text == "" {
		return text
	}
	return style(text)
}

// PrintableLines is Printable for a text of several lines.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Printable escapes the characters of s that people do not see as what they are, so that a message
// with user data stays on one line.
func Printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !isVisible(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isVisible(r) || r == utf8.RuneError {
			b.WriteRune(r) // also for bytes that are not a character
		} else {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// isVisible reports whether people see a character as what it is. Some letters and marks are
// printable and show nothing: fillers, and the variation selectors that hide text in an emoji.
func isVisible(r rune) bool {
	const firstOfSupplement = 0xE0100 // of the variation selectors; those before it are usual
	return r != utf8.RuneError && unicode.IsPrint(r) &&
		(r <= unicode.MaxLatin1 || r < firstOfSupplement &&
			!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}

// Count returns a number of things in words: "1 file", "2 files".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
