package formatkit

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
)

// Writer gathers what is to be replaced in the text of one document. Places count from the beginning of the unit's text, to which a
// line end is added when it has none at its end, so that every line has one.
type Writer struct {
	Text    []byte
	LineEnd string // the one the text uses
	Root    *Node

	doc      *gaby.YamlDoc
	source   *source
	splices  []splice
	once     map[*Node]bool
	inserted map[int]bool // where something is
	// sectionsGone are the sections taken out: where what follows begins, and where they began.
	sectionsGone map[int]int
	anew         map[*Node]bool
	unended      bool
	// Notes is what the language wants to remember while it writes.
	Notes   any
	lines   []*Node
	keys    map[*Node]string // of flat languages, see keyOf
	renamed bool
}

// splice replaces Text[from:to].
type splice struct {
	from, to int
	text     string
	wipes    bool
	below    bool // of what is inserted at the same place it comes last
}

func newWriter(doc *gaby.YamlDoc, s *source) *Writer {
	return &Writer{
		Text: s.text[:s.end:s.end], LineEnd: LineEndOf(s.text), Root: s.root,
		doc: doc, source: s, unended: s.end > len(s.given),
	}
}

// LineEndOf is the line end a text uses: that of its first line.
func LineEndOf(text []byte) string {
	switch i := bytes.IndexAny(text, "\r\n"); {
	case i < 0 || text[i] == '\n':
		return "\n"
	case i+1 < len(text) && text[i+1] == '\n':
		return "\r\n"
	case bytes.IndexByte(text, '\n') >= 0:
		return "\n" // a carriage return somewhere in a line
	}
	return "\r"
}

// Replace puts text in the place of a span.
func (w *Writer) Replace(s Span, text string) {
	w.splices = append(w.splices, splice{from: s.From, to: s.To, text: text})
}

// Insert puts text in front of a byte. What is inserted at the same place comes in the order of the calls.
func (w *Writer) Insert(at int, text string) { w.insert(splice{from: at, to: at, text: text}) }

// InsertBelow is Insert behind what else is inserted there.
func (w *Writer) InsertBelow(at int, text string) {
	w.insert(splice{from: at, to: at, text: text, below: true})
}

func (w *Writer) insert(s splice) {
	if w.inserted == nil {
		w.inserted = map[int]bool{}
	}
	w.inserted[s.from] = true
	w.splices = append(w.splices, s)
}

// Remove takes a span out. Spans that are taken out may overlap.
func (w *Writer) Remove(s Span) { w.Replace(s, "") }

// Raw is the text of a span.
func (w *Writer) Raw(s Span) string { return string(w.Text[s.From:s.To]) }

// rank orders what happens at one place: insertions first.
func (s splice) rank() int {
	switch {
	case s.from < s.to:
		return 2
	case s.below:
		return 1
	}
	return 0
}

// Once reports whether it is called with n for the first time: for what several edits of entries of n need, but once.
func (w *Writer) Once(n *Node) bool {
	if w.once == nil {
		w.once = map[*Node]bool{}
	}
	first := !w.once[n]
	w.once[n] = true
	return first
}

// Anew has Entries called for n, of which an entry is edited in a way that takes more than its own text.
func (w *Writer) Anew(n *Node) {
	if w.anew == nil {
		w.anew = map[*Node]bool{}
	}
	w.anew[n] = true
}

// Wipe takes a span out with all that edits inside of it insert.
func (w *Writer) Wipe(s Span) {
	w.splices = append(w.splices, splice{from: s.From, to: s.To, wipes: true})
}

// node writes the edits in n.
func (w *Writer) node(n *Node) error {
	v, replaced := w.doc.NativeValue(n.number)
	if replaced {
		if err := w.source.Replace(w, n, v); err != nil {
			return located(err, v)
		}
		if n.Kind != v.Kind() {
			return nil // what it stood behind is gone
		}
		return w.comment(n)
	}
	if n.Kind != gaby.Scalar {
		if err := w.entries(n, v); err != nil {
			return err
		}
	}
	return w.comment(n)
}

