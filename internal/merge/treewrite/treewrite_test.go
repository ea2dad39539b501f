package treewrite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/merge/treemerge"
	"github.com/fctl-dev/fctl/internal/merge/treewrite"
)

// What another program changed after it was read is neither replaced nor deleted.
func TestChangedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need privileges")
	}
	tests := []struct {
		name   string
		result treemerge.Result
		change func(dir string) error // by another program
	}{
		{
			"a link",
			treemerge.Result{Files: []treemerge.MergedFile{
				{Path: "link", Ours: "link", Text: []byte("new"), Mode: fs.ModeSymlink},
			}},
			func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "link")),
					os.Symlink("theirs", filepath.Join(dir, "link")))
			},
		},
		{
			"a deleted link",
			treemerge.Result{Deleted: []string{"link"}},
			func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "link")),
					os.WriteFile(filepath.Join(dir, "link"), []byte("text"), 0o600))
			},
		},
		{
			"a file that becomes a link",
			treemerge.Result{Files: []treemerge.MergedFile{
				{Path: "file", Ours: "file", Text: []byte("new"), Mode: fs.ModeSymlink},
			}},
			func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "file"), []byte("other"), 0o600)
			},
		},
		{
			"a file whose mode changes",
			treemerge.Result{Files: []treemerge.MergedFile{
				{Path: "file", Ours: "file", Text: []byte("text"), Mode: 0o755},
			}},
			func(dir string) error {
				return errors.Join(os.Remove(filepath.Join(dir, "file")),
					os.Symlink("link", filepath.Join(dir, "file")))
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.Symlink("old", filepath.Join(dir, "link")),
				os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600)); err != nil {
				t.Fatal(err)
			}
			read := map[string]treewrite.SideFile{}
			for name, text := range map[string]string{"link": "old", "file": "text"} {
				info, err := os.Lstat(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				read[name] = treewrite.SideFile{Info: info, Data: []byte(text)}
			}
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			w := treewrite.Writer{
				Dir: dir, InPlace: true, Result: &test.result,
				Ours: func(path string) treewrite.SideFile { return read[path] },
				Once: func(write func() error) error { return write() },
			}
			problems, err := w.Write(t.Context())
			if err != nil || len(problems) != 1 || !errors.Is(problems[0].Err, files.ErrChanged) {
				t.Errorf("problems: %v, error: %v", problems, err)
			}
		})
	}
}
