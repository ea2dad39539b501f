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

// inPlace is a value as it is to stand where n stands.
func (e editor) inPlace(n *formatkit.Node, v gaby.Value) string {
	if v.Kind() == gaby.Scalar {
		raw := ""
		if n.Kind == gaby.Scalar {
			raw = e.Raw(n.Span)
		}
		return e.spelled(raw, v.Data())
	}
	if n.Kind == v.Kind() && len(n.Kids) > 0 {
		return e.value(v, e.indent(n, e.inLines(n)), e.inLines(n))
	}
	return e.placed(parentOf(n), n, v)
}

// placed is a value as it is to stand as an entry of in, as which model stands there.
func (e editor) placed(in, model *formatkit.Node, v gaby.Value) string {
	lines := !e.single
	if in != nil {
		lines = e.startsLine(model) && !e.siblingsOnOneLine(in, v.Kind())
	}
	return e.value(v, e.indent(model, lines), lines)
}

// indent is that of the line on which an entry begins; it is of no account where there are no lines.
func (e editor) indent(n *formatkit.Node, lines bool) string {
	if !lines {
		return ""
	}
	return formatkit.Indent(e.Text, n.Entry.From)
}

// siblingsOnOneLine reports whether maps or lists among the entries of in stand on one line each; if there are none, whether those
// of the text do.
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

// manySiblings are enough to see how they are written.
const manySiblings = 100

// value is a value whose first line is indented by indent; lines tells whether its entries stand on lines of their own.
func (e editor) value(v gaby.Value, indent string, lines bool) string {
	open, closing := "{", "}"
	switch {
	case v.Kind() == gaby.Scalar:
		return e.spelled("", v.Data())
	case v.Kind() == gaby.List:
		open, closing = "[", "]"
	}
	if v.Len() == 0 {
		return open + closing
	}
	inside := indent + e.unit
	var entries []string
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
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
	return open + e.LineEnd + inside + strings.Join(entries, ","+e.LineEnd+inside) + last + e.LineEnd + indent + closing
}

// key is a key as it is written.
func (e editor) key(key string, quoted bool) string {
	if !quoted && isBare(key) {
		return key
	}
	return e.spelled("", key)
}

// entry is a new entry beside model.
func (e editor) entry(_ *formatkit.Writer, model *formatkit.Node, entry formatkit.Entry) (string, error) {
	in := parentOf(model)
	text := ""
	if in.Kind == gaby.Map {
		quoted := strings.IndexByte(`"'`, e.Text[model.KeySpan.From]) >= 0
		text = e.key(entry.Value.Key(), quoted) + colonOf(e.Writer, model)
	}
	if entry.Value.Kind() == gaby.Scalar {
		return text + e.spelled(e.likeStringsOf(in), entry.Value.Data()), nil
	}
	return text + e.placed(in, model, entry.Value), nil
}

// likeStringsOf is an empty string as those among the entries of a map or list are written.
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

// others writes the entries of a map or list of which none stays, or which had none. It reports whether it is written anew.
func (e editor) others(n *formatkit.Node) (anew bool) {
	v := e.Value(n)
	if len(n.Kids) == 0 && !formatkit.Blank(e.Text[n.Span.From+1:n.Span.To-1]) {
		e.belowComments(n, v)
		return false
	}
	if v.Len() == 0 && e.remainsSomething(n) {
		for _, kid := range n.Kids {
			from, to := kid.Head, behind(kid)
			if e.startsLine(kid) && (formatkit.EndsLine(e.Text, to) || kid.Comments.Line != "") {
				if r, ok := remarkAt(e.Text, to); ok {
					to = r.To // which may be on another line
				}
				from, to = formatkit.LineStart(e.Text, from), formatkit.NextLine(e.Text, to)
			}
			e.Remove(formatkit.Span{From: from, To: to})
		}
		return false
	}
	e.Replace(n.Span, e.inPlace(n, v))
	return true
}

// belowComments writes the entries of a map or list that has only comments in it.
func (e editor) belowComments(n *formatkit.Node, v gaby.Value) {
	text := e.value(v, e.indent(n, true), true)
	at := n.Span.From + len(bytes.TrimRight(e.Text[n.Span.From:n.Span.To-1], " \t\r\n"))
	e.Replace(formatkit.Span{From: at, To: n.Span.To}, text[1:])
}

// remainsSomething reports whether there is more between the brackets than entries with their comments.
func (e editor) remainsSomething(n *formatkit.Node) bool {
	at := n.Span.From + 1
	for _, kid := range n.Kids {
		if !formatkit.Blank(e.Text[at:kid.Head]) {
			return true
		}
		at = behind(kid)
		if r, ok := remarkAt(e.Text, at); ok {
			at = r.To
		}
	}
	return !formatkit.Blank(e.Text[at : n.Span.To-1])
}

// startsLine reports whether an entry is the first thing on its line.
func (e editor) startsLine(n *formatkit.Node) bool {
	start, first := formatkit.StartsLine(e.Text, n.Entry.From)
	return start > 0 && first
}

// inLines reports whether the entries of a map or list stand on lines of their own.
func (e editor) inLines(n *formatkit.Node) bool { return e.startsLine(n.Kids[0]) }
