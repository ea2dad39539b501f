package scalar

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
)

// Resolve returns the tag of the plain scalar s by the rules of yaml.v3: the core schema of YAML
// 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema) with the integers and timestamps of YAML 1.1,
// but without its yes, no, on and off.
func Resolve(s string) Tag {
	if s == "" {
		return NullTag
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-':
		if isTimestamp(s) {
			return TimestampTag
		}
		t, _ := number(s)
		return t
	case c == '.':
		t, _ := number(s)
		return t
	case strings.IndexByte("~nNtTfF<", c) < 0:
		return StrTag
	}
	switch s {
	case "~", "null", "Null", "NULL":
		return NullTag
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return BoolTag
	case "<<":
		return MergeTag
	}
	return StrTag
}

// number resolves text that begins with a digit, a sign or a point. It returns an int, int64,
// uint64 or float64, or StrTag and nil if s is not a number.
func number(s string) (Tag, any) {
	if s == "" {
		return StrTag, nil
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return FloatTag, math.NaN()
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return FloatTag, math.Inf(1)
	case "-.inf", "-.Inf", "-.INF":
		return FloatTag, math.Inf(-1)
	}
	if s[0] == '.' {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return FloatTag, f
		}
		return StrTag, nil
	}
	// YAML 1.1 allows underscores between digits, and yaml.v3 reads them.
	plain := s
	if strings.IndexByte(s, '_') >= 0 {
		plain = strings.ReplaceAll(s, "_", "")
	}
	if !numberLike(plain) {
		return StrTag, nil
	}
	// Base 0: the prefix says the base, as in 0x1F; 017 is octal, as in YAML 1.1.
	if v, ok := integer(plain, 0); ok {
		return IntTag, v
	}
	if isFloatSyntax(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return FloatTag, f
		}
	}
	for _, base := range []struct {
		prefix string
		base   int
	}{{"0b", 2}, {"0o", 8}} {
		if rest, ok := strings.CutPrefix(plain, base.prefix); ok {
			if v, ok := integer(rest, base.base); ok {
				return IntTag, v
			}
		} else if rest, ok := strings.CutPrefix(plain, "-"+base.prefix); ok {
			if v, err := strconv.ParseInt("-"+rest, base.base, 64); err == nil {
				return IntTag, int(v)
			}
		}
	}
	return StrTag, nil
}

// numberLike reports whether all bytes of s can occur in a number. It rejects most text without the
// cost of a failed conversion.
func numberLike(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' &&
			c <= 'F', c == '+', c == '-', c == '.', c == 'x', c == 'X', c == 'o', c == 'O':
		default:
			return false
		}
	}
	return s != ""
}

// integer parses s in the given base (0 for the prefixes of Go). It returns an int if the value
// fits, else an int64 or uint64.
func integer(s string, base int) (any, bool) {
	if v, err := strconv.ParseInt(s, base, 64); err == nil {
		if v == int64(int(v)) {
			return int(v), true
		}
		return v, true
	}
	if v, err := strconv.ParseUint(s, base, 64); err == nil {
		return v, true
	}
	return nil, false
}

// isFloatSyntax reports whether s matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, the
// float syntax of yaml.v3. strconv.ParseFloat alone accepts more, such as "inf" and hexadecimal
// floats.
func isFloatSyntax(s string) bool {
	i := 0
	if s[i] == '+' || s[i] == '-' {
		i++
	}
	whole := digits(s[i:])
	i += whole
	if i < len(s) && s[i] == '.' {
		i++
		frac := digits(s[i:])
		i += frac
		if whole+frac == 0 {
			return false
		}
	} else if whole == 0 {
		return false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		n := digits(s[i:])
		i += n
		if n == 0 {
			return false
		}
	}
	return i == len(s)
}

// digits returns the number of decimal digits at the beginning of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// isTimestamp reports whether yaml.v3 reads s as a timestamp: one of the layouts below, with a year
// of four digits.
func isTimestamp(s string) bool {
	if digits(s) != 4 || len(s) < 8 || s[4] != '-' {
		return false
	}
	for _, layout := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00",
		"2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2",
	} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// Data returns the Go value of text resolved as t: nil, bool, int, int64, uint64, float64 or
// string. Text that does not have the syntax of t is returned as a string, timestamps always are.
func Data(t Tag, text string) any {
	switch t {
	case NullTag:
		return nil
	case BoolTag:
		if Resolve(text) == BoolTag {
			return text[0] == 't' || text[0] == 'T'
		}
	case IntTag:
		if _, v := number(text); v != nil {
			return v
		}
	case FloatTag:
		_, v := number(text)
		switch i := v.(type) {
		case nil:
			return text
		case int:
			return float64(i)
		case int64:
			return float64(i)
		case uint64:
			return float64(i)
		}
		return v
	case BinaryTag:
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			return string(b)
		}
	}
	return text
}
