package formattest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit"
)

// CompareWithReader edits 500 random texts (1,500 with LONG=1) and compares the values of the
// results with those that another reader of the format finds. The reader gets a JSON list of texts
// and prints a JSON list of values, in the form to which typed converts the values of a document.
func CompareWithReader(t *testing.T, converter configkit.ConfigConverter, random func(Dice) string,
	typed func(any) any, reader *exec.Cmd,
) {
	t.Helper()
	count := 500
	if os.Getenv("LONG") != "" {
		count = 1500
	}
	dice := Dice(rand.New(rand.NewPCG(1, 2)).IntN)
	var texts, edits []string
	var want []any
	for range count {
		text := random(dice)
		docs, err := converter.NativeToDocuments([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		what := Edit(dice, docs[0], 1+dice(3))
		written, err := converter.DocumentsToNative(docs)
		if err != nil {
			t.Fatalf("%s of\n%s\n%v", what, text, err)
		}
		texts, edits, want = append(texts, string(written)), append(edits, what+" of\n"+text),
			append(want, typed(docs[0].Data()))
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	reader.Stdin = bytes.NewReader(in)
	out, err := reader.Output()
	if err != nil {
		t.Fatal(err)
	}
	var have []any
	if err := json.Unmarshal(out, &have); err != nil {
		t.Fatal(err)
	}
	if len(have) != len(want) {
		t.Fatalf("the reader printed %d values, want %d", len(have), len(want))
	}
	for i := range have {
		if diff := cmp.Diff(have[i], want[i]); diff != "" {
			t.Errorf("(-reader +fctl)\n%s\n%s\ngives\n%s", diff, edits[i], texts[i])
		}
	}
}
