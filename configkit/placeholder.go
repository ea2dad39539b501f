package configkit

import "strings"

// What stands for a value that is not known yet. A bool has no such value.
const (
	PlaceholderString = "confighubplaceholder"
	PlaceholderInt    = 999999999
)

// IsPlaceholder tells whether a value, as rows carry it, is not known yet: a string with PlaceholderString in it, or PlaceholderInt
// with either sign.
func IsPlaceholder(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, PlaceholderString)
	case int:
		return v == PlaceholderInt || v == -PlaceholderInt
	}
	return false
}
