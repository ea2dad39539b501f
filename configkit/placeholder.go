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

// HasVariable reports whether another program fills in a part of a text before the configuration
// reaches a cluster: ${NAME} of envsubst and Flux, with a default or without, or {{ ... }} of a
// template. It is not known yet which value the text will have.
func HasVariable(text string) bool {
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return false
		}
		double := strings.HasPrefix(text[i:], "{{")
		dollar := i > 0 && text[i-1] == '$'
		if text = text[i+1:]; double || dollar {
			return strings.Contains(text, "}")
		}
	}
}
