package formatkit

import (
	"bytes"
	"slices"
	"strings"
)

// Brackets says how a language writes the entries of a map or list in brackets.
type Brackets struct {
	// Text formats a new entry, including its key, in the style of model, an entry that stays.
	Text func(w *Writer, model *Node, e Entry) (string, error)
	// NoCommas is set if entries on lines of their own need no commas. They get commas only if the
	// other entries have them.
	NoCommas bool
}

// EntriesIn writes the given entries into the brackets of n. Entries that stay keep their text. New
// ones follow the style of their neighbours: on lines of their own or not, and with commas as
// needed. If no entry stays it writes nothing and reports false, unless there are no new ones either
// and comments of other entries stay.
func (w *Writer) EntriesIn(n *Node, entries []Entry, b Brackets) (bool, error) {
	kept := keptIn(entries)
	p := bracketed{w: w, n: n, kept: kept, lines: true}
	p.commas = !b.NoCommas
	for i, kid := range n.Kids {
		p.commas = p.commas || kid.Comma >= 0
		p.lines = p.lines && p.ownLines(i)
	}
	if len(kept) == 0 && (len(entries) > 0 || !p.lines || !HoldsComments(w.Text, n)) {
		return false, nil
	}
	p.trailing = len(n.Kids) > 0 && n.Kids[len(n.Kids)-1].Comma >= 0
	p.removeOthers()
	return true, p.addNew(entries, b)
}

// bracketed is a map or list whose entries change.
type bracketed struct {
	w        *Writer
	n        *Node
	kept     map[*Node]bool
	lines    bool // every entry has lines of its own
	commas   bool // entries are separated by commas
	trailing bool // a comma follows the last entry
}

// HoldsComments reports whether the brackets of n contain more than entries and their comments.
func HoldsComments(text []byte, n *Node) bool {
	at := n.Span.From + 1
	for _, kid := range n.Kids {
		if !Blank(text[at:max(at, kid.Head)]) {
			return true
		}
		at = max(end(kid), kid.Remark.To)
	}
	return !Blank(text[at : n.Span.To-1])
}

// end returns the end of an entry, including its comma.
func end(kid *Node) int { return max(kid.Entry.To, kid.Comma+1) }

// begins returns the beginning of the text before entry i: the end of the previous entry.
func (p *bracketed) begins(i int) int {
	if i == 0 {
		return p.n.Span.From + 1
	}
	return end(p.n.Kids[i-1])
}

// withComment returns the end of an entry, including a comment before its comma or the closing
// bracket.
func (p *bracketed) withComment(kid *Node) int {
	if kid.Comma >= 0 {
		return kid.Comma
	}
	rest := bytes.TrimRight(p.w.Text[kid.Entry.To:p.n.Span.To-1], " \t\r\n")
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("/*")) &&
		bytes.IndexByte(rest, '\n') < 0 && !bytes.Contains(rest, []byte("//")) {
		return kid.Entry.To + len(rest)
	}
	return kid.Entry.To
}

func (p *bracketed) ownLines(i int) bool {
	kid := p.n.Kids[i]
	start, first := StartsLine(p.w.Text, kid.Entry.From)
	return first && start >= p.begins(i) && endsLine(p.w.Text[end(kid):p.n.Span.To])
}

// endsLine reports whether the first line of text contains only comments.
func endsLine(text []byte) bool {
	line := bytes.Trim(text[:LineEnd(text, 0)], " \t")
	for bytes.HasPrefix(line, []byte("/*")) {
		n := bytes.Index(line[2:], []byte("*/"))
		if n < 0 {
			return false
		}
		line = bytes.TrimLeft(line[n+4:], " \t")
	}
	return len(line) == 0 && len(text) > 0 || bytes.HasPrefix(line, []byte("#")) ||
		bytes.HasPrefix(line, []byte("//"))
}

// removeOthers deletes the entries that do not stay.
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
			if between := w.Text[end(last):to]; !Blank(between) { // a comment on the next entry
				to -= len(bytes.TrimLeft(between, " \t"))
			}
			w.Remove(Span{kids[from].Entry.From, to})
		case p.trailing:
			w.Remove(Span{end(kids[from-1]), end(last)})
		case p.withComment(kids[from-1]) > kids[from-1].Entry.To: // a comment on the previous entry
			w.Remove(Span{p.withComment(kids[from-1]), last.Entry.To})
		default:
			w.Remove(Span{kids[from-1].Entry.To, last.Entry.To})
		}
	}
}

// addNew writes the new and the moved entries.
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

// text returns the text of an entry. A moved entry that was not edited keeps its text.
func (p *bracketed) text(model *Node, e Entry, b Brackets) (string, error) {
	if e.Moved != nil && p.w.Untouched(e.Moved) {
		return p.w.Raw(e.Moved.Entry), nil
	}
	return b.Text(p.w, model, e)
}

// add inserts text after the entry before or, if that is nil, before the entry next. last is set
// for the last of all entries.
func (p *bracketed) add(text string, before, next *Node, last bool) {
	w := p.w
	if p.lines {
		if p.commas && (!last || p.trailing) {
			text += ","
		}
		if before != nil {
			w.Insert(NextLine(w.Text, end(before)),
				Indent(w.Text, before.Entry.From)+text+w.LineEnd)
			return
		}
		w.Insert(LineStart(w.Text, next.Head), Indent(w.Text, next.Entry.From)+text+w.LineEnd)
		return
	}
	if before != nil {
		w.Insert(p.withComment(before), p.separator()+text)
		return
	}
	w.Insert(next.Entry.From, text+p.separator())
}

// separator returns the text between entries that are not on lines of their own. One without line
// ends is preferred.
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

// Bracketed sets the spans and the comments of an entry in brackets while a text is parsed. The
// search for comments begins at after, the end of the entry before it. The result is the end of
// this entry, with its comma. mark is as in CommentsAbove.
func (n *Node) Bracketed(text []byte, after int, entry Span, mark func(line []byte) int) int {
	n.Entry, n.Head = entry, entry.From
	if first := bytes.IndexByte(text[after:entry.From], '\n'); first >= 0 {
		first += after + 1
		line := bytes.LastIndexByte(text[:entry.From], '\n') + 1
		head, comment := CommentsAbove(text, first, line, mark)
		if n.Comments.Head = comment; comment != "" {
			n.Head = head
		}
	}
	end := entry.To
	if at := Gap(text, end, mark); at < len(text) && text[at] == ',' {
		n.Comma, end = at, at+1
	}
	n.Remark, n.Comments.Line = RestOfLine(text, end, mark)
	return end
}

// Gap returns the offset of the first byte from at on that is not part of a blank, line end or
// comment.
func Gap(text []byte, at int, mark func(line []byte) int) int {
	for at < len(text) {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case bytes.HasPrefix(text[at:], []byte("/*")):
			end := bytes.Index(text[at+2:], []byte("*/"))
			if end < 0 {
				return len(text)
			}
			at += end + 4
		case mark(text[at:]) > 0:
			at = LineEnd(text, at)
		default:
			return at
		}
	}
	return at
}
