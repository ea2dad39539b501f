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

// HasVariable reports whether somebody fills in a part of a text before the configuration reaches a
// cluster: ${NAME} of envsubst and Flux, with a default or without, $(NAME) of kustomize and Tekton,
// {{ ... }} of a template, or <words> of an example. It is not known yet which value the text will
// have.
func HasVariable(text string) bool {
	for {
		i := strings.IndexAny(text, "{(<")
		if i < 0 {
			return false
		}
		dollar, opened := i > 0 && text[i-1] == '$', text[i]
		double := strings.HasPrefix(text[i:], "{{")
		text = text[i+1:]
		switch {
		case opened == '<':
			words, _, closed := strings.Cut(text, ">")
			if closed && isWords(words) {
				return true
			}
		case opened == '(' && dollar:
			return strings.Contains(text, ")")
		case opened == '{' && (dollar || double):
			return strings.Contains(text, "}")
		}
	}
}

// HasStandIn reports whether a name has a word that somebody replaces before the configuration reaches a
// cluster, whose names have neither capital letters nor dollars: ROLLOUT_NAME, REPLACEME, $$name$$. A
// word in capitals alone may be a mistake.
func HasStandIn(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool {
		return c == '-' || c == '.' || c == '/'
	}) {
		capitals := strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" &&
			(strings.Contains(word, "_") || strings.HasPrefix(word, "REPLACE") ||
				strings.HasPrefix(word, "CHANGE")) && strings.Trim(word, "_0123456789") != ""
		if capitals || strings.HasPrefix(word, "$$") && strings.HasSuffix(word, "$$") && len(word) > 4 {
			return true
		}
	}
	return false
}

// isWords reports whether a text in angle brackets says what to put in its place. A template writes
// <no value> and <nil> by mistake.
func isWords(text string) bool {
	return text != "" && text != "no value" && text != "nil" &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.") == ""
}
