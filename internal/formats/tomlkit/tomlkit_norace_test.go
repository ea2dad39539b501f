//go:build !race

package tomlkit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/tomlkit"
)

func TestCorpus(t *testing.T) { formattest.Corpus(t, tomlkit.Converter{}, corpus) }

// TestOracle compares values and syntax errors with those of go-toml.
func TestOracle(t *testing.T) {
	compare := func(t formattest.TB, text string) {
		docs, err := tomlkit.Converter{}.NativeToDocuments([]byte(text))
		var want map[string]any
		wrong := toml.Unmarshal(
			[]byte(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")), &want)
		if (err != nil) != (wrong != nil) {
			t.Fatalf("%v, but go-toml: %v, in\n%s", err, wrong, text)
		}
		if err != nil {
			return
		}
		a, b := asJSON(t, docs[0].Data()), asJSON(t, want)
		if a != b {
			t.Fatalf("read as\n%s, by go-toml as\n%s in\n%s", a, b, text)
		}
	}
	for _, in := range corpus {
		t.Run(in[0], func(t *testing.T) {
			if in[0] != "1.1" {
				compare(t, in[1])
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		dice := formattest.Dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		compare(t, generate(dice))
	})
}

func asJSON(t formattest.TB, v any) string {
	text, err := json.Marshal(plain(v))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}
