package formatkit

import "strings"

// Token is a part of a written text, From to To of it, and what it stands for: a character, an escape sequence, or something that
// stands for nothing, such as the end of a line that goes on in the next.
type Token struct {
	From, To int
	Text     string
}

// Text is what pieces stand for.
func Text(pieces []Token) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Reescape writes text in the place of raw, of which it keeps what the texts have in common: a character that was written as an escape
// sequence stays one, and lines end where they did. The rest is spelled anew.
func Reescape(raw string, pieces []Token, text string, spell func(string) string) string {
	var b strings.Builder
	reescape(&b, raw, pieces, text, spell)
	return b.String()
}

func reescape(b *strings.Builder, raw string, pieces []Token, text string, spell func(string) string) {
	head, at := 0, 0
	for head < len(pieces) && strings.HasPrefix(text[at:], pieces[head].Text) {
		at += len(pieces[head].Text)
		head++
	}
	tail, end := len(pieces), len(text)
	for tail > head && strings.HasSuffix(text[at:end], pieces[tail-1].Text) {
		tail--
		end -= len(pieces[tail].Text)
	}
	if at == end && tail == len(pieces) { // nothing may be left behind that only goes on
		for head > 0 && head < tail && pieces[head-1].Text == "" {
			head--
		}
	}
	keep := func(pieces []Token) {
		for _, p := range pieces {
			b.WriteString(raw[p.From:p.To])
		}
	}
	keep(pieces[:head])
	old, now := pieces[head:tail], text[at:end]
	if from, to, i := common(old, now); i >= 0 {
		length := len(Text(old[from:to]))
		reescape(b, raw, old[:from], now[:i], spell)
		keep(old[from:to])
		reescape(b, raw, old[to:], now[i+length:], spell)
	} else {
		b.WriteString(spell(now))
	}
	keep(pieces[tail:])
}

const (
	leastCommon  = 3       // bytes; fewer are the same by accident
	mostCompared = 1 << 20 // pairs of pieces and bytes
)

// common finds the longest run of pieces that is in text, at i; i is negative when there is none, or when keeping one would make no
// difference because every piece is written as what it stands for.
func common(pieces []Token, text string) (from, to, i int) {
	special := false
	for _, p := range pieces {
		special = special || p.To-p.From != len(p.Text)
	}
	if !special || len(pieces)*len(text) > mostCompared {
		return 0, 0, -1
	}
	best := 0
	// lengths[k] is how long the run is that ends with the piece before and at byte k, and starts[k] the piece it begins with.
	lengths, starts := make([]int, len(text)+1), make([]int, len(text)+1)
	for p, piece := range pieces {
		if piece.Text == "" {
			continue // it continues every run
		}
		nextLengths, nextStarts := make([]int, len(text)+1), make([]int, len(text)+1)
		for k := len(piece.Text); k <= len(text); k++ {
			if text[k-len(piece.Text):k] != piece.Text {
				continue
			}
			before := k - len(piece.Text)
			nextLengths[k], nextStarts[k] = lengths[before]+len(piece.Text), p
			if lengths[before] > 0 {
				nextStarts[k] = starts[before]
			}
			if nextLengths[k] > best {
				best, from, to, i = nextLengths[k], nextStarts[k], p+1, k-nextLengths[k]
			}
		}
		lengths, starts = nextLengths, nextStarts
	}
	if best < leastCommon {
		return 0, 0, -1
	}
	return from, to, i
}
