package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/treemerge"
)

// write writes the result: all files to the directory of -O, or the changes to OURS.
func (m *treeMerging) write(ctx context.Context) error {
	tree, err := sink.OpenTree(m.target(), false)
	if err != nil {
		return diag.List{run.NotWritten(diag.FileName(m.target()), err)}
	}
	w := &treeWriter{treeMerging: m, ctx: ctx, tree: tree}
	m.app.Writes.Begin()
	defer m.app.Writes.End()
	if m.flags.outputDir != "" {
		for i := range m.result.Files {
			w.create(&m.result.Files[i])
		}
	} else {
		w.inPlace()
	}
	w.problem(m.target(), tree.Close())
	return w.problems.Err()
}

// treeWriter writes a result and collects what could not be written.
type treeWriter struct {
	*treeMerging
	ctx      context.Context
	tree     *sink.Tree
	problems diag.List
}

func (w *treeWriter) problem(file string, err error) {
	if err != nil {
		w.problems = append(w.problems, run.NotWritten(diag.FileName(file), err))
	}
}

// at returns the path to open for a path of the result.
func (w *treeWriter) at(rel string) string {
	return filepath.Join(w.target(), filepath.FromSlash(rel))
}

// inPlace changes OURS. Files are written before others are deleted, so that an interrupted merge
// loses nothing. Only what needs the path of a deleted file or directory is written afterwards.
func (w *treeWriter) inPlace() {
	var last []*treemerge.Merged
	for i := range w.result.Files {
		f := &w.result.Files[i]
		switch what := w.change(f); {
		case what == "":
		case what == "changed":
			w.replace(f)
		case w.blocked(f.Path):
			last = append(last, f)
		default:
			w.create(f)
		}
	}
	if len(w.problems) > 0 {
		return
	}
	gone := slices.Clone(w.result.Deleted)
	for i := range w.result.Files {
		if f := &w.result.Files[i]; f.Ours != "" && f.Ours != f.Path {
			gone = append(gone, f.Ours)
		}
	}
	for _, rel := range gone {
		w.remove(rel)
	}
	for _, f := range last {
		w.create(f)
	}
}

// blocked reports whether a directory of OURS has the path, or a file a path above it.
func (w *treeWriter) blocked(rel string) bool {
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

// replace writes a file of OURS in place, unless another program changed it.
func (w *treeWriter) replace(f *treemerge.Merged) {
	ours, at := w.trees[inOurs][f.Ours].unit, w.at(f.Path)
	w.problem(at, w.app.Writes.Write(func() error {
		file, err := os.Open(at)
		if err != nil {
			return unwrapped(err)
		}
		defer file.Close() //nolint:errcheck // nothing was written
		target := (&sink.InPlace{}).Target(at, false)
		same, err := target.Hold(w.ctx, file.Fd())
		defer target.Release()
		if err == nil && !same {
			err = sink.ErrChanged
		}
		if err != nil {
			return err
		}
		return target.Write(ours.Info, ours.Data, f.Text)
	}))
}

// create writes a file that is not at its path in OURS.
func (w *treeWriter) create(f *treemerge.Merged) {
	from := w.trees[inTheirs][f.Theirs]
	if f.Ours != "" {
		from = w.trees[inOurs][f.Ours]
	}
	if w.flags.inPlace {
		if _, err := os.Lstat(w.at(f.Path)); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = sink.ErrChanged
			}
			w.problem(w.at(f.Path), unwrapped(err))
			return
		}
	}
	w.problem(w.at(f.Path), w.app.Writes.Write(func() error {
		return w.tree.Write(w.ctx, f.Path, from.unit.Info, f.Text)
	}))
}

// remove deletes a file of OURS, unless another program changed it, and its directories that are
// empty then.
func (w *treeWriter) remove(rel string) {
	ours := w.trees[inOurs][rel].unit
	w.problem(w.at(rel), w.app.Writes.Write(func() error { return w.tree.Remove(rel, ours.Data) }))
}
