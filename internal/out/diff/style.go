package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/internal/lines"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Colors colours the parts of a diff. Old and New are set together, and then OldWord and NewWord
// with them.
type Colors struct {
	File, Hunk, Label func(string) string // names of files, @@ ... @@, the text after it
	Old, New          func(string) string // removed and added lines
	OldWord, NewWord  func(string) string // the differences within them
}

func apply(style func(string) string, text string) string {
	if style == nil || text == "" {
		return text
	}
	return style(text)
}

// Above these sizes, differences within lines are not highlighted: nobody would look for them, and
// finding them takes time.
const (
	maxEmphasized = 400    // bytes of a line
	maxCompared   = 40_000 // bytes of the lines of an edit, counted per comparison
)

// coloured prints the lines of an edit, highlighting the differences in those that have a
// counterpart.
func (p *printer) coloured(h lines.Hunk) {
	pairs := p.pair(h)
	for i := h.From; i < h.To; i++ {
		p.line("-", p.before[i], p.paint(p.style.Old, p.style.OldWord, pairs.old[i]))
	}
	for i := h.NewFrom; i < h.NewTo; i++ {
		p.line("+", p.after[i], p.paint(p.style.New, p.style.NewWord, pairs.new[i]))
	}
}

// linePart is a part of a line that is, or is not, in its counterpart.
type linePart struct {
	text string
	same bool
}

// pairs has the parts of lines that have a counterpart, by line.
type pairs struct{ old, new map[int][]linePart }

// pair finds for each removed line the next added line that is alike.
func (p *printer) pair(h lines.Hunk) pairs {
	found := pairs{old: map[int][]linePart{}, new: map[int][]linePart{}}
	next, compared := h.NewFrom, 0
	for i := h.From; i < h.To; i++ {
		for j := next; j < h.NewTo && compared < maxCompared; j++ {
			compared += len(p.before[i]) + len(p.after[j])
			old, changed, alike := parts(p.before[i], p.after[j])
			if alike {
				found.old[i], found.new[j], next = old, changed, j+1
				break
			}
		}
	}
	return found
}

// parts splits two lines into common and different parts. The lines are alike if the common parts
// are at least half as long as the longer line. Leading and trailing space does not count.
func parts(before, after string) (old, changed []linePart, alike bool) {
	shorter, longer := len(strings.TrimSpace(before)), len(strings.TrimSpace(after))
	if shorter > longer {
		shorter, longer = longer, shorter
	}
	if 2*shorter < longer || len(before) > maxEmphasized || len(after) > maxEmphasized ||
		!utf8.ValidString(before) || !utf8.ValidString(after) {
		return nil, nil, false
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // a time limit would make the result depend on the machine
	known := words{rune: map[string]rune{}}
	same := 0
	for _, part := range d.DiffCleanupSemantic(d.DiffMainRunes(known.runes(before),
		known.runes(after), false)) {
		text := known.text(part.Text)
		if part.Type != diffmatchpatch.DiffInsert {
			old = append(old, linePart{text, part.Type == diffmatchpatch.DiffEqual})
		}
		if part.Type != diffmatchpatch.DiffDelete {
			changed = append(changed, linePart{text, part.Type == diffmatchpatch.DiffEqual})
		}
		if part.Type == diffmatchpatch.DiffEqual {
			same += len(strings.TrimSpace(text))
		}
	}
	return old, changed, 2*same >= longer
}

// words maps words to runes of a private range, so that lines can be compared word by word.
type words struct {
	all  []string
	rune map[string]rune
}

const firstWord = '\U000F0000'

func (w *words) runes(line string) []rune {
	var runes []rune
	for text := line; text != ""; {
		n := strings.IndexFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		switch {
		case n < 0:
			n = len(text)
		case n == 0:
			_, n = utf8.DecodeRuneInString(text)
		}
		word := text[:n]
		r, ok := w.rune[word]
		if !ok {
			r = firstWord + rune(len(w.all))
			w.rune[word], w.all = r, append(w.all, word)
		}
		runes, text = append(runes, r), text[n:]
	}
	return runes
}

func (w *words) text(runes string) string {
	var b strings.Builder
	for _, r := range runes {
		b.WriteString(w.all[r-firstWord])
	}
	return b.String()
}

// paint returns a function that colours a line. It shows a carriage return that is a difference.
func (p *printer) paint(whole, word func(string) string, parts []linePart) func(mark,
	line string) string {
	return func(mark, line string) string {
		if parts == nil {
			return whole(mark + line)
		}
		var b strings.Builder
		b.WriteString(whole(mark))
		for _, part := range parts {
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
