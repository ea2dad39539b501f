//go:build !race

package gaby_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These texts take a careless scanner quadratic time: doubling the text must not quadruple the
// time.
func TestLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	shapes := map[string]func(n int) string{
		"long plain": func(n int) string {
			return "a: " + strings.Repeat("word ", n) + "\n"
		},
		"long plain lines": func(n int) string {
			return "a: x\n" + strings.Repeat("  word\n", n)
		},
		"long quoted":  func(n int) string { return `a: "` + strings.Repeat("word ", n) + "\"\n" },
		"unterminated": func(n int) string { return `a: "` + strings.Repeat("word\n ", n) },
		"many quotes":  func(n int) string { return strings.Repeat("- \"a\"\n", n) },
		"many keys":    func(n int) string { return numbered(n, "k%d: v\n") },
		"many items":   func(n int) string { return strings.Repeat("- a: b\n  c: d\n", n) },
		"flow items":   func(n int) string { return "a: [" + strings.Repeat("b, ", n) + "c]\n" },
		"flow entries": func(n int) string { return "a: {" + numbered(n, "k%d: v, ") + "c: d}\n" },
		"multi-line flow": func(n int) string {
			return "a: [\n" + strings.Repeat("  b,\n", n) + "]\n"
		},
		"blank lines": func(n int) string {
			return "a: b\n" + strings.Repeat("\n", n) + "c: d\n"
		},
		"blank in plain": func(n int) string { return strings.Repeat("- a\n\n\n\n", n) },
		"comments": func(n int) string {
			return "a: b\n" + strings.Repeat("# c\n", n) + "c: d\n"
		},
		"comments and items": func(n int) string { return strings.Repeat("# c\n- a # d\n", n) },
		"block scalar": func(n int) string {
			return "a: |\n" + strings.Repeat("  line\n\n", n)
		},
		"block scalars":   func(n int) string { return strings.Repeat("- |\n  x\n\n\n", n) },
		"documents":       func(n int) string { return strings.Repeat("a: b\n---\n", n) },
		"empty documents": func(n int) string { return strings.Repeat("---\n", n) },
		"anchors": func(n int) string {
			return numbered(n, "k%[1]d: &a%[1]d v\nr%[1]d: *a%[1]d\n")
		},
		"one anchor": func(n int) string { return "a: &a v\n" + numbered(n, "k%d: *a\n") },
		"tabs":       func(n int) string { return "a: b" + strings.Repeat("\t", n) + "\n" },
		"spaces":     func(n int) string { return "a: b" + strings.Repeat(" ", n) + "x\n" },
		"colons":     func(n int) string { return "a: " + strings.Repeat("b:c", n) + "\n" },
		"explicit":   func(n int) string { return numbered(n, "? k%d\n: v\n") },
		"list of resources": func(n int) string {
			return "apiVersion: v1\nkind: List\nitems:\n" +
				numbered(n, "- kind: A\n  metadata: {name: a%d}\n")
		},
		"late header": func(n int) string {
			return "data:\n" + numbered(n, "  k%d: v\n") + "kind: A\n"
		},
	}
	for _, name := range sortedKeys(shapes) {
		t.Run(name, func(t *testing.T) {
			checkLinear(t, 2_000, func(n int) func() error {
				text := shapes[name](n)
				return func() error {
					firstError(text) //nolint:errcheck // only the time matters
					return nil
				}
			})
		})
	}
}

// checkLinear reports work on n things whose time grows faster than n. Work on 16 n things takes as
// long as 16 times the work on n things when it is linear, and 16 times as long when it is quadratic.
// Caches of the machine and the collector of garbage make that 5 times where it is linear.
func checkLinear(t *testing.T, n int, prepare func(n int) func() error) {
	t.Helper()
	measure := func(times int, work func() error) time.Duration {
		start := time.Now()
		for range times {
			if err := work(); err != nil {
				t.Fatal(err)
			}
		}
		return time.Since(start)
	}
	few, many := prepare(n), prepare(16*n)
	// Other work on the machine makes a measurement worse, never better: use the best ones.
	small, large := time.Hour, time.Hour
	for i := range 15 {
		small, large = min(small, measure(16, few)), min(large, measure(1, many))
		if large <= 50*time.Millisecond || i > 0 && large <= 7*small {
			return
		}
	}
	t.Errorf("16 times the work takes %.1f times the time of doing it 16 times: %v, %v",
		float64(large)/float64(small), small, large)
}

