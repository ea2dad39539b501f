package shellwords_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/internal/shellwords"
)

func TestSplit(t *testing.T) {
	got, err := shellwords.Split(`set-x 'a b' "c \"d\" \e" f\ g ''`)
	if want := []string{"set-x", "a b", `c "d" \e`, "f g", ""}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// TestSplitReversesQuote checks that Split is the inverse of Quote.
func TestSplitReversesQuote(t *testing.T) {
	for text, words := range map[string][]string{
		"a b:c @ %+=,": {"a", "b:c", "@", "%+=,"}, `'' ' ' ''\'''`: {"", " ", "'"},
		"'$x' 'é'": {"$x", "é"},
	} {
		t.Run(text, func(t *testing.T) {
			got := shellwords.Quote(words...)
			if got != text {
				t.Errorf("%q: %s, want %s", words, got, text)
			}
			if again, err := shellwords.Split(got); err != nil || !slices.Equal(again, words) {
				t.Errorf("%s: %q %v, want %q", got, again, err, words)
			}
		})
	}
}
