package scalar

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a quoted scalar, given with its quotes. The result may alias raw.
func Unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if raw[0] == '\'' {
		if bytes.IndexByte(inner, '\'') < 0 && bytes.IndexByte(inner, '\n') < 0 {
			return inner
		}
		return decodeQuoted(inner, true)
	}
	if bytes.IndexByte(inner, '\\') < 0 && bytes.IndexByte(inner, '\n') < 0 {
		return inner
	}
	return decodeQuoted(inner, false)
}

// decodeQuoted replaces escapes and folds lines (YAML 1.2, 6.5): a newline with the blanks around
// it becomes a space; a newline followed by n blank lines becomes n newlines.
func decodeQuoted(in []byte, single bool) []byte {
	out := make([]byte, 0, len(in))
	floor := 0 // blanks before this offset of out were escaped, so folding must not trim them
	for i := 0; i < len(in); {
		switch c := in[i]; {
		case single && c == '\'':
			out = append(out, '\'')
			i += 2
		case !single && c == '\\':
			// an escaped newline joins the lines without a space
			if j := lineBreak(in, i+1); j > 0 {
				breaks, next := foldedBreaks(in, j)
				out, i = appendBreaks(out, breaks), next
				floor = len(out)
				continue
			}
			out, i = appendEscape(out, in, i)
			floor = len(out)
		case c == '\n' || c == '\r' && i+1 < len(in) && in[i+1] == '\n':
			for len(out) > floor && IsBlank(out[len(out)-1]) {
				out = out[:len(out)-1]
			}
			breaks, next := foldedBreaks(in, lineBreak(in, i))
			out, i = appendFold(out, breaks), next
			floor = len(out)
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// appendBreaks appends n newlines.
func appendBreaks(out []byte, n int) []byte {
	for range n {
		out = append(out, '\n')
	}
	return out
}

// appendFold appends what a newline followed by n blank lines folds to.
func appendFold(out []byte, n int) []byte {
	if n == 0 {
		return append(out, ' ')
	}
	return appendBreaks(out, n)
}

// lineBreak returns the offset after the newline at i, or 0 if there is no newline at i.
func lineBreak(in []byte, i int) int {
	if i < len(in) && in[i] == '\n' {
		return i + 1
	}
	if i+1 < len(in) && in[i] == '\r' && in[i+1] == '\n' {
		return i + 2
	}
	return 0
}

// foldedBreaks counts the blank lines from i, which is the start of a line, and returns the offset
// at which text continues.
func foldedBreaks(in []byte, i int) (breaks, next int) {
	for i < len(in) {
		j := i
		for j < len(in) && IsBlank(in[j]) {
			j++
		}
		k := lineBreak(in, j)
		if k == 0 {
			return breaks, j
		}
		breaks++
		i = k
	}
	return breaks, i
}

// appendEscape decodes the escape sequence at in[i], which the scanner has checked, and returns the
// offset after it.
func appendEscape(out, in []byte, i int) ([]byte, int) {
	digits := 0
	switch c := in[i+1]; c {
	case '0':
		out = append(out, 0)
	case 'a':
		out = append(out, '\a')
	case 'b':
		out = append(out, '\b')
	case 't':
		out = append(out, '\t')
	case 'n':
		out = append(out, '\n')
	case 'v':
		out = append(out, '\v')
	case 'f':
		out = append(out, '\f')
	case 'r':
		out = append(out, '\r')
	case 'e':
		out = append(out, 0x1b)
	case 'N':
		out = append(out, "\u0085"...)
	case '_':
		out = append(out, "\u00a0"...)
	case 'L':
		out = append(out, "\u2028"...)
	case 'P':
		out = append(out, "\u2029"...)
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default: // a space, tab, quote, slash or backslash means itself
		out = append(out, c)
	}
	i += 2
	if digits == 0 {
		return out, i
	}
	r, _ := HexRune(in[i:], digits)
	i += digits
	if utf16.IsSurrogate(r) { // the first half of a pair; the scanner has checked the second
		low, _ := HexRune(in[i+2:], 4)
		r = utf16.DecodeRune(r, low)
		i += len(`\udead`)
	}
	return utf8.AppendRune(out, r), i
}

// FoldPlain joins the lines of a plain scalar by the same rules as quoted text.
func FoldPlain(in []byte) []byte {
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		if j := lineBreak(in, i); j > 0 {
			for len(out) > 0 && IsBlank(out[len(out)-1]) {
				out = out[:len(out)-1]
			}
			breaks, next := foldedBreaks(in, j)
			out, i = appendFold(out, breaks), next
			continue
		}
		out = append(out, in[i])
		i++
	}
	return out
}

// DecodeBlock decodes the literal or folded scalar whose header is at p and whose text ends at end.
// parent is the column of the collection around it, -1 at the root.
//
// The indentation is the explicit one of the header, or that of the first line with text. In a
// folded scalar a newline between two lines with text folds, unless one of them begins with a blank
// (YAML 1.2, 8.1.3). The chomping indicator decides about trailing newlines: "-" drops them, "+"
// keeps them, and the default keeps one.
func DecodeBlock(src []byte, p, end, parent int) []byte {
	folded := src[p] == '>'
	h := ReadBlockHeader(src, p)
	j := bytes.IndexByte(src[p:], '\n')
	if j < 0 {
		return nil
	}
	i := p + j + 1
	// Without "+" the span ends before the last newline; that newline counts only if it exists.
	lastBreak := h.Chomp != '-' && end < len(src) && h.Chomp != '+'
	indent, known := h.Indent, h.Indent > 0
	if known {
		indent += max(parent, 0)
	}
	var out []byte
	var lines, blanks int // lines with text so far, and blank lines since the last of them
	spaced := false       // the last line began with a blank
	if i <= end {
		out = make([]byte, 0, end-i+1)
	}
	for i < end {
		eol := end
		if j := bytes.IndexByte(src[i:end], '\n'); j >= 0 {
			eol = i + j
		}
		text := src[i:eol]
		terminated := eol < end
		i = eol + 1
		if len(text) > 0 && text[len(text)-1] == '\r' && (terminated || eol < len(src)) {
			text = text[:len(text)-1]
		}
		spaces := 0
		for spaces < len(text) && text[spaces] == ' ' {
			spaces++
		}
		if !known {
			if spaces == len(text) {
				if terminated || h.Chomp != '+' {
					blanks++
				}
				continue
			}
			indent, known = spaces, true
		}
		if spaces == len(text) && spaces <= indent { // blank line
			if !terminated && h.Chomp == '+' {
				continue // spaces before the end of the text without a newline are not a line
			}
			blanks++
			continue
		}
		text = text[indent:]
		nowSpaced := IsBlank(text[0])
		switch {
		case lines == 0:
			out = appendBreaks(out, blanks)
		case folded && !spaced && !nowSpaced:
			out = appendFold(out, blanks)
		default:
			out = appendBreaks(out, blanks+1)
		}
		blanks = 0
		lines++
		spaced = nowSpaced
		out = append(out, text...)
		if !terminated {
			return finishBlock(out, lastBreak, 0)
		}
	}
	if h.Chomp == '+' {
		if lines > 0 {
			blanks++ // the newline of the last line with text
		}
		return finishBlock(out, false, blanks)
	}
	return finishBlock(out, lastBreak && lines > 0, 0)
}

// finishBlock appends the trailing newlines of a block scalar.
func finishBlock(out []byte, lineEnd bool, breaks int) []byte {
	if lineEnd {
		breaks++
	}
	return appendBreaks(out, breaks)
}

// HexRune reads the given number of hexadecimal digits at the beginning of text. It reports false
// if text has fewer.
func HexRune(text []byte, digits int) (r rune, ok bool) {
	if len(text) < digits {
		return 0, false
	}
	for _, b := range text[:digits] {
		v := hexValue(b)
		if v < 0 {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, true
}

// hexValue returns the value of a hexadecimal digit, or -1.
func hexValue(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// BlockHeader describes the first line of a literal or folded scalar.
type BlockHeader struct {
	Indent int  // explicit indentation indicator, 0 if there is none
	Chomp  byte // '+', '-', or 0 for the default
	End    int  // offset after the indicators
}

// ReadBlockHeader reads the indicators of a block scalar from the "|" or ">" at p.
func ReadBlockHeader(src []byte, p int) BlockHeader {
	h := BlockHeader{End: p + 1}
	for h.End < len(src) {
		switch c := src[h.End]; {
		case (c == '+' || c == '-') && h.Chomp == 0:
			h.Chomp = c
		case c >= '1' && c <= '9' && h.Indent == 0:
			h.Indent = int(c - '0')
		default:
			return h
		}
		h.End++
	}
	return h
}

// FoldCase returns a text that all texts have in common which [strings.EqualFold] holds for equal.
func FoldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