func (w *Writer) entries(n *Node, v gaby.Value) error {
	entries, changed := w.now(n)
	before := len(w.splices)
	for _, e := range entries {
		if e.Node == nil {
			continue
		}
		if err := w.node(e.Node); err != nil {
			return err
		}
	}
	if !changed && !w.anew[n] {
		return nil
	}
	inside := len(w.splices)
	anew, err := w.source.Entries(w, n, entries)
	if anew {
		w.splices = slices.Delete(w.splices, before, inside)
	}
	return located(err, v)
}

func (w *Writer) comment(n *Node) error {
	if text, changed := w.doc.NativeComment(n.number); changed {
		return w.source.Comment(w, n, text)
	}
	return nil
}

// located is an error about writing v with its place.
func located(err error, v gaby.Value) error {
	var e *gaby.EditError
	if errors.As(err, &e) && e.Pos.Line == 0 {
		placed := *e
		placed.Pos = v.Position()
		return &placed
	}
	return err
}

// Replaced reports whether an edit put another value in the place of n.
func (w *Writer) Replaced(n *Node) bool {
	_, replaced := w.doc.NativeValue(n.number)
	return replaced
}

// LineCommentOf is the line comment of n, edits included.
func (w *Writer) LineCommentOf(n *Node) string {
	if text, changed := w.doc.NativeComment(n.number); changed {
		return text
	}
	return n.Comments.Line
}

// Value is what stands where n stands, edits included.
func (w *Writer) Value(n *Node) gaby.Value {
	v, _ := w.doc.NativeValue(n.number)
	return v
}

// Untouched reports whether nothing was edited in n.
func (w *Writer) Untouched(n *Node) bool {
	if w.Replaced(n) {
		return false
	}
	if _, commented := w.doc.NativeComment(n.number); commented {
		return false
	}
	if n.Kind != gaby.Scalar {
		if _, changed := w.doc.NativeEntries(n.number); changed {
			return false
		}
	}
	return !slices.ContainsFunc(n.Kids, func(kid *Node) bool { return !w.Untouched(kid) })
}

// bytes is the document's text with the splices made.
func (w *Writer) bytes() []byte {
	slices.SortStableFunc(w.splices, func(a, b splice) int {
		return cmp.Or(a.from-b.from, a.rank()-b.rank())
	})
	var out []byte
	at := w.source.start
	var anew Span // what was last written anew, or wiped
	for _, s := range w.splices {
		if s.from < at {
			if s.from != s.to || s.from > anew.From && s.from < anew.To {
				s.text = "" // an edit inside of what another one took out or wrote anew
			}
			s.from, s.to = at, max(at, s.to)
		} else if s.wipes || s.text != "" && s.from != s.to {
			anew = Span{s.from, s.to}
		}
		out = append(append(out, w.Text[at:s.from]...), s.text...)
		at = s.to
	}
	out = append(out, w.Text[at:]...)
	if w.unended {
		out = bytes.TrimSuffix(out, []byte(w.LineEnd))
		if w.LineEnd == "\n" { // of a line that ends in another way
			out = bytes.TrimSuffix(out, []byte("\r"))
		}
	}
	return out
}

// now are the entries of map or list n as edits have left them, and whether these are others than before.
func (w *Writer) now(n *Node) (entries []Entry, changed bool) {
	listed, changed := w.doc.NativeEntries(n.number)
	entries = make([]Entry, len(listed))
	for i, e := range listed {
		entries[i].Value = e.Value
		if e.Node >= 0 {
			entries[i].Node = w.source.nodes[e.Node]
		}
	}
	if changed {
		keepOrder(entries)
	}
	return entries, changed
}

// keepOrder makes those of the entries that do not stand in the order of the text ones that have moved, as few as possible.
func keepOrder(entries []Entry) {
	var numbers, at []int
	for i, e := range entries {
		if e.Node != nil {
			numbers, at = append(numbers, e.Node.number), append(at, i)
		}
	}
	stay := lines.Rising(numbers)
	for k, i := range at {
		if len(stay) > 0 && stay[0] == k {
			stay = stay[1:]
			continue
		}
		entries[i].Moved, entries[i].Node = entries[i].Node, nil
	}
}
