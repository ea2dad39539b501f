package main

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/nativekit"
)

// sysctl is the language of sysctl.conf: lines such as net.ipv4.ip_forward = 1, which nest at the dots of their keys, and comments
// behind # or ; at the beginning of a line.
type sysctl struct{ nativekit.FlatEdits[sysctl] }

// Parse finds the keys and values, and where they stand.
func (sysctl) Parse(text []byte) ([]nativekit.Document, error) {
	var settings []*nativekit.Node
	for at := 0; at < len(text); at = nativekit.NextLine(text, at) {
		line := text[at:nativekit.LineEnd(text, at)]
		if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || isComment(trimmed) > 0 {
			continue
		}
		sign := bytes.IndexByte(line, '=')
		if sign < 0 {
			return nil, nativekit.Fail(text, at, "no = behind the key", "a line is key = value")
		}
		n := &nativekit.Node{
			Kind:    gaby.Scalar,
			KeySpan: nativekit.Trim(text, nativekit.Span{From: at, To: at + sign}),
			Span:    nativekit.Trim(text, nativekit.Span{From: at + sign + 1, To: at + len(line)}),
			Entry:   nativekit.Span{From: at, To: nativekit.NextLine(text, at)},
			Form:    nativekit.Span{From: at + sign, To: at + sign + 1},
		}
		n.Key = string(text[n.KeySpan.From:n.KeySpan.To])
		n.Value = nativekit.Typed(string(text[n.Span.From:n.Span.To]))
		n.Head, n.Comments.Head = nativekit.CommentsAbove(text, 0, at, isComment)
		settings = append(settings, n)
	}
	return []nativekit.Document{{Root: nativekit.Nest(settings)}}, nil
}

func isComment(line []byte) int {
	if line[0] == '#' || line[0] == ';' {
		return 1
	}
	return 0
}

// Scalar is what is read back once a value is written.
func (sysctl) Scalar(value any) (any, error) {
	text, ok := nativekit.Untyped(value)
	if !ok || strings.ContainsAny(text, "\r\n") || strings.TrimSpace(text) != text {
		return nil, nativekit.Refuse("", "a setting is one line of text without blanks around it")
	}
	return nativekit.Typed(text), nil
}

// CheckValue says what cannot be written.
func (sysctl) CheckValue(root gaby.Value, path []string) error {
	return nativekit.CheckFlat(root, path)
}

// Key is a key as it is written.
func (sysctl) Key(key string) string { return key }

// Value is a value as it is written in the place of another one.
func (sysctl) Value(_ *nativekit.Writer, _ *nativekit.Node, value any) string {
	text, _ := nativekit.Untyped(value)
	return text
}

// Line is a new line, written as its neighbours.
func (s sysctl) Line(w *nativekit.Writer, model *nativekit.Node, key string, value any, _ string) string {
	d := nativekit.Delimiter{Before: " ", Sign: "=", After: " "}
	if model != nil {
		d = nativekit.DelimiterOf(w.Text, model, nativekit.Neighbours(w.Text, w.Lines(), model), func(n *nativekit.Node) nativekit.Span {
			return n.Form.(nativekit.Span)
		})
	}
	return d.Line(key) + s.Value(w, model, value)
}
