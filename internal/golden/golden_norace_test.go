//go:build !race

package golden_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/google/go-cmp/cmp"
)

// TestGolden runs every case: go test -run TestGolden/set-replicas runs those of one function, go
// test -run TestGolden/.*/tree-unit those with a name.
func TestGolden(t *testing.T) {
	cases, dir := load(t)
	for _, c := range cases {
		t.Run(strings.TrimSuffix(c.File, ".out"), func(t *testing.T) {
			t.Parallel()
			check(t, c, dir)
		})
	}
}

// TestIdempotence runs chains of idempotent functions on their own result, which must change
// nothing.
func TestIdempotence(t *testing.T) {
	cases, _ := load(t)
	executor := functions.NewStandardExecutor()
	ran := 0
	for _, c := range cases {
		if !idempotent(executor, c.Functions()) {
			continue
		}
		ran++
		t.Run(strings.TrimSuffix(c.File, ".out"), func(t *testing.T) {
			t.Parallel()
			first := Run(t.Context(), c.OnFile(""))
			if first.Status != 0 {
				t.Skip("a case of bad input")
			}
			path := filepath.Join(t.TempDir(), "again"+c.Extension())
			if err := os.WriteFile(path, first.Stdout, 0o600); err != nil {
				t.Fatal(err)
			}
			second := Run(t.Context(), c.OnFile(path))
			if second.Status != 0 || !bytes.Equal(first.Stdout, second.Stdout) {
				t.Errorf("exit status %d, (-once +twice)\n%s", second.Status,
					cmp.Diff(string(first.Stdout), string(second.Stdout)))
			}
		})
	}
	if ran < 100 {
		t.Errorf("only %d cases have only idempotent functions", ran)
	}
}

func idempotent(executor *functions.Executor, names []string) bool {
	mutating := false
	for _, name := range names {
		known := false
		for _, toolchain := range executor.Toolchains() {
			s, ok := executor.Signature(toolchain, name)
			known = known || ok && s.Idempotent
			mutating = mutating || ok && s.Mutating
		}
		if !known {
			return false
		}
	}
	return mutating
}
