package formatkit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Number is the text of a number that says how to write it.
type Number string

// ScalarOf returns the value of a scalar, which is a Number if its spelling is to be kept.
func ScalarOf(v gaby.Value) any {
	value := v.Data()
	if text, ok := v.Spelling(); ok && (fmt.Sprint(value) != text || strings.Contains(text, ".")) {
		return Number(text)
	}
	return value
}

// Spell formats a scalar in the style of raw, the text that it replaces. text formats a string.
func Spell(raw string, value any, text func(raw, value string) string) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case Number:
		return string(value)
	case bool:
		return strconv.FormatBool(value)
	case int:
		return spellInt(raw, int64(value))
	case int64:
		return spellInt(raw, value)
	case uint64:
		if value <= math.MaxInt64 {
			return spellInt(raw, int64(value))
		}
		return strconv.FormatUint(value, 10)
	case float64:
		return spellFloat(raw, value)
	}
	return text(raw, value.(string))
}

// spellFloat formats a finite number in the style of raw, the text that it replaces: with an
// exponent or without, and with at least as many decimal places.
func spellFloat(raw string, value float64) string {
	number := raw != "" && strings.Trim(raw, "+-0123456789_.eE") == ""
	if e := strings.IndexAny(raw, "eE"); number && e > 0 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
		if strings.Contains(raw[:e], ".") && !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		sign := exponent[:1]
		if sign == "+" && !strings.Contains(raw[e:], "+") {
			sign = ""
		}
		last := len(exponent) - 1
		return mantissa + raw[e:e+1] + sign + strings.TrimLeft(exponent[1:last], "0") +
			exponent[last:]
	}
	if magnitude := math.Abs(value); magnitude >= 1e21 || magnitude < 1e-7 && magnitude > 0 {
		return strings.Replace(strconv.FormatFloat(value, 'e', -1, 64), "e+", "e", 1)
	}
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	if _, places, ok := strings.Cut(raw, "."); ok && number {
		_, have, _ := strings.Cut(text, ".")
		text += strings.Repeat("0", max(0, len(places)-len(have)))
	}
	return text
}

// spellInt formats an integer in the style of raw, the text that it replaces: in the same base,
// padded with zeros to the same width after a prefix, with the same sign and underscores.
func spellInt(raw string, value int64) string {
	if len(raw) > 2 && raw[0] == '0' && value >= 0 {
		if base := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'b': 2}[raw[1]]; base != 0 {
			old := raw[2:]
			digits := strconv.FormatInt(value, base)
			if strings.ContainsAny(old, "ABCDEF") {
				digits = strings.ToUpper(digits)
			}
			if old[0] == '0' { // padded to a fixed width
				width := len(old) - strings.Count(old, "_")
				digits = strings.Repeat("0", max(0, width-len(digits))) + digits
			}
			return raw[:2] + grouped(old, digits)
		}
	}
	if !isDecimal(raw) {
		return strconv.FormatInt(value, 10)
	}
	digits := grouped(strings.TrimLeft(raw, "+-"),
		strings.TrimPrefix(strconv.FormatInt(value, 10), "-"))
	switch {
	case value < 0:
		return "-" + digits
	case raw[0] == '+':
		return "+" + digits
	}
	return digits
}

func isDecimal(raw string) bool {
	return raw != "" && strings.Trim(strings.TrimLeft(raw, "+-"), "0123456789_") == ""
}

// grouped inserts underscores between digits, in groups of the length of the last group of old.
func grouped(old, digits string) string {
	i := strings.LastIndexByte(old, '_')
	if i < 0 {
		return digits
	}
	var groups []string
	for size := len(old) - i - 1; len(digits) > size; digits = digits[:len(digits)-size] {
		groups = append([]string{digits[len(digits)-size:]}, groups...)
	}
	return strings.Join(append([]string{digits}, groups...), "_")
}
