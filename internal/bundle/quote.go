package bundle

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
)

// maxQuoted bounds how many references without quotes are reported: each needs a parse of its own.
const maxQuoted = 100

// quotedSpan is a reference that was put in quotes: its line and its columns in the file.
type quotedSpan struct{ line, from, to int }

// quotedSpans are those of one file, in order.
type quotedSpans []quotedSpan

// original returns the position in the file of a position in the text with the quotes.
func (q quotedSpans) original(p api.Position) api.Position {
	for _, s := range q { // those before it are subtracted already
		if s.line == p.Line && p.Column > s.from {
			p.Column--
		}
		if s.line == p.Line && p.Column > s.to {
			p.Column--
		}
	}
	return p
}

// quotedText is a text with quotes around the references that had none, and its documents.
type quotedText struct {
	text   []byte
	docs   gaby.Container
	quoted quotedSpans
}

// readQuoted parses a text. YAML cannot read a reference without quotes, so each is a problem and
// gets quotes for the rest of the checks. Then all problems of the file are reported at once.
func readQuoted(text []byte, file string) (quotedText, diag.List) {
	read := quotedText{text: text}
	var problems diag.List
	for {
		docs, err := gaby.ParseAll(read.text)
		if err != nil {
			return read, append(problems, unreadable(file, read.text, err))
		}
		read.docs = docs
		if len(read.quoted) == maxQuoted {
			return read, problems
		}
		f := read.quoteNext(file)
		if f == nil {
			return read, problems
		}
		problems = append(problems, f)
	}
}

// quoteNext puts the next reference without quotes in quotes. It returns the problem, nil if no
// document has one.
func (t *quotedText) quoteNext(file string) *api.Failure {
	for _, doc := range t.docs {
		err := doc.Check()
		syntax, ok := errors.AsType[*gaby.SyntaxError](err)
		if !ok {
			continue
		}
		reference := unquoted(t.text, syntax.Pos)
		at := offset(t.text, syntax.Pos)
		end := at + len(reference)
		if reference == "" || strings.Contains(reference, "'") || end > len(t.text) ||
			string(t.text[at:end]) != reference ||
			end < len(t.text) && !bytes.ContainsAny(t.text[end:end+1], " \t\r\n,]}") {
			continue
		}
		f := unreadable(file, t.text, err)
		f.Class, f.Pos = api.FailureUsage, t.quoted.original(f.Pos)
		t.quoted = append(t.quoted, quotedSpan{
			line: f.Pos.Line, from: f.Pos.Column,
			to: f.Pos.Column + utf8.RuneCountInString(reference),
		})
		t.text = slices.Concat(t.text[:at], []byte("'"+reference+"'"), t.text[end:])
		return f
	}
	return nil
}

// unquoted returns the reference without quotes at a position, "" if the text has none there.
func unquoted(text []byte, pos gaby.Position) string {
	at := offset(text, pos)
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(text[at:]), "\n")
	line = strings.TrimRight(line, "\r")
	if name := strings.TrimLeft(line, "!"); name == line || !strings.HasPrefix(name, "{") {
		return ""
	}
	reference, _, _ := strings.Cut(line, "}")
	return reference + "}"
}

// offset returns the offset of a position, whose column counts characters; -1 if it is outside.
func offset(text []byte, pos gaby.Position) int {
	at := 0
	for range pos.Line - 1 {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	for range pos.Column - 1 {
		if at >= len(text) || text[at] == '\n' {
			return -1
		}
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	if pos.Line < 1 || pos.Column < 1 {
		return -1
	}
	return at
}
