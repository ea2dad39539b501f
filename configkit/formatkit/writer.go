package formatkit

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lines"
)

// Writer collects the splices of the text of one document. Offsets are relative to the text of all
// documents. A line end is added to it if it has none at its end, so that every line has one.
type Writer struct {
	Text
	Newline string // the line end that the text uses
	Root    *Node

	doc      *gaby.YamlDoc
	source   *source
	splices  []splice
	once     map[*Node]bool
	inserted map[int]bool // the offsets of insertions
	// sectionsGone maps the end of each deleted section, after its blank lines, to its beginning.
	sectionsGone map[int]int
	rewritten    map[*Node]bool // see Rewrite
	isUnended    bool
	// Notes is for the language to store values while it writes.
	Notes  any
	lines  []*Node
	keys   map[*Node]string // of flat languages, see keyOf
	groups map[string]*Node // likewise, see near
}

// splice replaces Text[from:to].
type splice struct {
	from, to int
	text     string
	wipes    bool
	below    bool // it comes after the other insertions at the same offset
}

func newWriter(doc *gaby.YamlDoc, s *source) *Writer {
	return &Writer{
		Text: s.text[:s.end:s.end], Newline: s.text.LineEnding(), Root: s.root,
		doc: doc, source: s, isUnended: s.end > len(s.given),
		once: map[*Node]bool{}, inserted: map[int]bool{}, sectionsGone: map[int]int{},
		rewritten: map[*Node]bool{},
	}
}

// Replace replaces a span by text.
func (w *Writer) Replace(s Span, text string) {
	w.splices = append(w.splices, splice{from: s.From, to: s.To, text: text})
}

// Insert inserts text at an offset. Insertions at the same offset are in the order of the calls.
func (w *Writer) Insert(at int, text string) { w.insert(splice{from: at, to: at, text: text}) }

// InsertBelow inserts text after everything that Insert inserts at the same offset.
func (w *Writer) InsertBelow(at int, text string) {
	w.insert(splice{from: at, to: at, text: text, below: true})
}

func (w *Writer) insert(s splice) {
	w.inserted[s.from] = true
	w.splices = append(w.splices, s)
}

// Remove deletes a span. Deleted spans may overlap.
func (w *Writer) Remove(s Span) { w.Replace(s, "") }

// rank orders the splices at one offset: insertions first.
func (s splice) rank() int {
	switch {
	case s.from < s.to:
		return 2
	case s.below:
		return 1
	}
	return 0
}

// Once reports whether this is the first call with n. It is used for text that several edits in n
// need, but only once.
func (w *Writer) Once(n *Node) bool {
	first := !w.once[n]
	w.once[n] = true
	return first
}

// Rewrite makes the writer call Entries for n, because an edit of an entry affects more than the
// text of the entry.
func (w *Writer) Rewrite(n *Node) { w.rewritten[n] = true }

// Wipe deletes a span and all text that other edits insert inside it.
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
			return nil // the text that the comment was after is gone
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

// entries writes the edits inside the entries of n, then the change of the entries themselves. If
// the language rewrites n as a whole the former are dropped.
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
	if !changed && !w.rewritten[n] {
		return nil
	}
	inside := len(w.splices)
	whole, err := w.source.Entries(w, n, entries)
	if whole {
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

// located adds the position of v to an error, if that has none.
func located(err error, v gaby.Value) error {
	var e *gaby.EditError
	if errors.As(err, &e) && e.Pos.Line == 0 {
		located := *e
		located.Pos = v.Position()
		return &located
	}
	return err
}

// Replaced reports whether an edit has replaced the value of n.
func (w *Writer) Replaced(n *Node) bool {
	_, replaced := w.doc.NativeValue(n.number)
	return replaced
}

// LineCommentOf returns the current line comment of n, after edits.
func (w *Writer) LineCommentOf(n *Node) string {
	if text, changed := w.doc.NativeComment(n.number); changed {
		return text
	}
	return n.Comments.Line
}

// Value returns the current value of n, after edits.
func (w *Writer) Value(n *Node) gaby.Value {
	v, _ := w.doc.NativeValue(n.number)
	return v
}

// Untouched reports whether n has no edits.
func (w *Writer) Untouched(n *Node) bool {
	if w.Replaced(n) {
		return false
	}
	if _, commented := w.doc.NativeComment(n.number); commented {
		return false
	}
	if n.Kind != gaby.Scalar && !w.doc.HasNativeEntries(n.number) {
		return false
	}
	return !slices.ContainsFunc(n.Kids, func(kid *Node) bool { return !w.Untouched(kid) })
}

// bytes returns the text of the document with all splices applied. Splices may overlap: text
// inserted into a removed span is kept, unless the span was rewritten or wiped.
func (w *Writer) bytes() []byte {
	slices.SortStableFunc(w.splices, func(a, b splice) int {
		return cmp.Or(a.from-b.from, a.rank()-b.rank())
	})
	var out []byte
	at := w.Root.Start
	var replaced Span // the last span that was rewritten or wiped
	for _, s := range w.splices {
		if s.from < at {
			if s.from != s.to || s.from > replaced.From && s.from < replaced.To {
				s.text = "" // an edit inside a span that another edit has deleted or rewritten
			}
			s.from, s.to = at, max(at, s.to)
		} else if s.wipes || s.text != "" && s.from != s.to {
			replaced = Span{s.from, s.to}
		}
		out = append(append(out, w.Text[at:s.from]...), s.text...)
		at = s.to
	}
	out = append(out, w.Text[at:]...)
	if w.isUnended {
		out = bytes.TrimSuffix(out, []byte(w.Newline))
		if w.Newline == "\n" { // mixed line ends: the last one may be CRLF
			out = bytes.TrimSuffix(out, []byte("\r"))
		}
	}
	return out
}

// now returns the current entries of map or list n, after edits, and reports
// whether they have changed.
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

// keepOrder marks entries that are no longer in the order of the text as moved, as few as possible:
// those outside a longest increasing subsequence of their numbers.
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
