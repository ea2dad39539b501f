package configkit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit"
)

func TestHasStandIn(t *testing.T) {
	for name, want := range map[string]bool{
		"ROLLOUT_NAME-active": true, "REPLACEME": true, "web-$$name$$": true, "a.YOUR_DOMAIN": true,
		"webServer": false, "web": false, "WEB-1": false, "MYAPP": false, "CHANGEME": true, "web-2024": false, "$$": false, "": false,
	} {
		if configkit.HasStandIn(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

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
