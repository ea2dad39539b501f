package jsonkit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// number returns the value of raw, a word at offset at that is not a keyword.
func (p *parser) number(raw string, at int) (any, error) {
	lax := p.dialect.isJSON5()
	if n, err := strconv.Atoi(raw); err == nil && strconv.Itoa(n) == raw {
		return n, nil
	}
	if !isNumber(raw, lax) {
		digits := strings.TrimLeft(raw, "+-")
		switch {
		case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789.") == "":
			return nil, p.fail(at, "quote it to keep the zeros",
				"the number %s has a leading zero", raw)
		case !lax && isNumber(raw, true):
			return nil, p.fail(at, json5Hint, "JSON has no number that is written %s", raw)
		case strings.EqualFold(raw, "true") || strings.EqualFold(raw, "false") ||
			strings.EqualFold(raw, "null"):
			return nil, p.fail(at, "write "+strings.ToLower(raw), "JSON has no value %s", raw)
		}
		return nil, p.fail(at, "put strings in double quotes", "JSON has no value %s", raw)
	}
	switch hex := isHex(raw); {
	case strings.HasSuffix(raw, "NaN"):
		return math.NaN(), nil
	case strings.HasSuffix(raw, "Infinity"):
		f, _ := strconv.ParseFloat(raw, 64)
		return f, nil
	case hex || !strings.ContainsAny(raw, ".eE"):
		base := 10
		if hex {
			base = 0
		}
		if i, err := strconv.ParseInt(raw, base, 64); err == nil {
			return int(i), nil
		}
		if u, err := strconv.ParseUint(strings.TrimPrefix(raw, "+"), base, 64); err == nil {
			return u, nil
		}
		if hex {
			raw += "p0"
		}
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return nil, p.fail(at, "", "the number %s is too large", raw)
	}
	return f, nil
}

func isHex(raw string) bool {
	digits := strings.TrimLeft(raw, "+-")
	return len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')
}

