// Package treewrite writes the result of a merge of directories: all of it to a directory, or the
// changes to the directory of OURS.
//
// Its invariants:
//   - What another program changed since it was read is neither replaced nor deleted.
//   - Files are written before others are deleted, so that an interrupted merge loses nothing.
//   - No symbolic link is followed.
//
// Layer: base.
package treewrite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/merge/treemerge"
)

// SideFile is a file of OURS or THEIRS as it was read.
type SideFile struct {
	Info fs.FileInfo
	Data []byte // the target of a symbolic link, with slashes
	// Toolchain is the toolchain of the data.
	Toolchain api.ToolchainType
}

// WriteProblem is a file that could not be written.
type WriteProblem struct {
	Path string // the path to open
	Err  error
}

// Writer writes a result.
type Writer struct {
	Dir string // where the result is written
	// InPlace says that Dir is the directory of OURS, and only the changes are written.
	InPlace bool
	Result  *treemerge.Result
	// Ours and Theirs return the files that were read, by the paths in the result.
	Ours, Theirs func(path string) SideFile
	// Secret reports whether a file has secret values. Only its owner can read a new one.
	Secret func(f *treemerge.MergedFile, was SideFile) bool
	// Once calls a function that writes one file.
	Once func(write func() error) error

	tree     *files.Tree
	problems []WriteProblem
}

// Write writes the result and returns what could not be written. The error is that of Dir.
func (w *Writer) Write(ctx context.Context) ([]WriteProblem, error) {
	var err error
	if w.tree, err = files.OpenTree(ctx, w.Dir, false); err != nil {
		return nil, err
	}
	if w.InPlace {
		w.changes(ctx)
	} else {
		for i := range w.Result.Files {
			w.create(ctx, &w.Result.Files[i])
		}
	}
	w.problem(w.Dir, w.tree.Close())
	return w.problems, nil
}

func (w *Writer) problem(file string, err error) {
	if err != nil {
		w.problems = append(w.problems, WriteProblem{file, err})
	}
}

// at returns the path to open for a path of the result.
func (w *Writer) at(rel string) string { return filepath.Join(w.Dir, filepath.FromSlash(rel)) }

// changes changes OURS. Only what needs the path of a deleted file or directory is written after
// that is deleted.
func (w *Writer) changes(ctx context.Context) {
	var last []*treemerge.MergedFile
	for i := range w.Result.Files {
		f := &w.Result.Files[i]
		switch {
		case f.Ours == f.Path:
			w.problem(w.at(f.Path), w.Once(func() error { return w.change(ctx, f) }))
		case w.blocked(f.Path):
			last = append(last, f)
		default:
			w.create(ctx, f)
		}
	}
	if len(w.problems) > 0 {
		return
	}
	gone := slices.Clone(w.Result.Deleted)
	for i := range w.Result.Files {
		if f := &w.Result.Files[i]; f.Ours != "" && f.Ours != f.Path {
			gone = append(gone, f.Ours)
		}
	}
	for _, rel := range gone {
		w.problem(w.at(rel), w.Once(func() error {
			return w.tree.Remove(ctx, rel, w.Ours(rel).Data)
		}))
		w.tree.Prune(rel)
	}
	for _, f := range last {
		w.create(ctx, f)
	}
}

// blocked reports whether a directory of OURS has the path, or a file a path above it.
func (w *Writer) blocked(rel string) bool {
	if info, err := os.Lstat(w.at(rel)); err == nil && info.IsDir() {
		return true
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(w.at(dir)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// change changes a file of OURS that keeps its path.
func (w *Writer) change(ctx context.Context, f *treemerge.MergedFile) error {
	ours := w.Ours(f.Path)
	wasLink, isLink := ours.Info.Mode()&fs.ModeSymlink != 0, f.Mode&fs.ModeSymlink != 0
	same := string(f.Text) == string(ours.Data)
	if wasLink || isLink {
		if wasLink && isLink && same {
			return nil
		}
		if err := w.tree.Unchanged(f.Path, ours.Data); err != nil {
			return err
		}
		return w.put(ctx, f)
	}
	isDone := f.Mode == ours.Info.Mode().Perm()
	if !isDone && !same && f.Mode&0o200 != 0 { // a file that was read-only can be written then
		var err error
		if ours.Info, err = w.chmod(f, ours.Info); err != nil {
			return err
		}
		isDone = true
	}
	if !same {
		if err := w.replace(ctx, f, ours); err != nil {
			return err
		}
	}
	if isDone {
		return nil
	}
	return w.tree.Chmod(f.Path, f.Mode)
}

// chmod gives a file of OURS its new mode. It returns what describes the file then, or an error if
// another program changed it.
func (w *Writer) chmod(f *treemerge.MergedFile, was fs.FileInfo) (fs.FileInfo, error) {
	if err := w.tree.Chmod(f.Path, f.Mode); err != nil {
		return nil, err
	}
	info, err := os.Lstat(w.at(f.Path))
	switch {
	case err != nil:
		return nil, files.WithoutPath(err)
	case !os.SameFile(info, was), info.Size() != was.Size(), !info.ModTime().Equal(was.ModTime()):
		return nil, files.ErrChanged
	}
	return info, nil
}

// replace writes new content to a file of OURS, unless another program changed it.
func (w *Writer) replace(ctx context.Context, f *treemerge.MergedFile, ours SideFile) error {
	return (&files.InPlace{}).Replace(ctx, w.at(f.Path), false, ours.Info, ours.Data, f.Text)
}

// create writes a file that is not at its path in OURS.
func (w *Writer) create(ctx context.Context, f *treemerge.MergedFile) {
	w.problem(w.at(f.Path), w.Once(func() error {
		if w.InPlace {
			if _, err := os.Lstat(w.at(f.Path)); err == nil {
				return files.ErrChanged
			} else if !errors.Is(err, fs.ErrNotExist) {
				return files.WithoutPath(err)
			}
		}
		return w.put(ctx, f)
	}))
}

// put writes a file or a symbolic link.
func (w *Writer) put(ctx context.Context, f *treemerge.MergedFile) error {
	if f.Mode&fs.ModeSymlink != 0 {
		return w.tree.Link(ctx, f.Path, filepath.FromSlash(string(f.Text)))
	}
	var from SideFile
	if f.Ours != "" {
		from = w.Ours(f.Ours)
	} else {
		from = w.Theirs(f.Theirs)
	}
	write := w.tree.Write
	if (!w.InPlace || f.Ours == "") && w.Secret(f, from) {
		write = w.tree.WritePrivate
	}
	return write(ctx, f.Path, withMode{from.Info, f.Mode}, f.Text)
}

// withMode is information about a file, with other permissions.
type withMode struct {
	fs.FileInfo
	mode fs.FileMode
}

// Mode returns the other permissions.
func (w withMode) Mode() fs.FileMode { return w.mode }
