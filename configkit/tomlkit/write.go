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
func (e editor) keys(n *formatkit.Node, entries []formatkit.Entry) error {
	for _, kid := range n.Without(entries) {
		e.remove(kid)
	}
	f := formOf(n)
	if len(entries) == 0 {
		// a table without entries is no longer implied, so it needs a line of its own
		switch f.notation {
		case byDots:
			e.Insert(e.first(n), e.keyed(n.Parent, f.name)+"{}"+e.LineEnd)
		case byLonger:
			e.InsertBelow(e.first(n), "["+f.name+"]"+e.LineEnd)
		}
		return nil
	}
	lines := false
	for _, isLine := range []bool{true, false} { // keys come before tables
		for _, entry := range entries {
			if entry.Node != nil || isLine != (e.notationOf(n, entry.Value) == inValue) {
				continue
			}
			if err := e.add(n, entry.Value.Key(), entry.Value); err != nil {
				return err
			}
			lines = lines || isLine
		}
	}
	if lines {
		e.separate(n, nil)
	}
	return nil
}

// separate inserts a blank line after the first keys of a table that had no keys, if it contains
// tables other than removed.
func (e editor) separate(n, removed *formatkit.Node) {
	follow := slices.ContainsFunc(n.Kids, func(kid *formatkit.Node) bool { return kid != removed })
	if f := formOf(n); follow && (f.notation == byLonger || f.notation == byHeader && f.end == 0) {
		e.inserter(n)(e.start(n), e.LineEnd)
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

// start returns the beginning of the first line inside a table, which is where the first key of a
// table goes that has neither keys nor a header.
func (e editor) start(n *formatkit.Node) int {
	at := len(e.Text)
	for _, kid := range n.Kids {
		at = min(at, e.first(kid))
	}
	return at
}

// items writes the tables of an array of tables.
func (e editor) items(n *formatkit.Node, entries []formatkit.Entry) (whole bool, err error) {
	if !isSection(e.Value(n)) {
		return true, e.inline(n)
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
	return false, nil
}

// inline writes an array of tables that gets other elements, or none, as a value
// after an equals sign.
func (e editor) inline(list *formatkit.Node) error {
	e.takeOut(list, e.Wipe)
	defer e.separate(list.Parent, list)
	return e.line(list.Parent, list.Key, e.value(nil, e.Value(list)))
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
		remove(formatkit.Span{From: n.Head, To: n.Entry.To})
		return
	}
	for _, kid := range n.Kids {
		e.takeOut(kid, remove)
	}
	if f.notation != byHeader {
		return
	}
	e.RemoveSection(formatkit.Span{From: n.Head, To: e.afterComments(f.end)}, remove)
}

func (e editor) afterComments(at int) int { return e.AfterComments(at, "#") }

// first returns the beginning of the first line of a table or value.
func (e editor) first(n *formatkit.Node) int {
	if formOf(n).notation == inValue || formOf(n).notation == byHeader {
		return n.Head
	}
	return e.start(n)
}

// last returns the end of the last line of a table or value.
func (e editor) last(n *formatkit.Node) int {
	f := formOf(n)
	if f.notation == inValue {
		return n.Entry.To
	}
	at := f.end
	for _, kid := range n.Kids {
		at = max(at, e.last(kid))
	}
	return e.afterComments(at)
}

// add writes a new entry of a table that is not in brackets, in the style of its neighbours.
func (e editor) add(n *formatkit.Node, key string, v gaby.Value) error {
	f := formOf(n)
	s := e.notationOf(n, v)
	switch {
	case s == inValue:
		return e.line(n, key, e.like(e.lines(n), v))
	case s == byDots:
		for kid := v.First(); kid.Exists(); kid = kid.Next() {
			if err := e.line(n, key, e.value(nil, kid), kid.Key()); err != nil {
				return err
			}
		}
		return nil
	}
	name, indent := e.keyIn(n, key), ""
	if n.Parent != nil {
		name, indent = f.name+"."+name, e.indentOf(f.header)+e.deeper()
	}
	for _, kid := range n.Kids {
		if formOf(kid).header.Len() > 0 {
			indent = e.indentOf(formOf(kid).header)
		}
	}
	e.section(e.last(n), name, v, indent, v.Kind() == gaby.List)
	return nil
}

// keyIn formats a new key of a table, in single quotes if other keys of the table have them.
func (e editor) keyIn(n *formatkit.Node, key string) string {
	if isBare(key) || strings.ContainsFunc(key,
		func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) {
		return keyText(key)
	}
	for _, kid := range n.Kids {
		if raw := e.Raw(kid.KeySpan); strings.HasPrefix(raw, "'") {
			return "'" + key + "'"
		}
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
	for _, kid := range n.Kids {
		if kid.Kind == v.Kind() && (kid.Kind == gaby.Map ||
			len(kid.Kids) > 0 && kid.Kids[0].Kind == gaby.Map) {
			like = formOf(kid).notation
		}
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
	for item := v.First(); item.Exists(); item = item.Next() {
		if item.Kind() != gaby.Map {
			return false
		}
	}
	return true
}

// line writes a key with its value after the other keys of a table. more are
// further parts of the key.
func (e editor) line(n *formatkit.Node, key, value string, more ...string) error {
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
		if at = e.start(n); e.Once(n) {
			e.InsertBelow(at, "["+f.name+"]"+e.LineEnd)
		}
	case at == 0: // the root without keys
		at = e.start(n)
	default:
		at = e.afterComments(at)
	}
	e.inserter(n)(at, e.keyed(n, text)+value+e.LineEnd)
	return nil
}

// lines returns the keys of a table that are on lines of their own, in the order of the text.
func (e editor) lines(n *formatkit.Node) []*formatkit.Node {
	var lines []*formatkit.Node
	for _, kid := range n.Kids {
		switch formOf(kid).notation {
		case inValue:
			lines = append(lines, kid)
		case byDots:
			lines = append(lines, e.lines(kid)...)
		}
	}
	slices.SortFunc(lines, func(a, b *formatkit.Node) int { return a.Entry.From - b.Entry.From })
	return lines
}

// keyed formats the beginning of a line with a new key of a table.
func (e editor) keyed(n *formatkit.Node, key string) string {
	in := n
	for formOf(in).notation == byDots && len(e.lines(in)) == 0 {
		in = in.Parent
	}
	if lines := e.lines(in); len(lines) > 0 {
		return formatkit.DelimiterLike(e.Text, lines[len(lines)-1], lines).Line(key)
	}
	indent := ""
	if f := formOf(n); f.header.Len() > 0 {
		indent = e.indentOf(f.header) + e.deeper()
	}
	return indent + key + " = "
}

// indentOf returns the indentation of a header.
func (e editor) indentOf(header formatkit.Span) string {
	return formatkit.Indent(e.Text, formatkit.LineEnd(e.Text, header.From))
}

// deeper returns the indentation of keys relative to their header, taken from the first table that
// indents them.
func (e editor) deeper() string {
	for n := range e.Root.All() {
		if formOf(n).header.Len() == 0 {
			continue
		}
		if lines := e.lines(n); len(lines) > 0 {
			indent := formatkit.Indent(e.Text, lines[0].KeySpan.From)
			if more, ok := strings.CutPrefix(indent, e.indentOf(formOf(n).header)); ok &&
				more != "" {
				return more
			}
		}
	}
	return ""
}

// section writes a new table, or an array of tables, with headers.
func (e editor) section(at int, name string, v gaby.Value, indent string, isItem bool) {
	s := sections{editor: e, deeper: e.deeper(), apart: e.Apart(e.heads())}
	if isItem && v.Kind() == gaby.Map {
		s.table(name, v, indent, true)
	} else {
		s.any(name, v, indent)
	}
	e.InsertSection(at, s.out.String(), s.apart)
}

// heads returns the offsets of the first 100 tables with headers.
func (e editor) heads() []int {
	var heads []int
	for n := range e.Root.All() {
		if formOf(n).header.Len() > 0 && len(heads) < 100 {
			heads = append(heads, n.Head)
		}
	}
	return heads
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
	for item := v.First(); item.Exists(); item = item.Next() {
		s.table(name, item, indent, true)
	}
}

// table formats a table with its keys and the tables inside it. A table that contains only tables
// needs no header, unless it is an item of an array.
func (s *sections) table(name string, v gaby.Value, indent string, isItem bool) {
	implied := !isItem && v.Len() > 0
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
		implied = implied && isSection(kid)
	}
	if !implied {
		open, end := "[", "]"
		if isItem {
			open, end = "[[", "]]"
		}
		s.out.WriteString(s.apart + indent + open + name + end + s.LineEnd)
	}
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
		if !isSection(kid) {
			s.out.WriteString(indent + s.deeper + keyText(kid.Key()) + " = " + s.value(nil, kid) +
				s.LineEnd)
		}
	}
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
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
		for item := v.First(); item.Exists(); item = item.Next() {
			items = append(items, e.value(nil, item))
		}
		if n != nil && n.Kind == gaby.List && len(n.Kids) > 0 && len(items) > 0 &&
			strings.Contains(e.Raw(n.Span), "\n") {
			end := "," + e.LineEnd
			indent := formatkit.Indent(e.Text, n.Kids[0].Entry.From)
			return "[" + e.LineEnd + indent + strings.Join(items, end+indent) + end +
				formatkit.Indent(e.Text, n.Span.To-1) + "]"
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if v.Len() == 0 {
		return "{}"
	}
	var pairs []string
	as := e.inlineStyle()
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
		pairs = append(pairs, keyText(kid.Key())+as.sign+e.value(nil, kid))
	}
	return "{" + as.pad + strings.Join(pairs, ", ") + as.pad + "}"
}

// inlineStyle describes how inline tables are written, taken from the first one of the text whose
// first entry is on its line.
type inlineStyle struct{ pad, sign string }

func (e editor) inlineStyle() inlineStyle {
	if e.Notes == nil {
		e.Notes = e.findInline()
	}
	return e.Notes.(inlineStyle)
}

func (e editor) findInline() inlineStyle {
	for n := range e.Root.All() {
		if n.Kind != gaby.Map || len(n.Kids) == 0 || formOf(n).notation != inValue ||
			formOf(n.Kids[0]).notation != inValue {
			continue
		}
		kid := n.Kids[0]
		pad := e.Raw(formatkit.Span{From: n.Span.From + 1, To: kid.Entry.From})
		sign := e.Raw(formatkit.Span{From: kid.KeySpan.To, To: kid.Span.From})
		if strings.Trim(pad, " ") == "" && strings.Trim(sign, " ") == "=" {
			return inlineStyle{pad, sign}
		}
	}
	return inlineStyle{" ", " = "}
}

// scalar formats a scalar with the line ends of the text. raw is as in spelled.
func (e editor) scalar(raw string, v gaby.Value) string {
	text := spelled(strings.ReplaceAll(raw, "\r\n", "\n"), formatkit.ScalarOf(v))
	if e.LineEnd == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// like formats a new value in the style of its neighbours: strings have the same kind of quotes.
func (e editor) like(neighbours []*formatkit.Node, v gaby.Value) string {
	if v.Kind() != gaby.Scalar {
		return e.value(nil, v)
	}
	raw := ""
	for _, n := range neighbours {
		if n.Kind != gaby.Scalar || n.Span.Len() == 0 {
			continue
		}
		switch e.Text[n.Span.From] {
		case '\'':
			raw = "''"
		case '"':
			raw = ""
		}
	}
	return e.scalar(raw, v)
}

// inBrackets writes the entries of an array or inline table.
func (e editor) inBrackets(n *formatkit.Node, entries []formatkit.Entry) (whole bool, err error) {
	dotted := false
	for _, kid := range n.Kids {
		dotted = dotted || formOf(kid).notation == byDots
	}
	if !dotted {
		done, err := e.EntriesIn(n, entries, formatkit.Brackets{Text: e.bracketed})
		if done || err != nil {
			return false, err
		}
	}
	e.Replace(n.Span, e.value(n, e.Value(n)))
	return true, nil
}

// bracketed formats a new entry in brackets in the style of its sibling model.
func (e editor) bracketed(
	_ *formatkit.Writer, model *formatkit.Node, entry formatkit.Entry,
) (string, error) {
	sign := model.Sign
	if sign.Len() == 0 {
		return e.value(model, entry.Value), nil
	}
	before, after := formatkit.Span{From: model.KeySpan.To, To: sign.From},
		formatkit.Span{From: sign.To, To: model.Span.From}
	return keyText(entry.Value.Key()) + e.Raw(before) + "=" + e.Raw(after) +
		e.like(model.Parent.Kids, entry.Value), nil
}
