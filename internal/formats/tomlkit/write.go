package tomlkit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// editor writes edits.
type editor struct{ *formatkit.Writer }

// keys writes the entries of a table that is not in brackets.
func (e editor) keys(n *formatkit.Node, entries []formatkit.Entry) {
	for _, kid := range n.Without(entries) {
		e.remove(kid)
	}
	f := formOf(n)
	if len(entries) == 0 {
		// a table without entries is no longer implied, so it needs a line of its own
		switch f.notation {
		case byDots:
			e.Insert(e.first(n), e.keyed(n.Parent, f.name)+"{}"+e.Newline)
		case byLonger:
			e.InsertBelow(e.first(n), "["+f.name+"]"+e.Newline)
		}
		return
	}
	lines := false
	for _, isLine := range []bool{true, false} { // keys come before tables
		for _, entry := range entries {
			if entry.Node != nil || isLine != (e.notationOf(n, entry.Value) == inValue) {
				continue
			}
			e.add(n, entry.Value.Key(), entry.Value)
			lines = lines || isLine
		}
	}
	if lines {
		e.separate(n, nil)
	}
}

// separate inserts a blank line after the first keys of a table that had no keys, if it contains
// tables other than removed.
func (e editor) separate(n, removed *formatkit.Node) {
	follow := slices.ContainsFunc(n.Kids, func(kid *formatkit.Node) bool { return kid != removed })
	if f := formOf(n); follow && (f.notation == byLonger || f.notation == byHeader && f.end == 0) {
		e.inserter(n)(e.table(n).start, e.Newline)
	}
}

// inserter returns the method of the writer that inserts first keys. Those of the root come before
// headers inserted at the same offset.
func (e editor) inserter(n *formatkit.Node) func(int, string) {
	if formOf(n).notation == byLonger {
		return e.InsertBelow
	}
	return e.Insert
}

// items writes the tables of an array of tables. It reports whether it rewrote all of them.
func (e editor) items(n *formatkit.Node, entries []formatkit.Entry) (whole bool) {
	if !isSection(e.Value(n)) {
		e.inline(n)
		return true
	}
	for _, kid := range n.Without(entries) {
		e.remove(kid)
	}
	at := n.Kids[0].Head
	for _, entry := range entries {
		if entry.Node != nil {
			at = e.last(entry.Node)
			continue
		}
		e.addItem(n, at, entry.Value)
	}
	return false
}

// inline writes an array of tables that gets other elements, or none, as a value
// after an equals sign.
func (e editor) inline(list *formatkit.Node) {
	e.takeOut(list, e.Wipe)
	e.line(list.Parent, list.Key, e.value(nil, e.Value(list)))
	e.separate(list.Parent, list)
}

// addItem writes a table into an array of tables.
func (e editor) addItem(list *formatkit.Node, at int, v gaby.Value) {
	model := list.Kids[0]
	indent := e.indentOf(formOf(model).header)
	e.section(at, formOf(model).name, v, indent, true)
}

// remove deletes a value with everything that belongs to it.
func (e editor) remove(n *formatkit.Node) { e.takeOut(n, e.Remove) }

func (e editor) takeOut(n *formatkit.Node, remove func(formatkit.Span)) {
	f := formOf(n)
	if f.notation == inValue {
		remove(formatkit.NewSpan(n.Head, n.Entry.To))
		return
	}
	for _, kid := range n.Kids {
		e.takeOut(kid, remove)
	}
	if f.notation != byHeader {
		return
	}
	e.RemoveSection(formatkit.NewSpan(n.Head, e.afterComments(f.end)), remove)
}

func (e editor) afterComments(at int) int { return e.AfterComments(at, marks) }

// add writes a new entry of a table that is not in brackets, in the style of its neighbours.
func (e editor) add(n *formatkit.Node, key string, v gaby.Value) {
	f := formOf(n)
	switch e.notationOf(n, v) {
	case inValue:
		e.line(n, key, e.like(n, v))
		return
	case byDots:
		for _, kid := range v.All() {
			e.line(n, key, e.value(nil, kid), kid.Key())
		}
		return
	}
	name, indent := e.keyIn(n, key), ""
	if n.Parent != nil {
		name, indent = f.name+"."+name, e.indentOf(f.header)+e.layout().deeper
	}
	if header := e.table(n).header; header.Len() > 0 {
		indent = e.indentOf(header)
	}
	e.section(e.last(n), name, v, indent, v.Kind() == gaby.List)
}

// keyIn formats a new key of a table, in single quotes if other keys of the table have them.
func (e editor) keyIn(n *formatkit.Node, key string) string {
	if isBare(key) || strings.ContainsFunc(key,
		func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) {
		return keyText(key)
	}
	if e.table(n).isLiteral {
		return "'" + key + "'"
	}
	return keyText(key)
}

// notationOf returns the syntax for a new value in a table.
func (e editor) notationOf(n *formatkit.Node, v gaby.Value) notation {
	if !isSection(v) {
		return inValue
	}
	like := byHeader
	if formOf(n).notation == byDots {
		like = byDots
	}
	if notation, known := e.table(n).sections[v.Kind()]; known {
		like = notation
	}
	if like == byDots && (v.Kind() != gaby.Map || v.Len() == 0) {
		return inValue
	}
	return like
}

// isSection reports whether a value can have headers: whether it is a map or a list of maps.
func isSection(v gaby.Value) bool {
	if v.Kind() == gaby.Map {
		return true
	}
	if v.Kind() != gaby.List || v.Len() == 0 {
		return false
	}
	for _, item := range v.All() {
		if item.Kind() != gaby.Map {
			return false
		}
	}
	return true
}

