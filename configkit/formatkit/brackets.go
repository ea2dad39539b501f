package formatkit

import (
	"bytes"
	"slices"
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

// behind is where an entry ends with the comment that stands in front of its comma or closing bracket.
func (p *bracketed) behind(kid *Node) int {
	if kid.Comma >= 0 {
		return kid.Comma
	}
	rest := bytes.TrimRight(p.w.Text[kid.Entry.To:p.n.Span.To-1], " \t\r\n")
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("/*")) && bytes.IndexByte(rest, '\n') < 0 && !bytes.Contains(rest, []byte("//")) {
		return kid.Entry.To + len(rest)
	}
	return kid.Entry.To
}

func (p *bracketed) ownLines(i int) bool {
	kid := p.n.Kids[i]
	start, first := StartsLine(p.w.Text, kid.Entry.From)
	return first && start >= p.begins(i) && endsLine(p.w.Text[end(kid):p.n.Span.To])
}

// endsLine reports whether nothing but comments stands on the first line of a text.
func endsLine(text []byte) bool {
	line := bytes.Trim(text[:LineEnd(text, 0)], " \t")
	for bytes.HasPrefix(line, []byte("/*")) {
		n := bytes.Index(line[2:], []byte("*/"))
		if n < 0 {
			return false
		}
		line = bytes.TrimLeft(line[n+4:], " \t")
	}
	return len(line) == 0 && len(text) > 0 || bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//"))
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
			to := kids[i+1].Entry.From
			if between := w.Text[end(last):to]; !Blank(between) { // a comment about the next one
				to -= len(bytes.TrimLeft(between, " \t"))
			}
			w.Remove(Span{kids[from].Entry.From, to})
		case p.trailing:
			w.Remove(Span{end(kids[from-1]), end(last)})
		case p.behind(kids[from-1]) > kids[from-1].Entry.To: // a comment about the one before
			w.Remove(Span{p.behind(kids[from-1]), last.Entry.To})
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
		w.Insert(p.behind(before), p.separator()+text)
		return
	}
	w.Insert(next.Entry.From, text+p.separator())
}

// separator is what stands between entries that have no lines of their own; if there is one without line ends, that.
func (p *bracketed) separator() string {
	lines := ", "
	for i, kid := range slices.Backward(p.n.Kids[:len(p.n.Kids)-1]) {
		between := string(p.w.Text[kid.Entry.To:p.n.Kids[i+1].Entry.From])
		switch {
		case strings.Trim(between, " \t\r\n") != ",":
		case strings.ContainsAny(between, "\r\n"):
			lines = between
		default:
			return between
		}
	}
	return lines
}
