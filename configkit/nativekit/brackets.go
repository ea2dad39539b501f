package nativekit

import (
	"bytes"
	"strings"
)

// Brackets is how a language writes the entries of a map or list in brackets.
type Brackets struct {
	// Text is a new entry, key included. model is one that stays, as which it is written.
	Text func(w *Writer, model *Node, e Entry) (string, error)
	// NoCommas tells that entries on lines of their own need no commas, and have them only where the others do.
	NoCommas bool
}

// EntriesIn writes the entries that n is to have into its brackets: those that stay keep their text, new ones are written as their
// neighbours, on a line of their own or not, with the commas that takes. It reports false, and writes nothing, when none stays.
func (w *Writer) EntriesIn(n *Node, entries []Entry, b Brackets) (bool, error) {
	kept := map[*Node]bool{}
	for _, e := range entries {
		if e.Node != nil {
			kept[e.Node] = true
		}
	}
	if len(kept) == 0 {
		return false, nil
	}
	p := bracketed{w: w, n: n, kept: kept, lines: true}
	p.commas = !b.NoCommas
	for i, kid := range n.Kids {
		p.commas = p.commas || kid.Comma >= 0
		p.lines = p.lines && p.ownLines(i)
	}
	p.trailing = n.Kids[len(n.Kids)-1].Comma >= 0
	p.removeOthers()
	return true, p.addNew(entries, b)
}

// bracketed is one map or list whose entries change.
type bracketed struct {
	w        *Writer
	n        *Node
	kept     map[*Node]bool
	lines    bool // every entry has lines of its own
	commas   bool // there are commas between entries
	trailing bool // there is one behind the last
}

// end is where an entry ends, its comma included.
func end(kid *Node) int { return max(kid.Entry.To, kid.Comma+1) }

// begins is where the text in front of an entry begins: behind the entry before.
func (p *bracketed) begins(i int) int {
	if i == 0 {
		return p.n.Span.From + 1
	}
	return end(p.n.Kids[i-1])
}

func (p *bracketed) ownLines(i int) bool {
	kid := p.n.Kids[i]
	rest := bytes.TrimLeft(p.w.Text[end(kid):p.n.Span.To], " \t")
	return bytes.IndexByte(p.w.Text[p.begins(i):kid.Entry.From], '\n') >= 0 &&
		(bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r")) ||
			bytes.HasPrefix(rest, []byte("#")) || bytes.HasPrefix(rest, []byte("//")))
}

// removeOthers takes out the entries that do not stay.
func (p *bracketed) removeOthers() {
	w, kids := p.w, p.n.Kids
	for i := 0; i < len(kids); i++ {
		if p.kept[kids[i]] {
			continue
		}
		from := i
		for i+1 < len(kids) && !p.kept[kids[i+1]] {
			i++
		}
		switch last := kids[i]; {
		case p.lines:
			for _, kid := range kids[from : i+1] {
				w.Remove(Span{LineStart(w.Text, kid.Head), NextLine(w.Text, end(kid))})
			}
		case i+1 < len(kids):
			w.Remove(Span{kids[from].Entry.From, kids[i+1].Entry.From})
		case p.trailing:
			w.Remove(Span{end(kids[from-1]), end(last)})
		default:
			w.Remove(Span{kids[from-1].Entry.To, last.Entry.To})
		}
	}
}

// addNew writes the entries that do not stay where they are.
func (p *bracketed) addNew(entries []Entry, b Brackets) error {
	w := p.w
	var before, next *Node
	for i, e := range entries {
		last := i == len(entries)-1
		if p.kept[e.Node] {
			before = e.Node
			if p.lines && p.commas {
				switch needs := !last || p.trailing; {
				case needs && before.Comma < 0:
					w.Insert(before.Entry.To, ",")
				case !needs && before.Comma >= 0:
					w.Remove(Span{before.Comma, before.Comma + 1})
				}
			}
			continue
		}
		if before == nil && next == nil {
			for _, after := range entries[i:] {
				if p.kept[after.Node] {
					next = after.Node
					break
				}
			}
		}
		model := before
		if model == nil {
			model = next
		}
		text, err := p.text(model, e, b)
		if err != nil {
			return err
		}
		p.add(text, before, next, last)
	}
	return nil
}

// text is an entry's: what it was when it only changes its place.
func (p *bracketed) text(model *Node, e Entry, b Brackets) (string, error) {
	if e.Moved != nil && p.w.Untouched(e.Moved) {
		return p.w.Raw(e.Moved.Entry), nil
	}
	return b.Text(p.w, model, e)
}

func (p *bracketed) add(text string, before, next *Node, last bool) {
	w := p.w
	if p.lines {
		if p.commas && (!last || p.trailing) {
			text += ","
		}
		if before != nil {
			w.Insert(NextLine(w.Text, end(before)), Indent(w.Text, before.Entry.From)+text+w.LineEnd)
			return
		}
		w.Insert(LineStart(w.Text, next.Head), Indent(w.Text, next.Entry.From)+text+w.LineEnd)
		return
	}
	if before != nil {
		w.Insert(before.Entry.To, p.separator()+text)
		return
	}
	w.Insert(next.Entry.From, text+p.separator())
}

// separator is what stands between entries on one line.
func (p *bracketed) separator() string {
	for i, kid := range p.n.Kids[:len(p.n.Kids)-1] {
		if between := string(p.w.Text[kid.Entry.To:p.n.Kids[i+1].Entry.From]); strings.Trim(between, " \t,") == "" {
			return between
		}
	}
	return ", "
}
