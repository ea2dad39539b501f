package configkit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is how many characters of a value messages show: more of it helps nobody, and may be a secret.
const maxShown = 80

// Shown is a value as messages show it: as it stands, or quoted where that would not be one line of text. Of a long value it is
// the beginning and how long the whole is.
func Shown(value string) string {
	head, more := beginning(value)
	if head == "" || !utf8.ValidString(head) || strings.ContainsFunc(head, func(r rune) bool { return !unicode.IsPrint(r) }) {
		head = strconv.Quote(head)
	}
	return head + more
}

// Quoted is Shown always in quotes.
func Quoted(value string) string {
	head, more := beginning(value)
	return strconv.Quote(head) + more
}

// beginning is what messages show of a value, and what they say of the rest.
func beginning(value string) (head, more string) {
	characters := 0
	for at := range value {
		if characters++; characters > maxShown {
			return value[:at], fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(value))
		}
	}
	return value, ""
}
