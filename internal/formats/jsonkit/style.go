package jsonkit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// style describes how a text is written.
type style struct {
	unit       string // the additional indentation of entries
	colon      string // what separates key and value
	comma      string // what separates entries on one line
	maps       brackets
	lists      brackets
	trailing   bool // a comma follows the last entry if entries are on lines of their own
	single     bool // the whole text is on one line
	quotedKeys bool
	quote      byte
	ascii      bool // characters outside ASCII are escaped
}

// brackets describes how maps or lists are written.
type brackets struct {
	oneLine bool   // each is on one line, in a text of several lines
	pad     string // the blanks inside the brackets of one on a line
}

func (s *style) brackets(kind gaby.Kind) brackets {
	if kind == gaby.Map {
		return s.maps
	}
	return s.lists
}

// styleOf returns the style of a text. Each trait is taken from the first value that shows it.
func styleOf(w *formatkit.Writer) *style {
	s := &style{colon: ": ", comma: ", ", unit: "  ", quotedKeys: true, quote: '"'}
	s.single = len(w.Root.Kids) > 0 && !bytes.ContainsAny(bytes.TrimSpace(w.Text), "\r\n")
	s.ascii = isASCII(w.Text)
	e := editor{w, s}
	var units, colons, commas, quotes, ends, pads, listPads, maps, lists seen
	var look func(n *formatkit.Node)
	look = func(n *formatkit.Node) {
		if text, ok := n.Value.(string); ok && n.Span.Len() > len(text) && quotes.first() {
			s.quote = w.Text[n.Span.From]
		}
		if len(n.Kids) == 0 {
			return
		}
		kid := n.Kids[0]
		lines := e.startsLine(kid)
		if lines {
			own, in := w.Indent(n.Span.From),
				w.Indent(kid.Entry.From)
			if more, ok := strings.CutPrefix(in, own); ok && more != "" && units.first() {
				s.unit = more
			}
			if last := n.Kids[len(n.Kids)-1]; ends.first() {
				s.trailing = last.Comma > 0
			}
		}
		if n.Kind == gaby.Map {
			if colons.first() {
				s.colon = colonOf(w, kid)
				s.quotedKeys = strings.IndexByte(`"'`, w.Text[kid.KeySpan.From]) >= 0
			}
			if !lines && pads.first() {
				s.maps.pad = blanks(w.Text[n.Span.From+1 : kid.Entry.From])
			}
		} else if !lines && listPads.first() {
			s.lists.pad = blanks(w.Text[n.Span.From+1 : kid.Entry.From])
		}
		if !lines && len(n.Kids) > 1 && commas.first() {
			s.comma = strings.TrimLeft(string(w.Text[kid.Entry.To:n.Kids[1].Entry.From]), " \t")
			if strings.Trim(s.comma, " ,") != "" {
				s.comma = ", "
			}
		}
		if n.Parent != nil && e.startsLine(n) {
			kinds, b := &maps, &s.maps
			if n.Kind == gaby.List {
				kinds, b = &lists, &s.lists
			}
			if kinds.first() {
				b.oneLine = !lines
			}
		}
		for _, kid := range n.Kids {
			look(kid)
		}
	}
	look(w.Root)
	if colons.yes && !commas.yes && s.single && s.colon == ":" {
		s.comma = ","
	}
	return s
}

// seen remembers whether a trait has been found.
type seen struct{ yes bool }

func (s *seen) first() bool {
	first := !s.yes
	s.yes = true
	return first
}

// blanks returns text if it consists of spaces and tabs, else "".
func blanks(text []byte) string {
	if len(bytes.Trim(text, " \t")) == 0 {
		return string(text)
	}
	return ""
}

// colonOf returns the text between the key and the value of an entry, or ": " if it contains a
// comment or a line end.
func colonOf(w *formatkit.Writer, n *formatkit.Node) string {
	colon := string(w.Text[n.KeySpan.To:n.Span.From])
	if strings.Trim(colon, " \t:") != "" {
		return ": "
	}
	return colon
}

// isASCII reports whether a text has characters outside ASCII and escapes all of them.
func isASCII(text []byte) bool {
	escapes := false
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
		if !escapes && c == '\\' && i+6 <= len(text) && text[i+1] == 'u' {
			unit, ok := hexAt(text, i+2, 4)
			escapes = ok && unit >= utf8.RuneSelf
		}
	}
	return escapes
}
