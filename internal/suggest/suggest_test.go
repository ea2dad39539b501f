package suggest_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/internal/suggest"
)

func TestNearest(t *testing.T) {
	names := []string{"get-replicas", "set-replicas", "set-image", "set-container-image", "get-resources", "then"}
	for word, want := range map[string][]string{
		"set-replica":    {"set-replicas", "get-replicas"},
		"st-replicas":    {"set-replicas", "get-replicas"},
		"set-iamge":      {"set-image"},
		"set-container":  {"set-container-image"},
		"SET-IMAGE":      {"set-image"},
		"hten":           {"then"},
		"delete-it-all!": nil,
		"":               nil,
	} {
		if got := suggest.Nearest(word, names); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	if got := suggest.DidYouMean("colour", []string{"color", "output"}, "--"); got != "did you mean --color?" {
		t.Errorf("got %q", got)
	}
	if got := suggest.DidYouMean("zzz", []string{"color"}, "--"); got != "" {
		t.Errorf("got %q", got)
	}
}
