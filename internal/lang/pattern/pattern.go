// Package pattern compiles the regular expressions of users: in arguments, where-expressions,
// schemas, programs and functionConfigs. No other package compiles them.
//
// The syntax is RE2, so a match takes time in proportion to the text and to the size of the
// compiled expression. A short expression such as (a{1000}){1000} would be large; package regexp
// refuses that one, but not many like it one after the other. So the size is limited.
//
// Layer: base.
package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

const (
	maxLength = 128 << 10
	// maxStates is the largest number of states. Some hundred are many.
	maxStates = 20_000
	// maxPositions limits states times groups: a match keeps the groups for each state.
	maxPositions = 2 << 20
)

// Compile compiles a regular expression. Its error is from package regexp or a *[limit.Error].
func Compile(text string) (*regexp.Regexp, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// Check returns a *[limit.Error] if a regular expression is too large to compile. It accepts an
// invalid one.
func Check(text string) error {
	const statesPerByte = 2 // at most, without a repetition such as {9}
	states, groups := statesPerByte*len(text)+classes(text), 1+strings.Count(text, "(")
	if states <= maxStates && states*groups <= maxPositions && !strings.Contains(text, "{") {
		return nil
	}
	_, err := States(text)
	if _, tooLarge := errors.AsType[*limit.Error](err); tooLarge {
		return err
	}
	return nil
}

// States estimates the number of states that a regular expression compiles to, without compiling
// it: a{1000} counts like a thousand a. Its error is from package syntax or a *[limit.Error]; the
// number then says what finding that out may have cost.
func States(text string) (int, error) {
	tables := classes(text)
	switch {
	case len(text) > maxLength:
		return 0, tooLarge("it has %d bytes, at most %d are allowed", len(text), maxLength)
	case tables > maxStates:
		return 0, tooLarge("it has more than %d classes such as \\p{L}", maxStates/classStates)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return tables + len(text), err
	}
	states, groups := tables+count(parsed), 1+parsed.MaxCap()
	switch {
	case states > maxStates:
		err = tooLarge("it compiles to more than %d states: x{9} counts like nine x, \\p{L} "+
			"like %d", maxStates, classStates)
	case states*groups > maxPositions:
		err = tooLarge("%d groups are too many for one of about %d states", groups-1, states)
	}
	return states, err
}

// classStates is how many states take as much memory and time to compile as a class of Unicode,
// which is a table of up to 1,500 runes. Repetitions share it.
const classStates = 80

// classes returns how many states the classes of Unicode in a text count like.
func classes(text string) int {
	return classStates * (strings.Count(text, `\p`) + strings.Count(text, `\P`))
}

// TooLarge begins the message of an expression that is too large.
const TooLarge = "regular expression is too large"

// Hint is the hint of an expression that is too large.
const Hint = "write several smaller ones, + or * for {n,m}, (?:...) for groups that nothing uses"

func tooLarge(format string, args ...any) error {
	return limit.TooLarge(TooLarge+": "+format, args...).WithHint(Hint)
}

// count returns the number of states of a parsed expression, without its classes of Unicode.
func count(re *syntax.Regexp) int {
	const many = 1 << 24
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(many, n+count(sub))
	}
	if re.Op == syntax.OpRepeat {
		n = min(many, n*max(1, re.Min, re.Max))
	}
	return n
}
