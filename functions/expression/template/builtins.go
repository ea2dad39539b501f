package template

import (
	"fmt"
	"strings"
	"text/template"
)

// boundedBuiltins are the functions of text/template that make texts, with a limit: what a variable holds counts for nothing until it
// is printed, and each round of a range may double it.
func boundedBuiltins() template.FuncMap {
	return template.FuncMap{
		"print": func(args ...any) (string, error) {
			return bounded(textLength(args), func() string { return fmt.Sprint(args...) })
		},
		"println": func(args ...any) (string, error) {
			return bounded(textLength(args), func() string { return fmt.Sprintln(args...) })
		},
		"printf": func(format string, args ...any) (string, error) {
			return bounded(formatLength(format, args), func() string { return fmt.Sprintf(format, args...) })
		},
		"html":     escaper(template.HTMLEscaper),
		"js":       escaper(template.JSEscaper),
		"urlquery": escaper(template.URLQueryEscaper),
	}
}

// escapedLength is how much longer escaping makes a text at most: \u0026 of &.
const escapedLength = 6

func escaper(escape func(args ...any) string) func(args ...any) (string, error) {
	return func(args ...any) (string, error) {
		return bounded(textLength(args)*escapedLength, func() string { return escape(args...) })
	}
}

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

// textLength is about how long values are as text; none that a template can hold is long but a text.
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

// formatLength is how long a text may be whose verbs all stand for the longest of the values, in the greatest width.
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

// greatestWidth is the greatest number in a format. A star may stand for any.
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
