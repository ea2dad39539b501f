package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A batch never replaces a file that another process made after the batch had found none.
func TestBatchCreatesOnlyWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // nothing is synced
	b := &Batch{
		Root: root, Dir: dir, Most: 1 << 20,
		Parallel: func(n int, do func(int) error) error {
			for i := range n {
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		},
	}
	defer b.Close()
	b.Step = func(what string) {
		if what == "rename d/new" {
			if err := os.WriteFile(filepath.Join(dir, "d/new"), []byte("theirs"), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	changes := []Change{{Path: "d/new", Data: []byte("ours"), Guarded: true}}
	if _, _, err := b.Hold(t.Context(), &changes[0]); err != nil {
		t.Fatal(err)
	}
	err = b.Apply(changes)
	var failure *ChangeError
	if !errors.Is(err, ErrChanged) || !errors.As(err, &failure) || failure.Path != "d/new" {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d/new")); string(text) != "theirs" {
		t.Errorf("the file has %q, %v", text, err)
	}
	entries, err := fs.ReadDir(root.FS(), "d")
	if len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// Of many that create one file, one succeeds.
func TestOneCreatorWins(t *testing.T) {
	dir := t.TempDir()
	results := make(chan error)
	const creators = 20
	for i := range creators {
		go func() {
			tree, err := OpenTree(t.Context(), dir, false)
			if err == nil {
				err = tree.Create(t.Context(), "a", 0o600, []byte{byte('a' + i)})
				err = errors.Join(err, tree.Close())
			}
			results <- err
		}()
	}
	won := 0
	for range creators {
		if err := <-results; err == nil {
			won++
		} else if !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); won != 1 || len(entries) != 1 {
		t.Errorf("%d succeeded; there are %v, %v", won, entries, err)
	}
}
