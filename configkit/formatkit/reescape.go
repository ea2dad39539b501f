package formatkit

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Escaping is a way to write a character in quotes.
type Escaping uint8

// These are the ways to write a character.
const (
	Literally     Escaping = iota
	WithBackslash          // \n, or the character after a backslash
	AsUnicode              // \u000a, and two such for a character beyond 16 bits
)

// Escape writes each character of text as how says.
func Escape(text string, how func(at int, r rune) Escaping) string {
	var b strings.Builder
	for at, r := range text {
		switch how(at, r) {
		case WithBackslash:
			if i := strings.IndexRune("\n\r\t\b\f", r); i >= 0 {
				r = rune("nrtbf"[i])
			}
			b.WriteByte('\\')
			b.WriteRune(r)
		case AsUnicode:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Token is a part of a written text, at From to To, with its meaning: a character, an escape
// sequence, or something that means nothing, such as the end of a line that continues on the next.
type Token struct {
	From, To int
	Text     string
}

// Tokens are the parts of a written text, in order.
type Tokens []Token

// Tokenize splits a written text into tokens. next returns the length and the meaning of the one
// that the rest of the text begins with.
func Tokenize(text string, next func(rest string) (length int, meaning string)) Tokens {
	var tokens Tokens
	for at := 0; at < len(text); {
		length, meaning := next(text[at:])
		tokens = append(tokens, Token{at, at + length, meaning})
		at += length
	}
	return tokens
}

// Character returns the length of the first character of a text, which is a token that means
// itself.
func Character(rest string) (length int, meaning string) {
	_, length = utf8.DecodeRuneInString(rest)
	return length, rest[:length]
}

// Text returns the meaning of tokens.
func (tokens Tokens) Text() string {
	var b strings.Builder
	for _, p := range tokens {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Reescape writes text in place of raw, whose tokens are tokens. It keeps the spelling of
// everything that the old and the new text have in common: escape sequences stay, and lines end
// where they did. spell escapes the rest.
func Reescape(raw string, tokens Tokens, text string, spell func(string) string) string {
	var b strings.Builder
	reescape(&b, raw, tokens, text, spell)
	return b.String()
}

// reescape is the recursive part of Reescape. It keeps the common beginning and end of the old and
// the new text, then the longest run that the rest of them have in common, and does the same with
// the text before and after the run.
func reescape(
	b *strings.Builder, raw string, tokens Tokens, text string, spell func(string) string,
) {
	head, at := 0, 0
	for head < len(tokens) && strings.HasPrefix(text[at:], tokens[head].Text) {
		at += len(tokens[head].Text)
		head++
	}
	tail, end := len(tokens), len(text)
	for tail > head && strings.HasSuffix(text[at:end], tokens[tail-1].Text) {
		tail--
		end -= len(tokens[tail].Text)
	}
	if at == end && tail == len(tokens) {
		// do not keep a continued line end at the end, which would continue with what follows
		for head > 0 && head < tail && tokens[head-1].Text == "" {
			head--
		}
	}
	keep := func(tokens Tokens) {
		for _, p := range tokens {
			b.WriteString(raw[p.From:p.To])
		}
	}
	keep(tokens[:head])
	old, now := tokens[head:tail], text[at:end]
	if from, to, i := common(old, now); i >= 0 {
		length := len(old[from:to].Text())
		reescape(b, raw, old[:from], now[:i], spell)
		keep(old[from:to])
		reescape(b, raw, old[to:], now[i+length:], spell)
	} else {
		b.WriteString(spell(now))
	}
	keep(tokens[tail:])
}

const (
	leastCommon  = 3       // bytes; shorter runs are equal by accident
	mostCompared = 1 << 20 // pairs of tokens and bytes
)

// common returns the longest run of tokens whose meaning is in text, and its offset i there. i is
// negative if there is none, if the comparison is too expensive, or if no token is written in
// another way than spell would write it.
func common(tokens Tokens, text string) (from, to, i int) {
	special := false
	for _, p := range tokens {
		special = special || p.To-p.From != len(p.Text)
	}
	if !special || len(tokens)*len(text) > mostCompared {
		return 0, 0, -1
	}
	all, ends := tokens.Text(), make([]int, len(tokens)+1) // where each token ends in all
	for k, p := range tokens {
		ends[k+1] = ends[k] + len(p.Text)
	}
	best, end := 0, 0
	for start, p := range tokens {
		if p.Text == "" {
			continue
		}
		// If a run is in text, so is the same run without its first token.
		for end < len(tokens) && strings.Contains(text, all[ends[start]:ends[end+1]]) {
			end++
		}
		if run := all[ends[start]:max(ends[start], ends[end])]; len(run) > best {
			best, from, to, i = len(run), start, end, strings.Index(text, run)
		}
		end = max(end, start+1)
	}
	for to > from && tokens[to-1].Text == "" {
		to--
	}
	if best < leastCommon {
		return 0, 0, -1
	}
	return from, to, i
}
