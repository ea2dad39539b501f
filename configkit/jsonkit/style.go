package jsonkit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// style is how a text is written.
type style struct {
	unit       string // by how much entries are indented
	colon      string // between key and value
	comma      string // between entries on one line
	maps       brackets
	lists      brackets
	trailing   bool // there is a comma behind the last of several lines
	single     bool // all of it stands on one line
	quotedKeys bool
	quote      byte
	ascii      bool // other characters are written as escape sequences
}

// brackets is how maps or lists are written.
type brackets struct {
	oneLine bool   // on one line, though not all of the text is
	pad     string // inside the brackets, on one line
}

func (s *style) brackets(kind gaby.Kind) brackets {
	if kind == gaby.Map {
		return s.maps
	}
	return s.lists
}

// styleOf finds out how a text is written: as what comes first in it.
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
			own, in := formatkit.Indent(w.Text, n.Span.From), formatkit.Indent(w.Text, kid.Entry.From)
			if more, ok := strings.CutPrefix(in, own); ok && more != "" && units.first() {
				s.unit = more
			}
			if last := n.Kids[len(n.Kids)-1]; ends.first() {
				s.trailing = last.Comma >= 0
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
		if in := parentOf(n); in != nil && e.startsLine(n) {
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

// seen tells the first time from others.
type seen struct{ yes bool }

func (s *seen) first() bool {
	first := !s.yes
	s.yes = true
	return first
}

// blanks is text, if it is nothing but blanks on one line.
func blanks(text []byte) string {
	if len(bytes.Trim(text, " \t")) == 0 {
		return string(text)
	}
	return ""
}

// colonOf is what stands between the key and the value of an entry.
func colonOf(w *formatkit.Writer, n *formatkit.Node) string {
	colon := w.Raw(formatkit.Span{From: n.KeySpan.To, To: n.Span.From})
	if strings.Trim(colon, " \t:") != "" {
		return ": "
	}
	return colon
}

// isASCII reports whether a text has other characters than those of ASCII, and all of them as escape sequences.
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
