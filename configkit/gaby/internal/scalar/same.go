package scalar

import (
	"fmt"
	"math"
	"strings"
)

// Same reports whether two texts with a tag are the same value. NaN is the same as NaN, zero is not
// the same as minus zero, and integers that are too long for a float64 are compared by their digits.
func Same(t Tag, a, b string) bool {
	if a == b {
		return true
	}
	x, y := Data(t, a), Data(t, b)
	f, ok := x.(float64)
	if !ok {
		return x == y
	}
	g, ok := y.(float64)
	switch {
	case !ok:
		return false
	case math.IsNaN(f) || math.IsNaN(g):
		return math.IsNaN(f) && math.IsNaN(g)
	case f != g || math.Signbit(f) != math.Signbit(g):
		return false
	}
	long, other := integerDigits(a), integerDigits(b)
	return long == "" || other == "" || long == other
}

// Canonical returns one text for all spellings of a value with a tag.
func Canonical(t Tag, text string) string {
	if long := integerDigits(text); t == FloatTag && long != "" {
		return long
	}
	return fmt.Sprint(Data(t, text))
}

// integerDigits returns the digits of an integer, with its sign if it is negative, "" for other texts.
func integerDigits(text string) string {
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	number := strings.TrimPrefix(plain, "-")
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return plain[:len(plain)-len(number)] + strings.TrimLeft(number, "0")
}
