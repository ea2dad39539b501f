// Package tomlkit implements the format AppConfig/TOML.
//
// Tables are maps, whether they have a header, are implied by longer headers or dotted keys, or are
// inline. Arrays and arrays of tables are lists. Dates and times are strings that hold their text.
// The package reads TOML 1.1, which includes 1.0, and writes TOML 1.0.
//
// New keys are added after the other keys of their table, and new tables after the last table
// inside theirs. Both follow the style of their neighbours: with headers, dotted keys or inline,
// indented and aligned or not.
//
// Layer: configkit.
package tomlkit

import (
	"math"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter converts the format.
type Converter = formatkit.Converter[language]

type language struct{}

// Parse implements formatkit.Language: a file is one document.
func (language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	root, err := parse(text)
	return []*formatkit.Node{root}, err
}

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits { return formatkit.Traits{} }

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	switch value := value.(type) {
	case nil:
		return nil, formatkit.Refuse("delete the key instead", "TOML has no null")
	case uint64:
		if value > math.MaxInt64 {
			return nil, formatkit.Refuse("", "the integer does not fit into the 64 bits of TOML")
		}
	}
	return value, nil
}

// Number implements gaby.Native.
func (language) Number(text string) any {
	documents, err := language{}.Parse([]byte("x=" + text + "\n"))
	if err != nil {
		return nil
	}
	return documents[0].Get("x").Value
}

// CheckValue implements gaby.Native. Every value is allowed at every path.
func (language) CheckValue(gaby.Value, []string) error { return nil }

// CheckComment implements gaby.Native.
func (language) CheckComment(_ gaby.Value, _ []string, text string) error {
	return formatkit.CheckCommentText(text,
		func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// Replace implements formatkit.Language.
func (language) Replace(w *formatkit.Writer, n *formatkit.Node, v gaby.Value) error {
	e := editor{w}
	f := formOf(n)
	if f.notation == inValue {
		w.Replace(n.Span, e.value(n, v))
		return nil
	}
	if list := n.Parent; list.Kind == gaby.List {
		if isSection(w.Value(list)) {
			e.takeOut(n, e.Wipe)
			e.addItem(list, n.Head, v)
			return nil
		}
		w.Rewrite(list)
		return nil
	}
	if in := within(n); formOf(in).notation == inValue {
		w.Replace(in.Span, e.value(nil, w.Value(in)))
		return nil
	}
	e.takeOut(n, e.Wipe)
	e.add(n.Parent, n.Key, v)
	if e.notationOf(n.Parent, v) == inValue {
		e.separate(n.Parent, n)
	}
	return nil
}

// Entries implements formatkit.Language.
func (language) Entries(
	w *formatkit.Writer, n *formatkit.Node, entries []formatkit.Entry,
) (bool, error) {
	e := editor{w}
	f := formOf(n)
	if f.notation == inValue {
		return e.inBrackets(n, entries), nil
	}
	if in := within(n); formOf(in).notation == inValue {
		w.Replace(in.Span, e.value(nil, w.Value(in)))
		return false, nil
	}
	if n.Kind == gaby.List {
		return e.items(n, entries), nil
	}
	e.keys(n, entries)
	return false, nil
}

// within returns the table or value that contains the value. A table of dotted keys is part of the
// lines of the table around it.
func within(n *formatkit.Node) *formatkit.Node {
	in := n.Parent
	for in != nil && formOf(in).notation == byDots {
		in = in.Parent
	}
	if in == nil || formOf(n).notation != byDots {
		return &formatkit.Node{Syntax: &form{notation: byHeader}}
	}
	return in
}

// commentAt returns the offset after which a comment on n goes: after the brackets of a header, and
// after the comma of an entry that has one.
func commentAt(n *formatkit.Node) int {
	if f := formOf(n); f.notation == byHeader {
		return f.closed
	}
	return n.End()
}

// CheckCommentAt returns an error if no comment can be added on the line after n.
func (language) CheckCommentAt(text formatkit.Text, n *formatkit.Node) error {
	return text.CheckLineComment(n, commentAt(n))
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	w.LineComment(n, commentAt(n), marks, text)
	return nil
}
