package gaby_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// fragments are lines that make streams hard to cut.
var fragments = []string{
	"---\n", "---\n", "---\n", "---\n", "--- # c\n", "--- a: 1\n", "---\r\n", "...\n", "# c\n",
	"#\n", "\n", "%YAML 1.2\n",
	"a: 1\n", "b: 2\n", "kind: List\n", "# c\u0085kind: B\n", "# c\u2028kind: B\n", "kind: K\n",
	"kind: K\n", "metadata:\n  name: n\n", "apiVersion: v1\n", "items:\n", "- kind: A\n",
	"  - x\n", "k: |\n", "  text\n", "  # text\n", "  \n", "\t\n",
	"\"quoted\n", "text\"\n", "a: 1\r\n", "{a: b}\n", "--\n", "----\n", "-\n", "- x\n", "---x\n",
	"end",
}

// Parsed part by part, a text has the same documents as a whole: the same text, values, problems
// and positions, whichever of them were visited before.
func TestPropertyParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 40).Draw(t,
			"lines"), ""))
		whole, err := gaby.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		parts := gaby.Cut(text, rapid.IntRange(1, 40).Draw(t, "size"))
		var arena gaby.Arena
		at := 0
		for i := range parts.Len() {
			documents := parts.Parse(i, &arena)
			if parts.Len() > 1 && len(documents) == 0 {
				t.Fatalf("part %d has no document: %q", i, parts.Text(i))
			}
			for _, d := range documents {
				if at == len(whole) {
					t.Fatalf("more than %d documents\n%q", at, text)
				}
				look := described
				if rapid.Bool().Draw(t, "passed") {
					look = header
				}
				if got, want := look(d), look(whole[at]); got != want {
					t.Fatalf("document %d (part %d):\n%s\nas one of the whole:\n%s\n%q", at, i, got,
						want, text)
				}
				at++
			}
			if got := documents.Bytes(); !bytes.Equal(got, parts.Text(i)) {
				t.Fatalf("part %d prints %q, want %q", i, got, parts.Text(i))
			}
		}
		if at != len(whole) {
			t.Fatalf("%d documents, want %d\n%q", at, len(whole), text)
		}
	})
}

// described returns everything observable about a document.
func described(d *gaby.YamlDoc) string {
	h := header(d)
	return fmt.Sprintf("%s %q %v %#v %v", h, d.String(), d.Position(), d.Data(), d.Check())
}

// header returns what is observable about a document that is skipped.
func header(d *gaby.YamlDoc) string {
	h, err := d.Header()
	return fmt.Sprint(h, err)
}

// The memory of an arena still holds the previous part; nothing of that may be visible in the trees
// of the next.
func TestPropertyArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapidDice(t)
		one := func(exotic bool) string {
			text := strings.ReplaceAll(randomText(d, exotic), "\r\n", "\n")
			return "---\nfirst: 1\n" + strings.TrimSuffix(text, "\n") + "\nlast: 2\n"
		}
		before, text := one(true), one(false)
		parts := gaby.Cut([]byte(before+text), len(before)-1)
		if parts.Len() != 2 {
			t.Skip()
		}
		var arena gaby.Arena
		for _, doc := range parts.Parse(0, &arena) {
			_ = doc.Check()
		}
		whole, err := gaby.ParseAll([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for i, doc := range parts.Parse(1, &arena) {
			if doc.Check() == nil && whole[i].Check() == nil && !gaby.SameNodes(doc, whole[i]) {
				t.Fatalf("other nodes after\n%s\nin\n%s", before, text)
			}
		}
	})
}

func TestCutFindsParts(t *testing.T) {
	for _, ending := range []string{"\n", "\r\n"} {
		t.Run(ending, func(t *testing.T) {
			text := strings.ReplaceAll(strings.Repeat("# Source: web.yaml\na: "+strings.Repeat("x",
				76)+"\n---\n", 50)+"last: 1\n", "\n", ending)
			if n := gaby.Cut([]byte(text), 1000).Len(); n < 5 || n > 6 {
				t.Errorf("%d parts for %q", n, ending)
			}
		})
	}
}

// Different documents may be used concurrently: parallel work uses one part each. Run with -race.
func TestParallelParts(t *testing.T) {
	text := append(workload(200),
		"---\napiVersion: v1\nkind: List\nitems:\n- kind: A\n  metadata: {name: a}\n- kind: B\n"+
			"  metadata: {name: b}\n"...)
	parts := gaby.Cut(text, 2_000)
	if parts.Len() < 10 {
		t.Errorf("only %d parts", parts.Len())
	}
	texts := make([][][]byte, parts.Len())
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() {
			var arena gaby.Arena
			for i := worker; i < parts.Len(); i += 2 {
				documents := parts.Parse(i, &arena)
				for _, d := range documents {
					d.Value().Position()
					if _, err := d.Set(fmt.Sprint("part-", i), "metadata", "name"); err != nil {
						t.Error(err)
					}
				}
				texts[i] = documents.Chunks()
			}
		})
	}
	wg.Wait()
	together := bytes.Join(gaby.Join(texts), nil)
	for i, d := range split(t, together) {
		if h, err := d.Header(); err != nil || !strings.HasPrefix(h.Name, "part-") {
			t.Errorf("document %d: %+v, %v", i, h, err)
		}
	}
	for _, edited := range texts {
		if len(edited) > 0 && gaby.SameChunks(edited, text) {
			t.Error("an edited part passes for the source")
		}
	}
}
