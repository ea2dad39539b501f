package scalar

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes quoted text with its quotes.
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

// decodeQuoted replaces escapes and folds lines: a line end with the blanks around it becomes a space, n blank lines behind it
// become n line feeds.
func decodeQuoted(in []byte, single bool) []byte {
	out := make([]byte, 0, len(in))
	floor := 0 // blanks in front of it were written by an escape and stay
	for i := 0; i < len(in); {
		switch c := in[i]; {
		case single && c == '\'':
			out = append(out, '\'')
			i += 2
		case !single && c == '\\':
			if j := lineBreak(in, i+1); j > 0 { // escaped line end: joined without a space
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

func appendBreaks(out []byte, n int) []byte {
	for range n {
		out = append(out, '\n')
	}
	return out
}

// appendFold appends what a line end with n blank lines behind it stands for.
func appendFold(out []byte, n int) []byte {
	if n == 0 {
		return append(out, ' ')
	}
	return appendBreaks(out, n)
}

// lineBreak returns the place behind the line end at i, or 0 when there is none.
func lineBreak(in []byte, i int) int {
	if i < len(in) && in[i] == '\n' {
		return i + 1
	}
	if i+1 < len(in) && in[i] == '\r' && in[i+1] == '\n' {
		return i + 2
	}
	return 0
}

// foldedBreaks counts the blank lines from i, the start of a line, and returns where text goes on.
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

// appendEscape decodes the escape sequence at in[i], which the scanner has checked.
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
	default: // blank, tab, quote, slash, backslash
		out = append(out, c)
	}
	i += 2
	if digits == 0 {
		return out, i
	}
	r, _ := HexRune(in[i:], digits)
	i += digits
	if utf16.IsSurrogate(r) { // the first half, see scanner.escape
		low, _ := HexRune(in[i+2:], 4)
		r = utf16.DecodeRune(r, low)
		i += len(`\udead`)
	}
	return utf8.AppendRune(out, r), i
}

// FoldPlain joins the lines of plain text.
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

// DecodeBlock decodes the literal or folded scalar whose header is at p and whose text ends at end. parent is the column of the
// collection around it.
func DecodeBlock(src []byte, p, end, parent int) []byte {
	folded := src[p] == '>'
	h := ReadBlockHeader(src, p)
	j := bytes.IndexByte(src[p:], '\n')
	if j < 0 {
		return nil
	}
	i := p + j + 1
	// A text that is not kept ends in front of its last line end, with or without one behind it.
	lastBreak := h.Chomp != '-' && end < len(src) && h.Chomp != '+'
	indent, known := h.Indent, h.Indent > 0
	if known {
		indent += max(parent, 0)
	}
	var out []byte
	var lines, blanks int // lines with text so far; blank lines since the last of them
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
				continue // spaces before the end of the text, without a line end
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
			blanks++ // the line end of the last line with text
		}
		return finishBlock(out, false, blanks)
	}
	return finishBlock(out, lastBreak && lines > 0, 0)
}

func finishBlock(out []byte, lineEnd bool, breaks int) []byte {
	if lineEnd {
		breaks++
	}
	return appendBreaks(out, breaks)
}

// HexRune reads hexadecimal digits at the begin of text. It reports false when there are fewer.
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

// BlockHeader is the line that begins a literal or folded scalar.
type BlockHeader struct {
	Indent int  // explicit indentation, 0 for none
	Chomp  byte // '+', '-' or 0
	End    int  // behind the indicators
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
