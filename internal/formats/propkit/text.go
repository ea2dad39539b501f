package propkit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// next decodes the first character, escape or line continuation of text, and returns its length.
// The length is negative if an escape is invalid.
func next(text []byte, latin1 bool) (string, int) {
	if n := continuation(text); n > 0 {
		return "", n
	}
	if text[0] != '\\' {
		if latin1 {
			return string(rune(text[0])), 1
		}
		_, n := utf8.DecodeRune(text)
		return string(text[:n]), n
	}
	if text[1] == 'u' {
		r, ok := codeUnit(text)
		if !ok {
			return "", -1
		}
		if utf16.IsSurrogate(r) {
			low, ok := codeUnit(text[6:])
			if pair := utf16.DecodeRune(r, low); ok && pair != unicode.ReplacementChar {
				return string(pair), 12
			}
		}
		return string(r), 6 // half of a surrogate pair is not a character
	}
	if i := strings.IndexByte("tnrf", text[1]); i >= 0 {
		return "\t\n\r\f"[i : i+1], 2
	}
	s, n := next(text[1:], latin1)
	if text[1] == '\\' {
		s, n = `\`, 1
	}
	return s, n + 1
}

// codeUnit decodes \uXXXX.
func codeUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// inLatin1 encodes a text in ISO 8859-1. It reports false if the text has other characters.
func inLatin1(text string) (string, bool) {
	var b strings.Builder
	for _, r := range text {
		if r > 0xff {
			return "", false
		}
		b.WriteByte(byte(r))
	}
	return b.String(), true
}

// tokens splits text, which has been parsed before, into characters and escape sequences.
func tokens(text string, latin1 bool) formatkit.Tokens {
	p := parser{Text: formatkit.Text(text), latin1: latin1}
	tokens, _ := p.scan(func(byte) bool { return false })
	return tokens
}

// spelling says how new text is written.
type spelling struct {
	raw     bool   // characters outside ASCII need no escape
	latin1  bool   // the encoding is ISO 8859-1
	escaped string // further characters to escape
}

func spellingOf(w *formatkit.Writer) spelling {
	if w.Notes == nil {
		ascii := true
		for _, b := range w.Text {
			ascii = ascii && b < utf8.RuneSelf
		}
		w.Notes = spelling{raw: !ascii && utf8.Valid(w.Text), latin1: !utf8.Valid(w.Text)}
	}
	return w.Notes.(spelling)
}

// text escapes s as the middle of a value.
func (sp spelling) text(s string) string {
	return formatkit.Escape(s, func(_ int, r rune) formatkit.Escaping {
		switch {
		case strings.ContainsRune("\\\n\r\t\f"+sp.escaped, r):
			return formatkit.WithBackslash
		case r >= utf8.RuneSelf && !sp.raw || r < ' ' ||
			strings.ContainsRune("\x7f\u0085\u2028\u2029\ufeff", r):
			return formatkit.AsUnicode
		}
		return formatkit.Literally
	})
}

// value escapes s as a whole value.
func (sp spelling) value(s string) string {
	if formatkit.BeforeRemark(s) > 0 {
		sp.escaped += "#"
	}
	text := sp.text(s)
	if strings.HasPrefix(text, " ") {
		text = `\` + text
	}
	if cut, ok := strings.CutSuffix(text, " "); ok && !strings.HasSuffix(cut, `\`) {
		text = cut + `\ `
	}
	return text
}

// Key implements formatkit.Flat.
func (language) Key(key string) string {
	sp := spelling{escaped: " =:"}
	text := sp.text(key)
	if marks.Begin([]byte(text)) {
		text = `\` + text
	}
	return text
}

// Value implements formatkit.Flat.
func (language) Value(w *formatkit.Writer, n *formatkit.Node, value any) string {
	raw := w.Raw(n.Span)
	sp := spellingOf(w)
	if strings.Contains(raw, `\:`) || strings.Contains(raw, `\=`) {
		sp.escaped = ":=" // Properties.store escapes them
	}
	text, _ := formatkit.Untyped(value)
	key := tokens(w.Raw(n.KeySpan), sp.latin1).Text()
	before := string(w.Text[n.KeySpan.From:n.Span.From])
	if sign := n.Sign; raw == "" && text != "" && sign.Len() > 0 &&
		sign.To == n.Span.From && sign.From > n.KeySpan.To {
		before += " " // key = value
	}
	lead := before[n.Span.From-n.KeySpan.From:]
	written := formatkit.Reescape(raw, tokens(raw, sp.latin1), text, sp.text)
	if sp.read(before+written+w.Newline, key, text) {
		return lead + written
	}
	if written = sp.value(text); sp.read(before+written+w.Newline, key, text) {
		return lead + written
	}
	return "=" + written // there is no sign yet, or the value begins with what looks like one
}

// read reports whether a line is parsed as an entry with this key and value.
func (sp spelling) read(line, key, value string) bool {
	p := parser{Text: []byte(line), latin1: sp.latin1}
	n, err := p.entry()
	if err != nil {
		return false
	}
	have, _ := formatkit.Untyped(n.Value)
	return n.Key == key && have == value && p.at == len(p.Text)
}

// Line implements formatkit.Flat.
func (l language) Line(
	w *formatkit.Writer, model *formatkit.Node, key string, value any, comment string,
) string {
	text, _ := formatkit.Untyped(value)
	if comment != "" {
		comment = "# " + comment + w.Newline
	}
	sp := spellingOf(w)
	written := sp.value(text)
	if model == nil {
		return comment + l.Key(key) + "=" + written
	}
	d := w.DelimiterLike(model, w.Lines())
	if comment != "" {
		comment = d.Indent + comment
	}
	if line := d.Line(l.Key(key)) +
		written; sp.read(strings.TrimLeft(line, " \t\f")+w.Newline, key, text) {
		return comment + line
	}
	return comment + d.Indent + l.Key(key) + "=" + written
}

// Groups returns the list that an item in the style of Spring, key[2], is in: a new item goes after
// its last one.
func (language) Groups(key string) []string {
	list, _, ok := strings.Cut(key, "[")
	if !ok {
		return nil
	}
	return []string{list}
}