var (
	number = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
	})
	// of JSON5
	laxNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[-+]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+|` +
			`(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)$`)
	})
)

// isNumber reports whether raw is a number of JSON or, if lax, of JSON5.
func isNumber(raw string, lax bool) bool {
	return number().MatchString(raw) || lax && laxNumber().MatchString(raw)
}

// quoted parses the string at the current position.
func (p *parser) quoted() (string, error) {
	from := p.at
	quote := p.Text[from]
	if quote == '\'' && !p.dialect.isJSON5() {
		return "", p.fail(from, json5Hint, "put strings of JSON in double quotes")
	}
	p.at++
	start, plain := p.at, true
	var value strings.Builder
	for p.at < len(p.Text) {
		c := p.Text[p.at]
		switch {
		case c == quote:
			end := p.at
			p.at++
			if plain {
				return string(p.Text[start:end]), nil
			}
			return value.String(), nil
		case c >= ' ' && c != '\\':
			if !plain {
				value.WriteByte(c)
			}
			p.at++
			continue
		}
		if plain {
			value.Write(p.Text[start:p.at])
			plain = false
		}
		n, text, problem := token(p.Text[p.at:], p.dialect)
		if problem != "" {
			hint := ""
			if c == '\n' || c == '\r' {
				hint = `write a line end in a string as \n`
			}
			return "", p.fail(p.at, hint, "%s", problem)
		}
		value.WriteString(text)
		p.at += n
	}
	return "", p.fail(from, "", "the string has no end, which is %c", quote)
}

// token decodes the first character or escape sequence of text, the rest of a string with what
// follows it. It returns its length in the text and its value, or the problem with it.
func token(text []byte, d dialect) (length int, value, problem string) {
	r, n := utf8.DecodeRune(text)
	switch {
	case r == '\n' || r == '\r':
		return 0, "", "the string has no end on its line"
	case r < ' ':
		return 0, "", fmt.Sprintf(`the control character \u%04x is not escaped`, r)
	case r != '\\':
		return n, string(text[:n]), ""
	}
	if len(text) < 2 {
		return 0, "", "the string ends in a backslash"
	}
	r, n = utf8.DecodeRune(text[1:])
	n++
	if i := strings.IndexRune(`"\/bfnrt`, r); i >= 0 {
		return n, "\"\\/\b\f\n\r\t"[i : i+1], ""
	}
	switch {
	case r == 'u':
		if unit, ok := hexAt(text, 2, 4); ok {
			if next, ok := hexAt(text, 8, 4); ok && string(text[6:8]) == `\u` &&
				utf16.IsSurrogate(unit) {
				if pair := utf16.DecodeRune(unit, next); pair != utf8.RuneError {
					return 12, string(pair), ""
				}
			}
			// half of a surrogate pair becomes the replacement character, as in encoding/json
			return 6, string(unit), ""
		}
		return 0, "", `the escape sequence \u needs four hexadecimal digits`
	case !d.isJSON5():
	case r == 'x':
		if unit, ok := hexAt(text, 2, 2); ok {
			return 4, string(unit), ""
		}
		return 0, "", `the escape sequence \x needs two hexadecimal digits`
	case r == '\r' && len(text) > 2 && text[2] == '\n':
		return 3, "", ""
	case r == '\n' || r == '\r' || isSeparator(r):
		return n, "", ""
	case r == 'v':
		return n, "\v", ""
	case r == '0' && (len(text) < 3 || text[2] < '0' || text[2] > '9'):
		return n, "\x00", ""
	case r < '0' || r > '9':
		return n, string(r), ""
	}
	return 0, "", fmt.Sprintf(`there is no escape sequence %q`, `\`+string(r))
}

func hexAt(text []byte, at, length int) (rune, bool) {
	if len(text) < at+length {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[at:at+length]), 16, 32)
	return rune(v), err == nil //nolint:gosec // at most 16 bits
}

// tokens splits the inside of a string into characters and escape sequences. It returns nil if one
// of them is invalid.
func tokens(inside string) formatkit.Tokens {
	var list formatkit.Tokens
	text := []byte(inside)
	for at := 0; at < len(text); {
		n, value, problem := token(text[at:], unknown)
		if problem != "" {
			return nil
		}
		list = append(list, formatkit.Token{From: at, To: at + n, Text: value})
		at += n
	}
	return list
}

// spelled formats value in the style of raw, the text of the value that it replaces.
func (s *style) spelled(raw string, value any) string {
	switch f, _ := value.(float64); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(fmt.Sprint(f), "+") + "inity"
	}
	return formatkit.Spell(raw, value, s.spelledString)
}

// spelledString formats value with the quotes of raw, and keeps the escapes of the characters that
// stay. A result that would not be read as value is discarded.
func (s *style) spelledString(raw, value string) string {
	quote := s.quote
	if raw != "" && (raw[0] == '"' || raw[0] == '\'') {
		quote = raw[0]
		if inside := tokens(raw[1 : len(raw)-1]); inside != nil {
			text := string(quote) + formatkit.Reescape(raw[1:len(raw)-1], inside, value,
				func(t string) string {
					return s.escaped(t, quote)
				}) + string(quote)
			p := parser{Text: []byte(text)}
			if again, err := p.quoted(); err == nil && p.at == len(text) && again == value {
				return text
			}
		}
	}
	return string(quote) + s.escaped(value, quote) + string(quote)
}

// escaped returns text as the inside of a string in these quotes.
func (s *style) escaped(text string, quote byte) string {
	return formatkit.Escape(text, func(_ int, r rune) formatkit.Escaping {
		switch {
		case r == rune(quote), strings.ContainsRune("\\\b\f\n\r\t", r):
			return formatkit.WithBackslash
		case r < ' ', r == '\u007f', isSeparator(r), s.ascii && r > '~':
			return formatkit.AsUnicode
		}
		return formatkit.Literally
	})
}
