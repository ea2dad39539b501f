package main

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// sysctl is the language of sysctl.conf, see sysctl.conf(5). Lines such as net.ipv4.ip_forward = 1
// nest at the dots of their keys. Comments start with # or ; at the beginning of a line.
type sysctl struct{ formatkit.FlatEdits[sysctl] }

// Parse returns the document: its keys and values with their spans.
func (sysctl) Parse(text []byte) ([]formatkit.Document, error) {
	var settings []*formatkit.Node
	for at := 0; at < len(text); at = formatkit.NextLine(text, at) {
		line := text[at:formatkit.LineEnd(text, at)]
		if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || isComment(trimmed) > 0 {
			continue
		}
		sign := bytes.IndexByte(line, '=')
		if sign < 0 {
			return nil, formatkit.Fail(text, at, "no = after the key", "a line is key = value")
		}
		n := &formatkit.Node{
			Kind:    gaby.Scalar,
			KeySpan: formatkit.Trim(text, formatkit.Span{From: at, To: at + sign}),
			Span:    formatkit.Trim(text, formatkit.Span{From: at + sign + 1, To: at + len(line)}),
			Entry:   formatkit.Span{From: at, To: formatkit.NextLine(text, at)},
			Sign:    formatkit.Span{From: at + sign, To: at + sign + 1},
		}
		n.Key = string(text[n.KeySpan.From:n.KeySpan.To])
		n.Value = formatkit.Typed(string(text[n.Span.From:n.Span.To]))
		n.Head, n.Comments.Head = formatkit.CommentsAbove(text, 0, at, isComment)
		settings = append(settings, n)
	}
	return []formatkit.Document{{Root: formatkit.Nest(settings)}}, nil
}

// isComment returns the length of the comment sign that a line begins with, 0 if it is not a
// comment.
func isComment(line []byte) int {
	if line[0] == '#' || line[0] == ';' {
		return 1
	}
	return 0
}

// Scalar returns what a value is read back as once it is written, or an error if it cannot be
// written.
func (sysctl) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	if !ok || strings.ContainsAny(text, "\r\n") || strings.TrimSpace(text) != text {
		return nil, formatkit.Refuse("", "a setting is one line of text without blanks around it")
	}
	return formatkit.Typed(text), nil
}

// CheckValue returns an error for a map or list that cannot be written.
func (sysctl) CheckValue(root gaby.Value, path []string) error {
	return formatkit.CheckFlat(root, path)
}

// Key formats a key.
func (sysctl) Key(key string) string { return key }

// Value formats a value that replaces another one.
func (sysctl) Value(_ *formatkit.Writer, _ *formatkit.Node, value any) string {
	text, _ := formatkit.Untyped(value)
	return text
}

// Line formats a new line, in the style of its neighbors.
func (s sysctl) Line(
	w *formatkit.Writer, model *formatkit.Node, key string, value any, _ string,
) string {
	d := formatkit.Delimiter{Before: " ", Sign: "=", After: " "}
	if model != nil {
		d = formatkit.DelimiterLike(w.Text, model, w.Lines())
	}
	return d.Line(key) + s.Value(w, model, value)
}
