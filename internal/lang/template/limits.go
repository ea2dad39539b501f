package template

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// limits bound the texts that functions make: none may be longer than the result of a template. What
// a function would make is estimated before it is called. ended says why the template has to end,
// if it has.
type limits struct{ ended func() error }

// printers returns text/template's own functions that can make long texts.
func printers(l limits) template.FuncMap {
	return template.FuncMap{
		"print":    l.join(fmt.Sprint),
		"printf":   l.format,
		"println":  l.join(fmt.Sprintln),
		"html":     l.join(template.HTMLEscaper),
		"js":       l.join(template.JSEscaper),
		"urlquery": l.join(template.URLQueryEscaper),
	}
}

// check returns an error if a text of this size is too long, or if the template has to end.
func (l limits) check(size int) error {
	if size > maxText {
		return limit.TooLarge("it would be a text of more than %d bytes", maxText)
	}
	if l.ended == nil {
		return nil
	}
	return l.ended()
}

// result returns a text that a function made, unless it is too long.
func (l limits) result(text string) (string, error) { return text, l.check(len(text)) }

// one limits a function of one text.
func (l limits) one(f func(string) string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := l.check(len(text)); err != nil {
			return "", err
		}
		return l.result(f(text))
	}
}

// join limits a function that prints its arguments one after the other.
func (l limits) join(f func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		size := 0
		for _, arg := range args {
			if size += textSize(arg); size > maxText {
				break
			}
		}
		if err := l.check(size); err != nil {
			return "", err
		}
		return l.result(f(args...))
	}
}

// textSize returns the length of a value as text.
func textSize(value any) int {
	if text, ok := value.(string); ok {
		return len(text)
	}
	return len(fmt.Sprint(value))
}

// replace replaces a text in another one.
func (l limits) replace(from, to, text string) (string, error) {
	if err := l.check(len(text) + strings.Count(text, from)*(len(to)-len(from))); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text, from, to), nil
}

// format is printf. Each verb may print the longest argument, and may be as wide as it says.
func (l limits) format(format string, args ...any) (string, error) {
	longest := 0
	for _, arg := range args {
		longest = max(longest, textSize(arg))
	}
	const widest = 1_000_000 // no verb of package fmt is wider
	size := len(format)
	for rest := format; size <= 4*maxText; {
		_, verb, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		rest = verb
		if strings.HasPrefix(verb, "%") {
			rest = verb[1:]
			continue
		}
		size += longest
		number := 0
		for _, c := range verb[:len(verb)-len(strings.TrimLeft(verb, "+-# .[]*0123456789"))] {
			switch {
			case c == '*':
				size += widest
			case '0' <= c && c <= '9':
				number = min(number*10+int(c-'0'), widest)
			default:
				size, number = size+number, 0
			}
		}
		size += number
	}
	if err := l.check(size / 4); err != nil { // not all arguments are the longest
		return "", err
	}
	text := fmt.Sprintf(format, args...)
	// Package fmt writes what is wrong with a verb into the text, as %!d(string=web).
	if strings.Count(text, "%!") > strings.Count(format, "%%!")+strings.Count(fmt.Sprint(args...), "%!") {
		return "", fmt.Errorf("the verbs of %q do not fit the arguments: %q", format, text)
	}
	return l.result(text)
}