// Many edits of one document cost no more than what they change.
func TestLinearEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, shape := range map[string]struct {
		n    int
		edit func(n int) error
	}{
		"values": {500, func(n int) error {
			d, err := gaby.ParseYAML([]byte(numbered(n, "k%d: v\n")))
			if err != nil {
				return err
			}
			for e := d.Value().First(); e.Exists() && err == nil; e = e.Next() {
				_, err = e.Doc().Set("w")
			}
			d.Bytes()
			return err
		}},
		"values beside aliases": {250, func(n int) error {
			d, err := gaby.ParseYAML([]byte(numbered(n, "a%[1]d: &a%[1]d v\nb%[1]d: *a%[1]d\n") +
				"k:\n" + numbered(n, "  k%d: v\n")))
			if err != nil {
				return err
			}
			for e := d.Value().Get("k").First(); e.Exists() && err == nil; e = e.Next() {
				_, err = e.Doc().Set("w")
			}
			return err
		}},
		"equal items that move": {10_000, func(n int) error {
			d, err := gaby.ParseYAML([]byte(strings.Repeat("- a\n", n)))
			if err != nil {
				return err
			}
			items := slices.Repeat([]any{"a"}, n)
			items[0], items[n-1] = "b", "b"
			return d.SetData(items)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			checkLinear(t, shape.n, func(n int) func() error {
				return func() error { return shape.edit(n) }
			})
		})
	}
}

// TestRandomBytes checks that no bytes cause a panic or a hang, or are changed by reading them.
func TestRandomBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const alphabet = "ab:- \n\n\n  #'\"[]{},&*!|>?%@`\\\t\r~<.0\u2028\u0085\ufeff\x00\x01\xff"
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		text := make([]byte, r.IntN(120))
		for i := range text {
			if r.IntN(20) == 0 {
				text[i] = byte(r.IntN(256))
			} else {
				text[i] = alphabet[r.IntN(len(alphabet))]
			}
		}
		if _, err := checkUnit(text); err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		program := make([]byte, 16)
		for i := range program {
			program[i] = byte(r.IntN(256))
		}
		if err := checkEdits(text, programDice(program), 3); err != nil {
			t.Fatalf("%v\n%q, %q", err, text, program)
		}
	}
}

// TestMutatedCorpus changes a few bytes of the corpus files, which reaches deeper code than random
// bytes.
func TestMutatedCorpus(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "a:- \n#'\"[]{},&*!|>?%\t\r"
	rounds := 40
	if testing.Short() {
		rounds = 4
	}
	for _, f := range corpus(t) {
		if len(f.Text) > 3000 || len(f.Text) == 0 {
			continue
		}
		for range rounds {
			text := append([]byte(nil), f.Text...)
			for range 1 + r.IntN(3) {
				i := r.IntN(len(text))
				switch r.IntN(3) {
				case 0:
					text[i] = alphabet[r.IntN(len(alphabet))]
				case 1:
					text = append(text[:i:i], text[i+1:]...)
				case 2:
					text = append(text[:i:i],
						append([]byte{alphabet[r.IntN(len(alphabet))]}, text[i:]...)...)
				}
				if len(text) == 0 {
					text = []byte("a")
				}
			}
			if _, err := checkUnit(text); err != nil {
				t.Errorf("%s: %v\n%q", f.Name, err, text)
				break
			}
			program := make([]byte, 16)
			for i := range program {
				program[i] = byte(r.IntN(256))
			}
			if err := checkEdits(text, programDice(program), 3); err != nil {
				t.Errorf("%s: %v\n%q, %q", f.Name, err, text, program)
				break
			}
		}
	}
}
