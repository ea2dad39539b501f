package mutationpath

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// AppendCanonicalJSON appends v as canonical JSON: keys sorted, no blanks, only ASCII, floats with
// a point or exponent. Digests are computed from it, so its format must not change: stored
// mutations would no longer find their elements. It is that of Python's json.dumps with sorted keys
// and without blanks.
func AppendCanonicalJSON(b []byte, v gaby.Value) []byte {
	switch v.Kind() {
	case gaby.Map:
		var entries []gaby.Value
		for _, c := range v.All() {
			entries = append(entries, c)
		}
		slices.SortFunc(entries, func(a, b gaby.Value) int {
			return strings.Compare(a.Key(), b.Key())
		})
		b = append(b, '{')
		for i, c := range entries {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendASCII(b, c.Key()), ':')
			b = AppendCanonicalJSON(b, c)
		}
		return append(b, '}')
	case gaby.List:
		b = append(b, '[')
		for _, c := range v.All() {
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
			b = AppendCanonicalJSON(b, c)
		}
		return append(b, ']')
	}
	switch data := v.Data().(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, data)
	case int:
		return strconv.AppendInt(b, int64(data), 10)
	case int64:
		return strconv.AppendInt(b, data, 10)
	case uint64:
		return strconv.AppendUint(b, data, 10)
	case float64:
		return appendFloat(b, data)
	case string:
		return appendASCII(b, data)
	}
	return appendASCII(b, v.Text())
}

// appendFloat appends a float with the fewest digits that read back as the same float, always
// recognizable as a float. Exponents are used below 1e-4 and from 1e16 on.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	from := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !slices.Contains(b[from:], '.') {
		b = append(b, ".0"...)
	}
	return b
}

// appendASCII appends a JSON string with everything but printable ASCII escaped.
func appendASCII(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		if short := strings.IndexRune("\"\\\n\r\t\b\f", r); short >= 0 {
			b = append(b, '\\', `"\nrtbf`[short])
			continue
		}
		switch {
		case r >= ' ' && r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendEscape(appendEscape(b, high), low)
		default:
			b = appendEscape(b, r)
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// IsJSON reports whether text is a JSON object or list.
func IsJSON(text string) bool { return MayBeJSON(text) && json.Valid([]byte(text)) }

// MayBeJSON is a cheap test that every JSON object or list passes.
func MayBeJSON(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 1 &&
		(text[0] == '{' && text[len(text)-1] == '}' || text[0] == '[' && text[len(text)-1] == ']')
}
