package do

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// programError identifies an error of a program, such as a CEL expression, that many resources
// cause.
type programError struct{ function, invocation, message string }

// repeatedErrors counts errors of programs after the first.
type repeatedErrors struct {
	order []programError
	more  map[programError]int
}

// failOnce is fail, except that it prints an error of a program only the first time. With Verbose
// it prints all of them.
func (l *loop) failOnce(problems diag.List) {
	var shown diag.List
	for _, f := range problems {
		_, ofProgram := errors.AsType[*expression.Error](f)
		key := programError{f.Function, f.Invocation, f.Message}
		more, known := l.repeated.more[key]
		switch {
		case !ofProgram || l.options.Settings.Verbose:
			shown = append(shown, f)
		case known:
			l.repeated.more[key] = more + 1
			l.result.Failures = append(l.result.Failures, f)
		default:
			if l.repeated.more == nil {
				l.repeated.more = map[programError]int{}
			}
			l.repeated.more[key] = 0
			l.repeated.order = append(l.repeated.order, key)
			shown = append(shown, f)
		}
	}
	if len(shown) > 0 {
		l.fail(shown)
	}
}

// reportRepeated says how often errors of programs were repeated.
func (l *loop) reportRepeated() {
	for _, key := range l.repeated.order {
		more := l.repeated.more[key]
		if more == 0 {
			continue
		}
		first, _, _ := strings.Cut(key.message, "\n")
		l.say(func() {
			l.console.Problems(diag.List{{
				Function: key.function, Invocation: key.invocation,
				Message: fmt.Sprintf("the same error %s: %s", times(more), first),
				Hint:    "-v shows all of them", Class: api.FailureFunction,
			}})
		})
	}
}

func times(n int) string {
	if n == 1 {
		return "once more"
	}
	return fmt.Sprintf("%d more times", n)
}
