package configkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
)

func TestAbbreviateAndQuote(t *testing.T) {
	long := strings.Repeat("é", 80)
	for value, want := range map[string][2]string{
		"":           {`""`, `""`},
		"five":       {"five", `"five"`},
		`say "hi"`:   {`say "hi"`, `"say \"hi\""`},
		"two\nlines": {`"two\nlines"`, `"two\nlines"`},
		"\xff":       {`"\xff"`, `"\xff"`},
		long:         {long, `"` + long + `"`},
		long + "e":   {long + "… (81 characters)", `"` + long + `"… (81 characters)`},
		"\n" + long + "\nmore": {
			`"\n` + long[2:] + `"… (86 characters)`, `"\n` + long[2:] + `"… (86 characters)`,
		},
	} {
		t.Run(value, func(t *testing.T) {
			if got := [2]string{configkit.Abbreviate(value), configkit.Quote(value)}; got != want {
				t.Errorf("%q: %q, want %q", value, got, want)
			}
		})
	}
}

func TestSuggestIgnoresLongTexts(t *testing.T) {
	if got := configkit.Suggest(
		strings.Repeat("set-replicas ", 100000), []string{"set-replicas"},
	); got != nil {
		t.Errorf("%v", got)
	}
}
