package nativekit

import (
	"math"
	"strconv"
	"strings"
)

// SpellFloat writes a finite number in the place of raw, as a number with a point or an exponent as raw is one, and with as many
// places if it can do with fewer.
func SpellFloat(raw string, value float64) string {
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
		return mantissa + raw[e:e+1] + sign + strings.TrimLeft(exponent[1:last], "0") + exponent[last:]
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
