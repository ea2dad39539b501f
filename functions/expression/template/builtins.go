package template

import (
	"fmt"
	"strings"
	"text/template"
)

// boundedBuiltins returns the functions of text/template that produce texts, with a limit on their
// results. The limit of the output does not catch texts in variables, which each round of a range
// may double.
func boundedBuiltins() template.FuncMap {
	return template.FuncMap{
		"print": func(args ...any) (string, error) {
			return bounded(textLength(args), func() string { return fmt.Sprint(args...) })
		},
		"println": func(args ...any) (string, error) {
			return bounded(textLength(args), func() string { return fmt.Sprintln(args...) })
		},
		"printf": func(format string, args ...any) (string, error) {
			return bounded(formatLength(format, args), func() string {
				return fmt.Sprintf(format, args...)
			})
		},
		"html":     escaper(template.HTMLEscaper),
		"js":       escaper(template.JSEscaper),
		"urlquery": escaper(template.URLQueryEscaper),
	}
}

// escapedLength is the largest factor by which escaping makes a text longer, such as \u0026 for &.
const escapedLength = 6

// escaper returns an escaping function with a limit on its result.
func escaper(escape func(args ...any) string) func(args ...any) (string, error) {
	return func(args ...any) (string, error) {
		return bounded(textLength(args)*escapedLength, func() string { return escape(args...) })
	}
}

// bounded returns the text, or an error if it is too long. length is an upper bound of its length,
// at most escapedLength times too high; if it is far beyond the limit, the text is not even made.
func bounded(length int, text func() string) (string, error) {
	if length > maxText*escapedLength {
		return "", fmt.Errorf("a text of more than %d bytes", maxText)
	}
	result := text()
	if len(result) > maxText {
		return "", fmt.Errorf("a text of more than %d bytes", maxText)
	}
	return result, nil
}

// textLength returns the approximate length of values as text. Only strings count, because no other
// value in a template is long.
func textLength(args []any) int {
	n := 0
	for _, arg := range args {
		n++
		if text, ok := arg.(string); ok {
			n += len(text)
		}
	}
	return n
}

// formatLength returns an upper bound for the length of formatted text: every verb may stand for
// the longest value, at the greatest width.
func formatLength(format string, args []any) int {
	longest := 0
	for _, arg := range args {
		longest = max(longest, textLength([]any{arg}))
	}
	verbs := strings.Count(format, "%")
	if verbs > 0 {
		longest = max(longest, greatestWidth(format))
	}
	return len(format) + verbs*longest
}

// greatestWidth returns the greatest number in a format. A * may stand for any number.
func greatestWidth(format string) int {
	greatest, number := 0, 0
	for _, c := range format {
		switch {
		case c == '*':
			greatest = max(greatest, maxText)
		case '0' <= c && c <= '9':
			number = min(10*number+int(c-'0'), maxText*escapedLength+1)
			greatest = max(greatest, number)
			continue
		}
		number = 0
	}
	return greatest
}
