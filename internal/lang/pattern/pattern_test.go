package pattern

import (
	"errors"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

func TestCompile(t *testing.T) {
	const label = "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"
	for name, c := range map[string]struct{ text, want string }{
		"a name":             {"^" + label + `(\.` + label + "){0,9}$", ""},
		"many alternatives":  {strings.Repeat("name-|", 1000), ""},
		"some groups":        {strings.Repeat("(a)", 100), ""},
		"long":               {strings.Repeat("a", 200<<10), "it has 204800 bytes, at most 131072"},
		"long without {}":    {strings.Repeat("[a]b", 12_000), "it compiles to more than 20000"},
		"repetitions":        {strings.Repeat("(?:a{1000})", 30), "it compiles to more than 20000"},
		"classes of Unicode": {`(?i)^[\p{L}\p{N}]{1,255}$`, ""},
		"many classes":       {strings.Repeat(`\pL`, 300), "it has more than 250 classes"},
		"classes and states": {
			strings.Repeat(`\PL`, 200) + strings.Repeat("(?:a{1000})", 5),
			"it compiles to more than 20000",
		},
		"many groups": {strings.Repeat("(a?)", 2000), "2000 groups are too many"},
	} {
		t.Run(name, func(t *testing.T) {
			re, err := Compile(c.text)
			e, limited := errors.AsType[*limit.Error](err)
			switch {
			case c.want == "" && (err != nil || re == nil):
				t.Errorf("got %v", err)
			case c.want != "" && (!limited || !strings.Contains(e.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			case limited && e.Hint() == "":
				t.Errorf("%v: no hint", err)
			}
		})
	}
	for _, text := range []string{"(", "a{2000}", strings.Repeat("(", 100) + "{", `\pL(`} {
		if _, err := Compile(text); !errors.As(err, new(*syntax.Error)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
