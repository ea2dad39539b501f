package nativekit

import "strings"

// Piece is a part of a written text, From to To of it, and what it stands for: a character, an escape sequence, or something that
// stands for nothing, such as the end of a line that goes on in the next.
type Piece struct {
	From, To int
	Text     string
}

// Text is what pieces stand for.
func Text(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Respell writes text in the place of raw, of which it keeps what the texts have in common at both ends: a character that was written
// as an escape sequence stays one. The rest is spelled anew.
func Respell(raw string, pieces []Piece, text string, spell func(string) string) string {
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
	if tail == len(pieces) { // nothing may be left behind that only goes on
		for head > 0 && head < tail && pieces[head-1].Text == "" {
			head--
		}
	}
	from, to := len(raw), len(raw)
	if head < len(pieces) {
		from = pieces[head].From
	}
	if tail < len(pieces) {
		to = pieces[tail].From
	}
	return raw[:from] + spell(text[at:end]) + raw[to:]
}