// line writes a key with its value after the other keys of a table. more are
// further parts of the key.
func (e editor) line(n *formatkit.Node, key, value string, more ...string) {
	f := formOf(n)
	text := e.keyIn(n, key)
	for _, part := range more {
		text += "." + keyText(part)
	}
	at := f.end
	switch {
	case f.notation == byDots:
		text = f.name + "." + text
		at = e.last(n)
	case f.notation == byLonger:
		if at = e.table(n).start; e.Once(n) {
			e.InsertBelow(at, "["+f.name+"]"+e.Newline)
		}
	case at == 0: // the root without keys
		at = e.table(n).start
	default:
		at = e.afterComments(at)
	}
	e.inserter(n)(at, e.keyed(n, text)+value+e.Newline)
}

// keyed formats the beginning of a line with a new key of a table.
func (e editor) keyed(n *formatkit.Node, key string) string {
	in := n
	for formOf(in).notation == byDots && len(e.table(in).lines) == 0 {
		in = in.Parent
	}
	if t := e.table(in); len(t.lines) > 0 {
		return t.delimiter.Line(key)
	}
	indent := ""
	if f := formOf(n); f.header.Len() > 0 {
		indent = e.indentOf(f.header) + e.layout().deeper
	}
	return indent + key + " = "
}

// section writes a new table, or an array of tables, with headers.
func (e editor) section(at int, name string, v gaby.Value, indent string, isItem bool) {
	s := sections{editor: e, deeper: e.layout().deeper, apart: e.layout().apart}
	if isItem && v.Kind() == gaby.Map {
		s.table(name, v, indent, true)
	} else {
		s.any(name, v, indent)
	}
	e.InsertSection(at, s.out.String(), s.apart)
}

// sections writes new tables.
type sections struct {
	editor
	deeper, apart string
	out           strings.Builder
}

func (s *sections) any(name string, v gaby.Value, indent string) {
	if v.Kind() == gaby.Map {
		s.table(name, v, indent, false)
		return
	}
	for _, item := range v.All() {
		s.table(name, item, indent, true)
	}
}

// table formats a table with its keys and the tables inside it. A table that contains only tables
// needs no header, unless it is an item of an array.
func (s *sections) table(name string, v gaby.Value, indent string, isItem bool) {
	implied := !isItem && v.Len() > 0
	for _, kid := range v.All() {
		implied = implied && isSection(kid)
	}
	if !implied {
		open, end := "[", "]"
		if isItem {
			open, end = "[[", "]]"
		}
		s.out.WriteString(s.apart + indent + open + name + end + s.Newline)
	}
	for _, kid := range v.All() {
		if !isSection(kid) {
			s.out.WriteString(indent + s.deeper + keyText(kid.Key()) + " = " + s.value(nil, kid) +
				s.Newline)
		}
	}
	for _, kid := range v.All() {
		if isSection(kid) {
			s.any(name+"."+keyText(kid.Key()), kid, indent+s.deeper)
		}
	}
}

// value formats v as a value after an equals sign or in brackets. n is the node that
// it replaces, or nil.
func (e editor) value(n *formatkit.Node, v gaby.Value) string {
	switch v.Kind() {
	case gaby.Scalar:
		raw := ""
		if n != nil && n.Kind == gaby.Scalar {
			raw = e.Raw(n.Span)
		}
		return e.scalar(raw, v)
	case gaby.List:
		var items []string
		for _, item := range v.All() {
			items = append(items, e.value(nil, item))
		}
		if n != nil && n.Kind == gaby.List && len(n.Kids) > 0 && len(items) > 0 &&
			strings.Contains(e.Raw(n.Span), "\n") {
			end := "," + e.Newline
			indent := e.Indent(n.Kids[0].Entry.From)
			return "[" + e.Newline + indent + strings.Join(items, end+indent) + end +
				e.Indent(n.Span.To-1) + "]"
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if v.Len() == 0 {
		return "{}"
	}
	var pairs []string
	as := e.layout().inline
	for _, kid := range v.All() {
		pairs = append(pairs, keyText(kid.Key())+as.sign+e.value(nil, kid))
	}
	return "{" + as.pad + strings.Join(pairs, ", ") + as.pad + "}"
}

// scalar formats a scalar with the line ends of the text. raw is as in spelled.
func (e editor) scalar(raw string, v gaby.Value) string {
	text := spelled(strings.ReplaceAll(raw, "\r\n", "\n"), formatkit.ScalarOf(v))
	if e.Newline == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// like formats a new value in the style of its neighbours in n: strings have the same quotes.
func (e editor) like(n *formatkit.Node, v gaby.Value) string {
	if v.Kind() != gaby.Scalar {
		return e.value(nil, v)
	}
	return e.scalar(e.table(n).raw, v)
}

// inBrackets writes the entries of an array or inline table. It reports whether it rewrote it.
func (e editor) inBrackets(n *formatkit.Node, entries []formatkit.Entry) (whole bool) {
	dotted := slices.ContainsFunc(n.Kids,
		func(kid *formatkit.Node) bool { return formOf(kid).notation == byDots })
	if !dotted && e.EntriesIn(n, entries, false, e.bracketed) {
		return false
	}
	e.Replace(n.Span, e.value(n, e.Value(n)))
	return true
}

// bracketed formats a new entry in brackets in the style of its sibling model.
func (e editor) bracketed(model *formatkit.Node, v gaby.Value) string {
	sign := model.Sign
	if sign.Len() == 0 {
		return e.value(model, v)
	}
	return keyText(v.Key()) + string(e.Text[model.KeySpan.To:model.Span.From]) +
		e.like(model.Parent, v)
}
