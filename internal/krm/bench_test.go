package krm

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/internal/process"
)

// manyItems returns the items of a package with one file of n resources.
func manyItems(b *testing.B, n int) []*Item {
	b.Helper()
	var text bytes.Buffer
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: app-%d\n"+
			"  labels: {app: app-%d} # the label\nspec:\n  replicas: 3\n  template:\n    spec:\n"+
			"      containers:\n      - name: main\n        image: nginx:%d\n        env:\n"+
			"        - {name: A, value: \"1\"}\n        - {name: B, value: b}\n", i, i, i)
	}
	f := &InputFile{Path: "all.yaml", Name: "all.yaml", data: text.Bytes()}
	if err := f.parse(false); err != nil {
		b.Fatal(err)
	}
	return f.Items()
}

// A program that returns 10,000 resources as it got them, and one that changes all of them: this is
// what fctl needs besides the program.
func BenchmarkProgram(b *testing.B) {
	for name, edit := range map[string]func([]byte) []byte{
		"same": func(text []byte) []byte { return text },
		"changed": func(text []byte) []byte {
			return bytes.ReplaceAll(text, []byte("replicas: 3"), []byte("replicas: 5"))
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				items := manyItems(b, 10_000)
				b.StartTimer()
				step := &Step{Runner: Runner{Program: func(_ context.Context, stdin []byte,
				) (process.Output, error) {
					return process.Output{Stdout: edit(stdin)}, nil
				}}}
				p := &Pipeline{Provider: provider()}
				if _, _, err := p.Run(b.Context(), items, []*Step{step}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
