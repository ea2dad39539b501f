package formatkit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// EntriesIn writes the given entries into the brackets of n. Entries that stay keep their text. New
// ones follow the style of their neighbours: on lines of their own or not, and with commas as
// needed. Entries on lines of their own need none if noCommas is set, and get them only if others
// have them. format formats a new entry, with its key, in the style of model, an entry that stays.
//
// If no entry stays it writes nothing and reports false, unless there are no new ones either and
// comments of other entries stay.
func (w *Writer) EntriesIn(
	n *Node, entries []Entry, noCommas bool, format func(model *Node, v gaby.Value) string,
) bool {
	kept := keptIn(entries)
	p := bracketed{w: w, n: n, kept: kept, lines: true, commas: !noCommas}
	for i, kid := range n.Kids {
		p.commas = p.commas || kid.Comma > 0
		p.lines = p.lines && p.ownLines(i)
		p.trailing = kid.Comma > 0
	}
	if len(kept) == 0 && (len(entries) > 0 || !p.lines || !w.HoldsComments(n)) {
		return false
	}
	p.removeOthers()
	p.addNew(entries, format)
	return true
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
func (t Text) HoldsComments(n *Node) bool {
	at := n.Span.From + 1
	for _, kid := range n.Kids {
		if !Blank(t[at:max(at, kid.Head)]) {
			return true
		}
		at = max(kid.End(), kid.Remark.To)
	}
	return !Blank(t[at : n.Span.To-1])
}

// withComment returns the end of an entry, including a comment before its comma or the closing
// bracket.
func (p *bracketed) withComment(kid *Node) int {
	if kid.Comma > 0 {
		return kid.Comma
	}
	rest := bytes.TrimRight(p.w.Text[kid.Entry.To:p.n.Span.To-1], " \t\r\n")
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("/*")) &&
		bytes.IndexByte(rest, '\n') < 0 && !bytes.Contains(rest, []byte("//")) {
		return kid.Entry.To + len(rest)
	}
	return kid.Entry.To
}

// ownLines reports whether nothing but entry i and comments are on its lines.
func (p *bracketed) ownLines(i int) bool {
	begin, kid := p.n.Span.From+1, p.n.Kids[i]
	if i > 0 {
		begin = p.n.Kids[i-1].End()
	}
	start, first := p.w.StartsLine(kid.Entry.From)
	return first && start >= begin && endsLine(p.w.Text[kid.End():p.n.Span.To])
}

// endsLine reports whether the first line of text contains only comments.
func endsLine(text Text) bool {
	line := bytes.Trim(text[:text.LineEnd(0)], " \t")
	for bytes.HasPrefix(line, []byte("/*")) {
		n := bytes.Index(line[2:], []byte("*/"))
		if n < 0 {
			return false
		}
		line = bytes.TrimLeft(line[n+4:], " \t")
	}
	return len(line) == 0 && len(text) > 0 || Marks("# //").Begin(line)
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
				w.Remove(Span{w.LineStart(kid.Head), w.NextLine(kid.End())})
			}
		case i+1 < len(kids):
			to := kids[i+1].Entry.From
			if between := w.Text[last.End():to]; !Blank(between) { // a comment on the next entry
				to -= len(bytes.TrimLeft(between, " \t"))
			}
			w.Remove(Span{kids[from].Entry.From, to})
		case p.trailing:
			w.Remove(Span{kids[from-1].End(), last.End()})
		default: // a comment on the previous entry stays
			w.Remove(Span{p.withComment(kids[from-1]), last.Entry.To})
		}
	}
}

// addNew writes the new and the moved entries. A moved entry that was not edited keeps its text.
func (p *bracketed) addNew(entries []Entry, format func(model *Node, v gaby.Value) string) {
	w := p.w
	var before, next *Node
	if i := slices.IndexFunc(entries, func(e Entry) bool { return e.Node != nil }); i >= 0 {
		next = entries[i].Node
	}
	for i, e := range entries {
		comma := p.commas && (i < len(entries)-1 || p.trailing)
		if e.Node != nil {
			before = e.Node
			switch {
			case !p.lines || !p.commas || comma == (before.Comma > 0):
			case comma:
				w.Insert(before.Entry.To, ",")
			default:
				w.Remove(Span{before.Comma, before.Comma + 1})
			}
			continue
		}
		model := cmp.Or(before, next)
		text := ""
		if e.Moved != nil && w.Untouched(e.Moved) {
			text = w.Raw(e.Moved.Entry)
		} else {
			text = format(model, e.Value)
		}
		switch {
		case p.lines:
			at := w.LineStart(model.Head)
			if before != nil {
				at = w.NextLine(before.End())
			}
			if comma {
				text += ","
			}
			w.Insert(at, w.Indent(model.Entry.From)+text+w.Newline)
		case before != nil:
			w.Insert(p.withComment(before), p.separator()+text)
		default:
			w.Insert(next.Entry.From, text+p.separator())
		}
	}
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
// this entry, with its comma.
func (n *Node) Bracketed(text Text, after int, entry Span, marks Marks) int {
	n.Entry, n.Head = entry, entry.From
	if first := bytes.IndexByte(text[after:entry.From], '\n'); first >= 0 {
		line := bytes.LastIndexByte(text[:entry.From], '\n') + 1
		head, comment := text.commentsAbove(after+first+1, line, marks)
		if n.Comments.Head = comment; comment != "" {
			n.Head = head
		}
	}
	if at := text.Gap(entry.To, marks); at < len(text) && text[at] == ',' {
		n.Comma = at
	}
	text.RestOfLine(n, n.End(), marks)
	return n.End()
}
