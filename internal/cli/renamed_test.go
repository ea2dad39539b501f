package cli

import (
	"strings"
	"testing"
)

// TestRenamed checks the words that symbolic links named like other programs understand.
func TestRenamed(t *testing.T) {
	for _, test := range []struct{ name, args, want string }{
		{"config", "run wrap -- x", "fn wrap -- x"},
		{"kpt", "run xargs -- x", "fn xargs -- x"},
		{"fctl", "run wrap -- x", "run wrap -- x"},
		{"kpt", "fn source", "fn source"},
	} {
		if got := strings.Join(renamed(test.name, strings.Fields(test.args)), " "); got != test.want {
			t.Errorf("%s %s: %s", test.name, test.args, got)
		}
	}
}
