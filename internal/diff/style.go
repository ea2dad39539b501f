package diff

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Style colours the parts of a diff. Old and New are set together, and then OldWord and NewWord with them.
type Style struct {
	File, Hunk, Label func(string) string // names of files, @@ ... @@, what stands behind it
	Old, New          func(string) string // removed and added lines
	OldWord, NewWord  func(string) string // what is different in them
}

func apply(style func(string) string, text string) string {
	if style == nil || text == "" {
		return text
	}
	return style(text)
}

// Above these sizes nobody looks for what is different in a line, and finding it takes time.
const (
	maxEmphasized = 1000 // bytes of a line
	maxPaired     = 64   // lines of an edit
)

// coloured prints the lines of an edit with what is different in those that have a counterpart.
func (p *printer) coloured(e edit) {
	pairs := p.pair(e)
	for i := e.oldFrom; i < e.oldTo; i++ {
		p.line("-", p.before.line(i), p.paint(p.style.Old, p.style.OldWord, pairs.old[i]))
	}
	for i := e.newFrom; i < e.newTo; i++ {
		p.line("+", p.after.line(i), p.paint(p.style.New, p.style.NewWord, pairs.new[i]))
	}
}

// piece is a part of a line, which its counterpart has or has not.
type piece struct {
	text string
	same bool
}

// pairs are the pieces of lines that have a counterpart, by line.
type pairs struct{ old, new map[int][]piece }

// pair finds for each removed line the first added one that is alike, in order.
func (p *printer) pair(e edit) pairs {
	found := pairs{old: map[int][]piece{}, new: map[int][]piece{}}
	if e.oldTo-e.oldFrom > maxPaired || e.newTo-e.newFrom > maxPaired {
		return found
	}
	next := e.newFrom
	for i := e.oldFrom; i < e.oldTo; i++ {
		for j := next; j < e.newTo; j++ {
			old, changed, alike := pieces(p.before.line(i), p.after.line(j))
			if alike {
				found.old[i], found.new[j], next = old, changed, j+1
				break
			}
		}
	}
	return found
}

// pieces takes two lines apart. They are alike when at least half of what is in both, blanks at the begin and end aside, is the same.
func pieces(before, after []byte) (old, changed []piece, alike bool) {
	if len(before) > maxEmphasized || len(after) > maxEmphasized || !utf8.Valid(before) || !utf8.Valid(after) {
		return nil, nil, false
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // a time limit would make the result depend on the machine
	same := 0
	for _, part := range d.DiffCleanupSemantic(d.DiffMain(string(before), string(after), false)) {
		if part.Type != diffmatchpatch.DiffInsert {
			old = append(old, piece{part.Text, part.Type == diffmatchpatch.DiffEqual})
		}
		if part.Type != diffmatchpatch.DiffDelete {
			changed = append(changed, piece{part.Text, part.Type == diffmatchpatch.DiffEqual})
		}
		if part.Type == diffmatchpatch.DiffEqual {
			same += len(strings.TrimSpace(part.Text))
		}
	}
	longer := max(len(bytes.TrimSpace(before)), len(bytes.TrimSpace(after)))
	return old, changed, 2*same >= longer
}

// paint colours a line. Its carriage return is shown where it makes the difference.
func (p *printer) paint(whole, word func(string) string, pieces []piece) func(mark string, line []byte) string {
	return func(mark string, line []byte) string {
		if pieces == nil {
			return whole(mark + string(line))
		}
		var b strings.Builder
		b.WriteString(whole(mark))
		for _, part := range pieces {
			text := strings.TrimSuffix(part.text, "\n")
			if part.same {
				b.WriteString(apply(whole, text))
			} else {
				b.WriteString(apply(word, strings.ReplaceAll(text, "\r", "^M")))
			}
		}
		return b.String()
	}
}
