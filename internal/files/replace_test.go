package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestTemporaryFilesAreTakenOver checks that only the holder of the same lock removes a temporary
// file that a killed run left.
func TestTemporaryFilesAreTakenOver(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(path string) error
		stays bool
	}{
		"nothing": {func(string) error { return nil }, false},
		"a file": {func(p string) error {
			return os.WriteFile(p, []byte("a long part of a text"), 0o444)
		}, false},
		"a link": {func(p string) error { return os.Symlink("other.yaml", p) }, false},
		"a directory with a file": {func(p string) error {
			return errors.Join(os.Mkdir(p, 0o755), os.WriteFile(filepath.Join(p, "x"), nil, 0o644))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			other, left := filepath.Join(dir, "other.yaml"),
				filepath.Join(dir, temporaryName("key", 0))
			if err := errors.Join(os.WriteFile(other, []byte("other"), 0o644),
				c.leave(left)); err != nil {
				t.Fatal(err)
			}
			r := &atomicFile{
				in: osFS{}, path: filepath.Join(dir, "a.yaml"), key: "key",
				perm: 0o644,
			}
			if err := r.write([][]byte{[]byte("new")}); err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]string{r.path: "new", other: "other"} {
				if text, err := os.ReadFile(path); string(text) != want {
					t.Errorf("%s is %q, want %q (%v)", path, text, want, err)
				}
			}
			if info, err := os.Lstat(r.path); err != nil || !info.Mode().IsRegular() ||
				info.Size() != 3 {
				t.Errorf("%v %v", info, err)
			}
			if _, err := os.Lstat(left); errors.Is(err, fs.ErrNotExist) == c.stays {
				t.Errorf("the temporary file: %v", err)
			}
		})
	}
}

func TestTemporaryNames(t *testing.T) {
	names := map[string]bool{}
	for _, name := range []string{
		temporaryName("a", 0), temporaryName("a", 1),
		temporaryName("b", 0), temporaryName("", 0), temporaryName("", 0),
	} {
		t.Run(name, func(t *testing.T) {
			if names[name] || !IsTemporary(name) {
				t.Errorf("%s in %v", name, names)
			}
			names[name] = true
		})
	}
	if name := temporaryName("a", 0); !names[name] {
		t.Errorf("now it is %s", name)
	}
	for _, name := range []string{
		"a.yaml", ".fctl-000000000000000.tmp",
		".fctl-000000000000000g.tmp", ".fctl-0000000000000001.tmp~", "fctl-0000000000000001.tmp",
		".fctl-0000000000000001",
	} {
		t.Run(name, func(t *testing.T) {
			if IsTemporary(name) {
				t.Errorf("%s", name)
			}
		})
	}
}
