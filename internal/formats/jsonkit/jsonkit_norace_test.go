//go:build !race

package jsonkit_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/jsonkit"
)

func TestCorpus(t *testing.T) {
	formattest.Corpus(t, dialect("a.json"), plain)
	formattest.Corpus(t, dialect("a.jsonc"), commented)
	formattest.Corpus(t, dialect("a.JSON5"), five)
	for _, inputs := range [][]formattest.Input{plain, commented, five} {
		for _, in := range inputs {
			if !strings.HasPrefix(in[2], "!!!") { // without a file name everything is accepted
				formattest.Corpus(t, jsonkit.Converter{}, []formattest.Input{in})
			}
		}
	}
}

// TestOracle compares values and syntax errors with those of encoding/json.
func TestOracle(t *testing.T) {
	compare := func(t formattest.TB, text string) {
		docs, err := dialect("a.json").NativeToDocuments([]byte(text))
		var want any
		wrong := json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &want)
		if (err != nil) != (wrong != nil) {
			t.Fatalf("%v, but encoding/json: %v, in\n%s", err, wrong, text)
		}
		if err != nil {
			return
		}
		have, err := json.Marshal(docs[0].Data())
		if err != nil {
			t.Fatalf("%v", err)
		}
		var again any
		if err := json.Unmarshal(have, &again); err != nil {
			t.Fatalf("%v", err)
		}
		if !reflect.DeepEqual(again, want) {
			t.Fatalf("read as\n%s, by encoding/json as\n%v in\n%s", have, want, text)
		}
	}
	for _, in := range plain {
		t.Run(in[0], func(t *testing.T) {
			if in[0] != "nested too deep" {
				compare(t, in[1])
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		dice := formattest.Dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		text := generate(dice, "a.json")
		compare(t, text)
		// Replace one character by another.
		at := dice(len(text))
		changed := text[:at] + formattest.Pick(dice, "", "{", "}", "]", ",", ":", `"`, `\`, "0",
			"1", ".", "e", "-", "x", " ", "\n", "\t", "/") + text[at+1:]
		if utf8.ValidString(changed) {
			compare(t, changed)
		}
	})
}
