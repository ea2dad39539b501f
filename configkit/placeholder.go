package configkit

import "strings"

// Placeholders for values that are not known yet. There is none for booleans.
const (
	PlaceholderString = "confighubplaceholder"
	PlaceholderInt    = 999999999
)

// IsPlaceholder reports whether a value of a row is not known yet: a string that contains
// PlaceholderString, or PlaceholderInt with either sign.
func IsPlaceholder(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, PlaceholderString)
	case int:
		return v == PlaceholderInt || v == -PlaceholderInt
	}
	return false
}
