package workspace_test

import (
	"os"
	"testing"

	"github.com/fctl-dev/fctl/internal/links/staleness"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// BenchmarkLoad loads the workspace that the environment names.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("WORKSPACE_BENCH")
	if dir == "" {
		b.Skip("WORKSPACE_BENCH names no workspace")
	}
	for b.Loop() {
		s, w := open(b, dir, workspace.OpenOptions{DryRun: true})
		staleness.Mark(w, nil)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
