// Package doctext reads and writes the text of YAML documents: where content begins and ends, what
// is between documents, how a document becomes an entry of a list, and whether keys are unique.
//
// Layer: document.
package doctext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// LineEnding returns what the first line of text ends in, a newline if it has none.
func LineEnding(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// WithLineEnding returns text with all lines ending in the same way.
func WithLineEnding(text []byte, ending string) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if ending == "\n" {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte(ending))
}

// WriteIndented writes the content of a document as an entry: the first line after lead, the others
// indented as much. The text ends in a newline.
func WriteIndented(b *bytes.Buffer, lead string, text []byte) {
	text = Content(text)
	first := true
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first && len(line) > 0 && line[0] == ' ' && lead == "- ":
			b.WriteString("-\n  ")
		case first:
			b.WriteString(lead)
		case len(line) > 0:
			b.WriteString("  ")
		}
		first = false
		b.Write(line)
		b.WriteByte('\n')
	}
	if first {
		b.WriteString(lead + "{}\n")
	}
}

// Content returns the part of a document's text from its first value on: without the byte order
// mark, directives, comments above, markers, and what follows the end of the document.
func Content(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		line := bytes.TrimRight(text[:end], " \t\r\n")
		switch {
		case len(line) == 0, bytes.TrimLeft(line, " \t")[0] == '#', line[0] == '%',
			bytes.Equal(line, []byte("...")):
		case isMarker(line):
			if rest := bytes.TrimLeft(line[3:], " \t"); len(rest) > 0 && rest[0] != '#' {
				skip := len(line) - len(rest)
				return untilEnd(text[skip:])
			}
		default:
			return untilEnd(text)
		}
		text = text[end:]
	}
	return nil
}

// HasDirective reports whether a document begins with directives, other than %YAML if version is
// set.
func HasDirective(text []byte, version bool) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))) {
		switch bare := bytes.TrimSpace(line); {
		case version && bytes.HasPrefix(line, []byte("%YAML")):
		case line[0] == '%':
			return true
		case len(bare) == 0, bare[0] == '#', bytes.Equal(bare, []byte("...")):
		default:
			return false
		}
	}
	return false
}

// isMarker reports whether a line begins with a document separator.
func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) &&
		(len(line) == 3 || line[3] == ' ' || line[3] == '\t')
}

// untilEnd returns the text up to the end of its document.
func untilEnd(text []byte) []byte {
	at := 0
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		if at > 0 && (isMarker(bare) || bytes.HasPrefix(bare, []byte("...")) &&
			(len(bare) == 3 || bare[3] == ' ' || bare[3] == '\t')) {
			return text[:at]
		}
		at += len(line)
	}
	return text
}

// FollowsMarker reports whether the first document marker in the text of a document has something
// other than a comment after it.
func FollowsMarker(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); isMarker(line) {
			rest := bytes.TrimSpace(line[3:])
			return len(rest) > 0 && rest[0] != '#'
		}
	}
	return false
}

// InvalidByte returns the offset of the first byte that is not UTF-8.
func InvalidByte(text []byte) int {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// Position returns the position of an offset.
func Position(text []byte, at int) gaby.Position {
	line := bytes.Count(text[:at], []byte{'\n'})
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	return gaby.Position{Line: line + 1, Column: utf8.RuneCount(text[start:at]) + 1}
}

// SeqIndent returns how the first list below a map in v is indented: "compact" or "wide", or ""
// without a list.
func SeqIndent(v gaby.Value) string {
	for _, c := range v.All() {
		switch c.Kind() {
		case gaby.List:
			key, item := c.KeyPosition(), c.First().Position()
			if v.Kind() == gaby.Map && c.Position().Line > key.Line && item.Line > 0 {
				if c.Position().Column > key.Column {
					return "wide"
				}
				return "compact"
			}
		case gaby.Map:
			if s := SeqIndent(c); s != "" {
				return s
			}
		}
	}
	return ""
}

// UniqueKeys returns an error for the first key that a map repeats.
func UniqueKeys(v gaby.Value) error {
	if !v.Doc().HasDuplicateKeys() {
		return nil
	}
	for _, r := range v.Repeated() {
		return &gaby.SyntaxError{
			Pos: v.Get(r.Key()).KeyPosition(),
			Msg: fmt.Sprintf("the key %q occurs twice in its map", r.Key()),
		}
	}
	for _, c := range v.All() {
		if c.IsAliased() {
			continue
		}
		if err := UniqueKeys(c); err != nil {
			return err
		}
	}
	return nil
}

// IsOther reports whether text is something else than a list of a kind with an error.
func IsOther(text []byte, kind string) bool {
	docs, err := gaby.ParseAll(text)
	if err != nil || len(docs) == 0 {
		return true
	}
	doc := docs[0]
	if doc.Check() != nil {
		first := Content(text)
		key, _, _ := bytes.Cut(first, []byte{':'})
		return !bytes.Contains(text, []byte(kind)) || len(first) == 0 ||
			first[0] != '{' && bytes.ContainsAny(key, " \t\r\n")
	}
	return !doc.IsMap() || !strings.HasSuffix(doc.Value().Get("kind").Text(), "List") &&
		doc.IsDocument()
}
