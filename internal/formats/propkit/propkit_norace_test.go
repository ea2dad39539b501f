//go:build !race

package propkit_test

import (
	"strings"
	"testing"

	"github.com/magiconair/properties"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/propkit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, propkit.Converter{}, corpus) }

// TestOracle compares with another implementation of the format, which has no lists.
func TestOracle(t *testing.T) {
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	rapid.Check(t, func(t *rapid.T) {
		dice := formattest.Dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		// it does not know CRLF in continued lines
		text := strings.NewReplacer("\r\n", "\n").Replace(generate(dice))
		want, err := loader.LoadBytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		docs, err := propkit.Converter{}.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		have := formattest.Leaves(docs[0].Data())
		for _, key := range want.Keys() {
			if value, _ := want.Get(key); have[key] != value {
				t.Fatalf("%q is %q, not %q in\n%s", key, have[key], value, text)
			}
			delete(have, key)
		}
		if len(have) > 0 {
			t.Fatalf("%v in\n%s", have, text)
		}
	})
}
