package workspace

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whatever is cut off or changed, a journal is read back exactly or refused, without a panic.
func TestJournalCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var j journal
		j.Title = rapid.String().Draw(t, "title")
		for range rapid.IntRange(0, 4).Draw(t, "operations") {
			j.Ops = append(j.Ops, operation{
				Phase: phase(rapid.IntRange(0, 4).Draw(t, "phase")),
				Path:  rapid.String().Draw(t, "path"),
				Data:  rapid.SliceOf(rapid.Byte()).Draw(t, "data"), Delete: rapid.Bool().Draw(t,
					"delete"),
				Append: rapid.Bool().Draw(t, "append"), Offset: rapid.Int64().Draw(t, "offset"),
				Guarded: rapid.Bool().Draw(t, "guarded"), Before: rapid.String().Draw(t, "before"),
			})
		}
		var text bytes.Buffer
		if err := j.encode(&text); err != nil {
			t.Fatal(err)
		}
		var back journal
		if err := back.decode(text.Bytes()); err != nil {
			t.Fatal(err)
		}
		if back.Title != j.Title || len(back.Ops) != len(j.Ops) {
			t.Fatal(cmp.Diff(j, back))
		}
		for i := range j.Ops {
			if len(j.Ops[i].Data) == 0 {
				j.Ops[i].Data, back.Ops[i].Data = nil, nil
			}
			if diff := cmp.Diff(j.Ops[i], back.Ops[i]); diff != "" {
				t.Fatal(diff)
			}
		}
		cut := rapid.IntRange(0, text.Len()-1).Draw(t, "cut")
		if back.decode(text.Bytes()[:cut]) == nil {
			t.Fatal("a part of a journal was read")
		}
		changed := bytes.Clone(text.Bytes())
		changed[cut] ^= 0xff
		_ = back.decode(changed) // must not panic
	})
}
