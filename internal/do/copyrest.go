package do

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/source"
)

// copyRest makes the output directory a complete copy: it copies all that is in the directories
// that the user named and on which no function ran, except what belongs to version control. Of
// patterns it copies the files that were found and skipped.
func (l *loop) copyRest() {
	if l.tree == nil || l.ctx.Err() != nil || l.refused > 0 {
		return
	}
	r := &rest{
		loop: l, outputDir: realDirectory(absolute(l.options.OutputDir), map[string]string{}),
		processed: map[string]bool{}, written: map[string]bool{}, visited: map[string]bool{},
	}
	r.find()
	for _, d := range l.request.found.Directories {
		r.directory(d.Path, realDirectory(absolute(d.Path), r.real), d.Rel)
	}
	for _, s := range l.request.found.Skipped {
		if at := r.realPath(s.Path, false); s.Rel != "" && !r.visited[filepath.Dir(at)] &&
			s.Reason != source.IsLink && s.Reason != source.NotRegular {
			r.entry(s.Path, at, s.Rel, 0)
		}
	}
	var notes []string
	if r.copied > 0 {
		notes = append(notes, fmt.Sprintf("%s copied to %s as before",
			diag.Count(r.copied, "other file"), diag.Printable(diag.FileName(l.options.OutputDir))))
	}
	if n := len(r.special); n > 0 {
		names := r.special[:min(n, shownFiles)]
		if n > shownFiles {
			names = append(slices.Clone(names), "...")
		}
		notes = append(notes, "special files are not copied: "+strings.Join(names, ", "))
	}
	for _, note := range notes {
		l.noteUnlessQuiet("", api.Note{Message: note})
	}
}

// rest copies what no function ran on.
type rest struct {
	loop      *loop
	outputDir string          // without symbolic links
	processed map[string]bool // real paths of the files on which functions ran, in any shard
	written   map[string]bool // paths in the output directory
	visited   map[string]bool // real paths of directories
	real      map[string]string
	copied    int
	special   []string // names of files that cannot be copied
}

// find collects the files on which functions ran.
func (r *rest) find() {
	r.real = map[string]string{}
	found := r.loop.request.found
	notConfiguration := map[string]bool{} // files that were read are in both lists
	for _, s := range found.Skipped {
		notConfiguration[s.Path] = true
	}
	for _, f := range found.All() {
		if f.Path != "-" && !notConfiguration[f.Path] {
			r.processed[r.realPath(f.Path, f.Explicit)] = true
			r.processed[r.realPath(f.Path, false)] = true
			r.written[f.Rel] = true
		}
	}
}

// realPath returns an absolute path with symbolic links resolved. The last name is resolved only if
// link says that it may be one.
func (r *rest) realPath(path string, link bool) string {
	path = absolute(path)
	if link {
		return realDirectory(path, r.real)
	}
	return filepath.Join(realDirectory(filepath.Dir(path), r.real), filepath.Base(path))
}

// absolute returns an absolute path, or path itself if the working directory is unknown.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// directory copies a directory. at is its path to open, and rel its path in the output directory,
// empty for that directory itself.
func (r *rest) directory(at, real, rel string) {
	if r.visited[real] || below(real, r.outputDir) {
		return
	}
	r.visited[real] = true
	entries, err := os.ReadDir(at)
	// A directory above DIR may exist only because of it.
	if err == nil && rel != "" && !below(r.outputDir, real) {
		err = r.emptyDirectory(at, rel)
	}
	if err != nil {
		r.problem(at, err)
	}
	for _, e := range entries {
		if name := e.Name(); !source.IsRepository(name) && !files.IsTemporary(name) {
			r.entry(filepath.Join(at, name), filepath.Join(real, name), path.Join(rel, name),
				e.Type())
		}
	}
}

// emptyDirectory copies a directory without its entries.
func (r *rest) emptyDirectory(at, rel string) error {
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	return r.loop.tree.Directory(rel, info.Mode())
}

// below reports whether a path is another one or below it. Both are absolute.
func below(path, above string) bool {
	rel, err := filepath.Rel(above, path)
	return err == nil && filepath.IsLocal(rel)
}

// entry copies an entry of a directory of a type.
func (r *rest) entry(at, real, rel string, mode fs.FileMode) {
	if r.loop.ctx.Err() != nil || r.processed[real] {
		return
	}
	var write func() error
	switch {
	case mode.IsDir():
		r.directory(at, real, rel)
		return
	case mode&fs.ModeSymlink != 0:
		write = func() error {
			target, err := os.Readlink(at)
			if err != nil {
				return err
			}
			return r.loop.tree.Link(r.loop.ctx, rel, target)
		}
	case mode != 0:
		r.special = append(r.special, diag.FileName(at))
		return
	default:
		write = func() error { return copyFile(r.loop.ctx, r.loop.tree, at, rel) }
	}
	err := errTaken
	if !r.written[rel] {
		err = r.loop.deps.Writes.Write(write)
	}
	r.written[rel] = true
	if err != nil {
		r.problem(at, err)
		return
	}
	r.copied++
}

// problem reports what could not be copied.
func (r *rest) problem(at string, err error) {
	if r.loop.ctx.Err() != nil || slices.ContainsFunc(r.loop.request.found.Files,
		func(f source.File) bool {
			return f.Path == at && f.Problem != nil // it is reported already
		}) {
		return
	}
	r.loop.fail(diag.List{NotWritten(diag.FileName(at), files.WithoutPath(err))})
}

var errTaken = errors.New("another file is written to the same path")

// copyFile copies a regular file to a tree.
func copyFile(ctx context.Context, tree *files.Tree, at, rel string) error {
	listed, err := os.Lstat(at)
	if err != nil {
		return err
	}
	if !listed.Mode().IsRegular() { // opening a pipe would block
		return files.ErrNotRegular
	}
	f, err := os.Open(at)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(listed, info) {
		return files.ErrChanged
	}
	return tree.Copy(ctx, rel, f, info)
}
