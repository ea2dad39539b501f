package jsonkit

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// editor writes edits in the style of the text.
type editor struct {
	*formatkit.Writer
	*style
}

func edit(w *formatkit.Writer) editor {
	s, ok := w.Notes.(*style)
	if !ok {
		s = styleOf(w)
		w.Notes = s
	}
	return editor{w, s}
}

// inPlace formats v as a replacement of n.
func (e editor) inPlace(n *formatkit.Node, v gaby.Value) string {
	if v.Kind() == gaby.Scalar {
		raw := ""
		if n.Kind == gaby.Scalar {
			raw = e.Raw(n.Span)
		}
		return e.spelled(raw, formatkit.ScalarOf(v))
	}
	if n.Kind == v.Kind() && len(n.Kids) > 0 {
		return e.value(v, e.indent(n, e.inLines(n)), e.inLines(n))
	}
	return e.formatEntry(n.Parent, n, v)
}

// formatEntry formats v as an entry of in, in the style of the entry model.
func (e editor) formatEntry(in, model *formatkit.Node, v gaby.Value) string {
	lines := !e.single
	if in != nil {
		lines = e.startsLine(model) && !e.siblingsOnOneLine(in, v.Kind())
	}
	return e.value(v, e.indent(model, lines), lines)
}

// indent returns the indentation of the line on which n begins, or "" if entries are not on
// lines of their own.
func (e editor) indent(n *formatkit.Node, lines bool) string {
	if !lines {
		return ""
	}
	return e.Indent(n.Entry.From)
}

// siblingsOnOneLine reports whether the maps or lists (as kind says) among the entries of in are on
// one line each. Without any it reports whether those of the whole text are.
func (e editor) siblingsOnOneLine(in *formatkit.Node, kind gaby.Kind) bool {
	for i, kid := range in.Kids {
		if kid.Kind == kind && len(kid.Kids) > 0 {
			return !e.inLines(kid)
		}
		if i == manySiblings {
			break
		}
	}
	return e.brackets(kind).oneLine
}

// manySiblings limits how many entries are searched for a model.
const manySiblings = 100

// value formats v. Its first line is indented by indent. If lines is set its entries are on
// lines of their own.
func (e editor) value(v gaby.Value, indent string, lines bool) string {
	open, closing := "{", "}"
	switch {
	case v.Kind() == gaby.Scalar:
		return e.spelled("", formatkit.ScalarOf(v))
	case v.Kind() == gaby.List:
		open, closing = "[", "]"
	}
	if v.Len() == 0 {
		return open + closing
	}
	inside := indent + e.unit
	var entries []string
	for _, kid := range v.All() {
		text := e.value(kid, inside, lines && !e.brackets(kid.Kind()).oneLine)
		if v.Kind() == gaby.Map {
			text = e.key(kid.Key(), e.quotedKeys) + e.colon + text
		}
		entries = append(entries, text)
	}
	if !lines {
		pad := e.brackets(v.Kind()).pad
		return open + pad + strings.Join(entries, e.comma) + pad + closing
	}
	last := ""
	if e.trailing {
		last = ","
	}
	return open + e.Newline + inside + strings.Join(entries, ","+e.Newline+inside) + last +
		e.Newline + indent + closing
}

// key formats a key.
func (e editor) key(key string, quoted bool) string {
	if !quoted && isBare(key) {
		return key
	}
	return e.spelled("", key)
}

// entry formats a new entry in the style of its sibling model.
func (e editor) entry(model *formatkit.Node, v gaby.Value) string {
	in := model.Parent
	text := ""
	if in.Kind == gaby.Map {
		quoted := strings.IndexByte(`"'`, e.Text[model.KeySpan.From]) >= 0
		text = e.key(v.Key(), quoted) + colonOf(e.Writer, model)
	}
	if v.Kind() == gaby.Scalar {
		return text + e.spelled(e.likeStringsOf(in), formatkit.ScalarOf(v))
	}
	return text + e.formatEntry(in, model, v)
}

// likeStringsOf returns an empty string in the quotes of the first string among the entries of in,
// or "" if there is none.
func (e editor) likeStringsOf(in *formatkit.Node) string {
	for i, kid := range in.Kids {
		if _, ok := kid.Value.(string); ok {
			return strings.Repeat(string(e.Text[kid.Span.From]), 2)
		}
		if i == manySiblings {
			break
		}
	}
	return ""
}

// others writes the entries of a map or list that keeps none of its entries or had none. It reports
// whether the whole value was replaced.
func (e editor) others(n *formatkit.Node) (whole bool) {
	v := e.Value(n)
	if len(n.Kids) == 0 && !formatkit.Blank(e.Text[n.Span.From+1:n.Span.To-1]) {
		e.belowComments(n, v)
		return false
	}
	if v.Len() == 0 && e.HoldsComments(n) {
		for _, kid := range n.Kids {
			from, to := kid.Head, kid.End()
			if e.startsLine(kid) && (e.EndsLine(to) || kid.Remark.Len() > 0) {
				to = max(to, kid.Remark.To) // the comment may end on another line
				from, to = e.LineStart(from), e.NextLine(to)
			}
			e.Remove(formatkit.NewSpan(from, to))
		}
		return false
	}
	e.Replace(n.Span, e.inPlace(n, v))
	return true
}

// belowComments writes the entries of a map or list that contains only comments, after these.
func (e editor) belowComments(n *formatkit.Node, v gaby.Value) {
	text := e.value(v, e.indent(n, true), true)
	at := n.Span.From + len(bytes.TrimRight(e.Text[n.Span.From:n.Span.To-1], " \t\r\n"))
	e.Replace(formatkit.NewSpan(at, n.Span.To), text[1:])
}

// startsLine reports whether n is the first thing on its line, other than the first line.
func (e editor) startsLine(n *formatkit.Node) bool {
	start, first := e.StartsLine(n.Entry.From)
	return start > 0 && first
}

// inLines reports whether the entries of n are on lines of their own.
func (e editor) inLines(n *formatkit.Node) bool { return e.startsLine(n.Kids[0]) }
