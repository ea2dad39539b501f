//go:build !race

package envkit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/joho/godotenv"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/envkit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, envkit.Converter{}, corpus) }

// TestOracle compares with another implementation of the format, which expands variables and does
// not allow dots.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := formattest.Dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		text := strings.NewReplacer("configHub.", "c", "$", "", "; x", "# x", "it's", "its", "k-1",
			"k_1", " # note", "").Replace(generate(dice))
		want, err := godotenv.Parse(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		docs, err := envkit.Converter{}.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		have := formattest.Leaves(docs[0].Data())
		for key, value := range want {
			if have[key] != value {
				t.Fatalf("%q is %q, not %q in\n%s", key, have[key], value, text)
			}
			delete(have, key)
		}
		if len(have) > 0 {
			t.Fatalf("%v in\n%s", have, text)
		}
	})
}
