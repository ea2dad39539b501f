//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/fctl-dev/fctl/internal/files"
)

// TestWrite writes files that the user names: new ones with their directories, some that exist, one
// through a link, and one that is not a regular file.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	old, link, fifo := at("old"), at("link"), at("fifo")
	if err := errors.Join(os.WriteFile(old, []byte("a longer text"), 0o640),
		os.Chmod(old, 0o640), os.Symlink("old", link),
		os.Symlink("nowhere", at("broken"))); err != nil {
		t.Fatal(err)
	}
	write := func(path string) error { return files.Write(t.Context(), path, 0o600, []byte("new")) }
	for path, mode := range map[string]fs.FileMode{
		filepath.Join(dir, "made", "file"): 0o600, old: 0o640, link: 0o640,
	} {
		err := write(path)
		text, readErr := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if errors.Join(err, readErr, statErr) != nil || string(text) != "new" ||
			info.Mode() != mode {
			t.Errorf("%s: %v %q %v", path, errors.Join(err, readErr, statErr), text, info)
		}
	}
	if target, err := os.Readlink(link); target != "old" {
		t.Errorf("link leads to %q: %v", target, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "broken")} {
		if err := write(path); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	if err := write(os.DevNull); err != nil {
		t.Error(err)
	}
	if err := write("/dev/full"); err == nil && runtime.GOOS == "linux" {
		t.Error("/dev/full is written")
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { _ = write(fifo) }()
	if text, err := os.ReadFile(fifo); err != nil || string(text) != "new" {
		t.Errorf("pipe gets %q: %v", text, err)
	}
}
