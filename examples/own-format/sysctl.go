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

// marks begin comments.
const marks formatkit.Marks = "# ;"

// Parse returns the document: its keys and values with their spans.
func (sysctl) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	var settings []*formatkit.Node
	for at := 0; at < len(text); at = text.NextLine(at) {
		line := text[at:text.LineEnd(at)]
		if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || marks.Begin(trimmed) {
			continue
		}
		sign := bytes.IndexByte(line, '=')
		if sign < 0 {
			return nil, text.Fail(at, "no = after the key", "a line is key = value")
		}
		n := &formatkit.Node{
			Kind:    gaby.Scalar,
			KeySpan: text.Trim(formatkit.NewSpan(at, at+sign)),
			Span:    text.Trim(formatkit.NewSpan(at+sign+1, at+len(line))),
			Entry:   formatkit.NewSpan(at, text.NextLine(at)),
			Sign:    formatkit.NewSpan(at+sign, at+sign+1),
		}
		n.Key = text.Raw(n.KeySpan)
		n.Value = formatkit.Typed(text.Raw(n.Span))
		text.CommentsAbove(n, 0, marks)
		settings = append(settings, n)
	}
	return []*formatkit.Node{formatkit.Nest(settings)}, nil
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
		d = w.DelimiterLike(model, w.Lines())
	}
	return d.Line(key) + s.Value(w, model, value)
}
