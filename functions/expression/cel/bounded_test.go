package cel_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions/expression/cel"
)

// nested is an expression in which h is a list of ten lists of ten lists and so on, of 10^8 numbers in all.
func nested(expression string) string {
	const names = "abcdefgh"
	text := expression
	for i := len(names) - 1; i >= 0; i-- {
		item := "0"
		if i > 0 {
			item = names[i-1 : i]
		}
		text = "cel.bind(" + names[i:i+1] + ", [" + strings.TrimSuffix(strings.Repeat(item+", ", 10), ", ") + "], " + text + ")"
	}
	return text
}

// TestMemoryIsBounded evaluates expressions that ask for more memory, or time, than there is.
func TestMemoryIsBounded(t *testing.T) {
	resource := parse(t, "a: 1\n")
	const text = `cel.bind(s, "aaaaaaaaaa".replace("a", "aaaaaaaaaa"), cel.bind(t, s.replace("a", s), cel.bind(u, t + t + t + t, `
	for expression, column := range map[string]bool{
		nested(`"%s".format([h]) == ""`):              true,
		nested(`h == [g, g, g, g, g, g, g, g, g, g]`): true,
		nested(`{"a": h} != {"a": [g] + [g]}`):        true,
		nested(`[g, g, g, g, g] in [h]`):              true,
		nested(`h.flatten(8).size() > 1`):             true,
		nested(`[h].indexOf(h) > 1`):                  true,
		nested(`sets.contains([h], [h])`):             true,
		nested(`h`):                                   false,
		nested(`{"a": h}`):                            false,
		text + `u.replace("a", u) == "")))`:           true,
		text + `u.split("").join(u) == "")))`:         true,
		text + `regex.replace(u, "a", u) == "")))`:    true,
	} {
		program, err := cel.Compile(expression, cel.Bool, cel.List, cel.Map)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = program.Eval(resource, scope())
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than 10000000 bytes") || strings.Contains(err.Error(), "column") != column {
			t.Errorf("%s: %v", expression, err)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
			t.Errorf("%s: %d MB", expression, used)
		}
	}
}
