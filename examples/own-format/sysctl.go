package main

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// sysctl is the language of sysctl.conf: lines such as net.ipv4.ip_forward = 1, which nest at the dots of their keys, and comments
// behind # or ; at the beginning of a line.
type sysctl struct{ formatkit.FlatEdits[sysctl] }

// Parse finds the keys and values, and where they stand.
func (sysctl) Parse(text []byte) ([]formatkit.Document, error) {
	var settings []*formatkit.Node
	for at := 0; at < len(text); at = formatkit.NextLine(text, at) {
		line := text[at:formatkit.LineEnd(text, at)]
		if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || isComment(trimmed) > 0 {
			continue
		}
		sign := bytes.IndexByte(line, '=')
		if sign < 0 {
			return nil, formatkit.Fail(text, at, "no = behind the key", "a line is key = value")
		}
		n := &formatkit.Node{
			Kind:    gaby.Scalar,
			KeySpan: formatkit.Trim(text, formatkit.Span{From: at, To: at + sign}),
			Span:    formatkit.Trim(text, formatkit.Span{From: at + sign + 1, To: at + len(line)}),
			Entry:   formatkit.Span{From: at, To: formatkit.NextLine(text, at)},
			Syntax:  formatkit.Span{From: at + sign, To: at + sign + 1},
		}
		n.Key = string(text[n.KeySpan.From:n.KeySpan.To])
		n.Value = formatkit.Typed(string(text[n.Span.From:n.Span.To]))
		n.Head, n.Comments.Head = formatkit.CommentsAbove(text, 0, at, isComment)
		settings = append(settings, n)
	}
	return []formatkit.Document{{Root: formatkit.Nest(settings)}}, nil
}

func isComment(line []byte) int {
	if line[0] == '#' || line[0] == ';' {
		return 1
	}
	return 0
}

// Scalar is what is read back once a value is written.
func (sysctl) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	if !ok || strings.ContainsAny(text, "\r\n") || strings.TrimSpace(text) != text {
		return nil, formatkit.Refuse("", "a setting is one line of text without blanks around it")
	}
	return formatkit.Typed(text), nil
}

// CheckValue says what cannot be written.
func (sysctl) CheckValue(root gaby.Value, path []string) error {
	return formatkit.CheckFlat(root, path)
}

// Key is a key as it is written.
func (sysctl) Key(key string) string { return key }

// Value is a value as it is written in the place of another one.
func (sysctl) Value(_ *formatkit.Writer, _ *formatkit.Node, value any) string {
	text, _ := formatkit.Untyped(value)
	return text
}

// Line is a new line, written as its neighbours.
func (s sysctl) Line(w *formatkit.Writer, model *formatkit.Node, key string, value any, _ string) string {
	d := formatkit.Delimiter{Before: " ", Sign: "=", After: " "}
	if model != nil {
		d = formatkit.DelimiterOf(w.Text, model, formatkit.Neighbours(w.Text, w.Lines(), model), func(n *formatkit.Node) formatkit.Span {
			return n.Syntax.(formatkit.Span)
		})
	}
	return d.Line(key) + s.Value(w, model, value)
}
