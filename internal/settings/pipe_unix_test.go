//go:build unix

package settings

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipes checks that a pipe does not block fctl.
func TestPipes(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	types := filepath.Join(root, "types.yaml")
	for _, path := range []string{types, filepath.Join(root, "pipe", ProjectFile)} {
		t.Run(path, func(t *testing.T) {
			mkdir(t, filepath.Dir(path))
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	write(t, filepath.Join(root, ProjectFile), "resource-types: types.yaml\n")
	s, err := load(flagSet(t), nil, Locations{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ResourceTypes[0].Read(types); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
	if _, err := load(flagSet(t), nil, Locations{Dir: filepath.Join(root, "pipe")}); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
