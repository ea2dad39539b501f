package configkit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLength is the number of characters of a value that messages show. More does not help and may
// be a secret.
const maxLength = 80

// Abbreviate formats a value for messages: as it is, or quoted if it is not a single line of
// printable text. A long value is cut, followed by its total length.
func Abbreviate(value string) string {
	head, more := beginning(value)
	if head == "" || !utf8.ValidString(head) || strings.ContainsFunc(head, func(r rune) bool {
		return !unicode.IsPrint(r)
	}) {
		head = strconv.Quote(head)
	}
	return head + more
}

// Quote is like Abbreviate, but always quotes.
func Quote(value string) string {
	head, more := beginning(value)
	return strconv.Quote(head) + more
}

// beginning returns the part of a value that messages show, and a remark about the rest.
func beginning(value string) (head, more string) {
	characters := 0
	for at := range value {
		if characters++; characters > maxLength {
			return value[:at], fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(value))
		}
	}
	return value, ""
}
