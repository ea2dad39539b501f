package configkit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit"
)

func TestHasVariable(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "web": false, "{": false, "{}": false, "$": false, "${": false, "$HOME": false,
		"$(POD_NAME)": true, "(a)": false, "$(": false, "{a}": false,
		"<node-name>": true, "a<ADD LUN ID Here>": true, "<": false, "<>": false, "a<b": false,
		"<no value>": false, "<nil>": false, "<a/>": false, "<a/> <b>": true, "${}": true, "${APP}": true, "web-${APP:=x}-1": true,
		"{x}${APP}": true, "{{ name }}": true, "{{": false, "a{{b}}": true,
	} {
		if got := configkit.HasVariable(text); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}
