package cel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// grown returns an expression about x40, which is first after 40 steps. A % in the step is the
// value before, a & is a %.
func grown(first, step, about string) string {
	for i := 40; i > 0; i-- {
		about = fmt.Sprintf("cel.bind(x%d, %s, %s)", i,
			strings.NewReplacer(
				"%", fmt.Sprintf("x%d", i-1), "&", "%").Replace(step), about)
	}
	return fmt.Sprintf("cel.bind(x0, %s, %s)", first, about)
}

// TestValuesAreLimited checks that nothing too large is made, not even within one step: its cost
// counts after it.
func TestValuesAreLimited(t *testing.T) {
	resource := parse(t, document)
	long := "'" + strings.Repeat("a", 2000) + "'"
	groups := strings.Repeat("(x{1000})", 50)
	for name, c := range map[string]struct{ text, want string }{
		"replace": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa'), x.replace('a', x))",
			"column 2053: text would have more than 16MiB",
		},
		"replace some": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa', 2000), x.replace('a', x, 20000))",
			"column 2059: text would have more than 16MiB",
		},
		"replace by a pattern": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa'), regex.replace(x, 'a', x))",
			"text would have more than 16MiB",
		},
		"join": {
			"lists.range(1000).map(i, " + long + ").join(" + long + ".replace('a', 'aaaaaaaaaa'))",
			"column 2034: text would have more than 16MiB",
		},
		"join of many": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa'), lists.range(1000).map(i, x).join())",
			"column 2076: text would have more than 16MiB",
		},
		"format": {
			grown("'aa'", "'&s&s'.format([%, %])", "x40"),
			"value would have more than 16MiB",
		},
		"format of a list": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa'), " +
				"'%s'.format(lists.range(1000).map(i, x)))", "text would have more than 16MiB",
		},
		"a list that doubles": {
			grown("[1]", "% + %", "x40"), "list would have more than 1000000 items",
		},
		"lists in lists": {grown("[1]", "[%, %]", "x40"), "value would have more than 16MiB"},
		"maps in maps": {
			grown("{'a': 1}", "{'a': %, 'b': %}", "x40"), "value would have more than 16MiB",
		},
		"document in lists": {
			grown("[object]", "[%, %]", "x40"), "value would have more than 16MiB",
		},
		"result": {
			"cel.bind(x, " + long + ".replace('a', 'aaaaaaaaaa'), lists.range(1000).map(i, x))",
			"result would have more than 16MiB",
		},
		"a pattern": {
			"r.spec.text.matches(" + grown("'(x{1000})'", "%", "x40 + '"+groups+"'") + ")",
			"regular expression is too large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := cel.Compile(c.text, cel.String, cel.List, cel.Map, cel.Bool)
			if err != nil {
				t.Fatal(err)
			}
			_, err = program.Eval(t.Context(), resource, scope())
			if _, ok := errors.AsType[*limit.Error](err); !ok ||
				!strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if e := err.(*expression.Error); e.Hint == "" {
				t.Errorf("%v: no hint", err)
			}
		})
	}
	_, err := cel.Compile("object.text.matches('"+groups+"')", cel.Bool)
	e, ok := errors.AsType[*expression.Error](err)
	if !ok || e.Column != 21 || e.Hint == "" ||
		!strings.HasPrefix(e.Msg, "regular expression is too large: ") {
		t.Errorf("a large pattern: %v", err)
	}
}

// TestAliasesAreLimited has lists in a document that are too large for a number of 32 bits.
func TestAliasesAreLimited(t *testing.T) {
	text := "text: &text " + strings.Repeat("x", 1<<20) +
		"\nlist0: &list0 [" + strings.Repeat("*text, ", 15) + "]\n"
	for i := range 300 {
		text += fmt.Sprintf("list%d: &list%[1]d [*list0, *list%d]\n", i+1, i)
	}
	doc := parse(t, text)
	for i := 260; i <= 280; i++ {
		program, err := cel.Compile(fmt.Sprintf("[object.list%d].size() > 0", i), cel.Bool)
		if err != nil {
			t.Fatal(err)
		}
		_, err = program.Eval(t.Context(), doc, scope())
		if _, ok := errors.AsType[*limit.Error](err); !ok {
			t.Errorf("list%d: %v", i, err)
		}
	}
}

// TestRulesAreWatched checks that a rule of a definition is watched like any other expression.
func TestRulesAreWatched(t *testing.T) {
	account := limit.New(nil)
	account.Set(0, time.Millisecond)
	rounds := strings.Repeat("lists.range(100).all(i, ", 3) + "[i, i, i, i].isSorted()" + ")))"
	for rule, want := range map[string]string{
		rounds:                                  "it ran longer than 1ms",
		grown("[1]", "% + %", "x40.size() > 0"): "list would have more than 1000000 items",
	} {
		p, err := program(t, jsonschema.Rule{Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Check(limit.With(context.Background(), account), parse(t, "{}"))
		if _, ok := errors.AsType[*limit.Error](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", rule, err, want)
		}
	}
}
