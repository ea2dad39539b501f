package urlid_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/urlid"
)

// TestOf compares with what uuid.uuid5(uuid.NAMESPACE_URL, url) of Python returns.
func TestOf(t *testing.T) {
	const want = "2fc28649-ab66-5b49-a1cb-236586a66f8b"
	if got := urlid.Of("https://fctl.dev/unit/default/web"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
