//go:build unix

package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/source"
)

// TestNamedPipe checks that a read of a pipe without a writer can be interrupted, and that a pipe
// with a writer is read.
func TestNamedPipe(t *testing.T) {
	pipe := func(name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := (&source.Reader{}).Unit(ctx, pipe("silent"), "U"); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	// This is another pipe, because the interrupted read still waits for the one above.
	path := pipe("written")
	go func() { _ = os.WriteFile(path, []byte("a: b\n"), 0) }()
	if unit, err := (&source.Reader{}).Unit(t.Context(), path, "U"); err != nil ||
		string(unit.Data) != "a: b\n" {
		t.Errorf("%v %v", unit, err)
	}
}
