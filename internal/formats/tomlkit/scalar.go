package tomlkit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/pelletier/go-toml/v2/unstable"
)

// scalar returns the value of a scalar. That of a date or time is its text.
func (p *parser) scalar(e *unstable.Node, span formatkit.Span) (any, error) {
	raw := string(p.Text[span.From:span.To])
	switch e.Kind {
	case unstable.String:
		if len(raw) > 5 && raw[1] == raw[0] && strings.Contains(raw, "\r\n") {
			// line ends of a CRLF file are not part of the value
			value, _ := stringValue(strings.ReplaceAll(raw, "\r\n", "\n"))
			return value, nil
		}
		return string(e.Data), nil
	case unstable.Bool:
		return raw == "true", nil
	case unstable.Integer:
		i, err := strconv.ParseInt(raw, 0, 64)
		if err != nil {
			return nil, p.Fail(span.From, "the integer "+raw+" does not fit into 64 bits", "")
		}
		return i, nil
	case unstable.Float:
		return p.float(raw, span.From)
	}
	if !isTime(raw) {
		return nil, p.Fail(span.From, "there is no such date or time: "+raw,
			"quote it if it is a string")
	}
	return raw, nil
}

func (p *parser) float(raw string, at int) (any, error) {
	if strings.HasSuffix(raw, "nan") {
		return math.NaN(), nil
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(raw, "_", ""), 64)
	if err != nil {
		return nil, p.Fail(at, "the number "+raw+" is too large", "")
	}
	return f, nil
}

// spelled formats value in the style of raw, the text of the value that it replaces.
func spelled(raw string, value any) string {
	switch f, _ := value.(float64); {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
	}
	return formatkit.Spell(raw, value, spelledString)
}

// spelledString formats value as the kind of string that raw is, if that can hold it, and keeps the
// escapes of the characters that stay.
func spelledString(raw, value string) string {
	if raw != "" && isTime(raw) && isWritable(value) {
		return value
	}
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if len(raw) < 2*len(quote) || !strings.HasPrefix(raw, quote) {
			continue
		}
		open := len(quote)
		if len(quote) == 3 { // a line end directly after the quotes is not part of the value
			open += len(raw[3:]) - len(strings.TrimPrefix(strings.TrimPrefix(raw[3:], "\r"), "\n"))
		}
		inside := raw[open : len(raw)-len(quote)]
		text := raw[:open] + formatkit.Reescape(inside, tokens(inside, quote), value,
			func(s string) string {
				return escaped(s, quote)
			}) + quote
		if again, ok := stringValue(text); ok && again == value && !strings.Contains(text, "\r") {
			return text
		}
		break
	}
	if strings.HasPrefix(raw, `"""`) || strings.HasPrefix(raw, `'''`) {
		text := "\"\"\"\n" + escaped(value, `"""`) + `"""`
		if again, ok := stringValue(text); ok && again == value && !strings.Contains(text, "\r") {
			return text
		}
	}
	return `"` + escaped(value, `"`) + `"`
}

// stringValue parses a string with its quotes.
func stringValue(raw string) (string, bool) {
	text := []byte("x=" + raw)
	var p unstable.Parser
	p.Reset(text[:len(text):len(text)])
	if !p.NextExpression() {
		return "", false
	}
	value := p.Expression().Value()
	if value.Kind != unstable.String || int(value.Raw.Length) != len(raw) {
		return "", false
	}
	return string(value.Data), !p.NextExpression() && p.Error() == nil
}

// tokens splits the inside of a string into characters and escape sequences.
func tokens(inside, quote string) formatkit.Tokens {
	var list formatkit.Tokens
	for at := 0; at < len(inside); {
		_, n := utf8.DecodeRuneInString(inside[at:])
		text := inside[at : at+n]
		if inside[at] == '\\' && quote[0] == '"' && at+1 < len(inside) {
			switch c := inside[at+1]; c {
			case 'x', 'u', 'U':
				n = 2 + map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			case ' ', '\t', '\r', '\n':
				n = 1 + len(inside[at+1:]) - len(strings.TrimLeft(inside[at+1:], " \t\r\n"))
			default:
				n = 2
			}
			n = min(n, len(inside)-at)
			text, _ = stringValue(`"""` + inside[at:at+n] + `"""`)
		}
		list = append(list, formatkit.Token{From: at, To: at + n, Text: text})
		at += n
	}
	return list
}

// escaped returns s as the inside of a string in these quotes. The caller checks whether the
// quotes can hold it.
func escaped(s, quote string) string {
	if quote[0] == '\'' {
		return s
	}
	lines := len(quote) == 3
	return formatkit.Escape(s, func(i int, r rune) formatkit.Escaping {
		switch {
		case r == '"' && (!lines || i == len(s)-1 || i > 0 && s[i-1] == '"'),
			r == '\n' && !lines, strings.ContainsRune("\\\r\b\f", r):
			return formatkit.WithBackslash
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
			return formatkit.AsUnicode
		}
		return formatkit.Literally
	})
}

// isBare reports whether a key needs no quotes.
func isBare(key string) bool {
	return key != "" && strings.IndexFunc(key, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' &&
			r != '_'
	}) < 0
}

func keyText(key string) string {
	if isBare(key) {
		return key
	}
	return `"` + escaped(key, `"`) + `"`
}
