package krm

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
	"syscall"
	"unicode"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/parallel"
	"github.com/fctl-dev/fctl/internal/source"
)

// KptfileName is the name of the file that describes a package.
const KptfileName = "Kptfile"

// Package is a directory of resources, as it was read.
type Package struct {
	Root  string // the path to open
	Files []*InputFile
	// Skipped are files that look like configuration and were not read.
	Skipped []source.Skipped
	// Notes name the texts that Sink did not use.
	Notes []string
}

// ReadOptions say how a package is read.
type ReadOptions struct {
	Reader *source.Reader
	// Kptfile says that Kptfiles are items.
	Kptfile bool
	// All says that maps that are not resources are items.
	All bool
}

// ReadPackage reads the resources of a directory and of those below it: files called *.yaml and
// *.yml, Kptfiles, and *.json with a resource. A .krmignore or .fctlignore excludes files. Symbolic
// links below the directory are not followed. A path that names a file is a package with that file.
func ReadPackage(ctx context.Context, dir string, o ReadOptions) (*Package, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Input(diag.FileName(dir), "", errors.New("no such directory"))
	case err != nil:
		return nil, located(diag.FileName(dir), err)
	}
	p := &Package{Root: dir}
	if !info.IsDir() {
		p.Root = filepath.Dir(dir)
	}
	finder := &source.Finder{
		Dir: p.Root, Recursive: true, Toolchain: api.ToolchainKubernetesYAML,
		IgnoreFile: ".krmignore", Temporary: files.IsTemporary,
	}
	if o.Kptfile {
		finder.Names = []string{KptfileName}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	found, err := finder.Find(ctx, []string{abs})
	if err != nil {
		return nil, err
	}
	p.Skipped = found.Skipped
	p.Files = make([]*InputFile, len(found.Files))
	problems := make([]error, len(found.Files))
	err = parallel.Each(ctx, len(found.Files), parallel.Cores(), func(i int) error {
		p.Files[i], problems[i] = p.read(ctx, found.Files[i], o)
		return nil
	})
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	p.Files = slices.DeleteFunc(p.Files, func(f *InputFile) bool { return f == nil })
	slices.SortFunc(p.Files, func(a, b *InputFile) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// read reads one file. The result is nil for a JSON file that is not a resource.
func (p *Package) read(ctx context.Context, found source.File, o ReadOptions) (*InputFile, error) {
	if found.Problem != nil {
		return nil, found.Problem
	}
	rel := filepath.FromSlash(found.Rel)
	f := &InputFile{
		Path: found.Rel, Name: diag.FileName(filepath.Join(p.Root, rel)),
		open: filepath.Join(p.Root, rel),
	}
	unit, err := o.Reader.Unit(ctx, f.open, found.Unit)
	switch {
	case errors.Is(err, source.ErrBinary) && !found.Explicit:
		return nil, nil
	case err != nil:
		return nil, err
	case !found.Accepts(o.Reader.Formats, unit):
		return nil, nil
	}
	if err := source.CheckConflict(unit); err != nil {
		return nil, err
	}
	f.data, f.info = unit.Data, unit.Info
	return f, f.parse(o.All)
}

// Items returns the items of all files in order.
func (p *Package) Items() []*Item {
	var items []*Item
	for _, f := range p.Files {
		items = append(items, f.Items()...)
	}
	return items
}

// NoResources returns the files with documents that are not resources, and how many these are.
func (p *Package) NoResources() map[string]int {
	counts := map[string]int{}
	for _, f := range p.Files {
		if f.noResource > 0 {
			counts[f.Name] = f.noResource
		}
	}
	return counts
}

// file returns the file at a path, nil if none was read.
func (p *Package) file(path string) *InputFile {
	i, ok := slices.BinarySearchFunc(p.Files, path, func(f *InputFile, path string) int {
		return strings.Compare(f.Path, path)
	})
	if !ok {
		return nil
	}
	return p.Files[i]
}

// WithoutFile returns the items without those of the file at a path to open, and the others.
func (p *Package) WithoutFile(items []*Item, file string) (kept, others []*Item) {
	info, err := os.Stat(file)
	if err != nil {
		return items, nil
	}
	for _, item := range items {
		if item.file != nil && item.file.info != nil && os.SameFile(item.file.info, info) {
			others = append(others, item)
		} else {
			kept = append(kept, item)
		}
	}
	return kept, others
}

// WithoutKptfiles returns the items without Kptfiles, and these.
func (p *Package) WithoutKptfiles(items []*Item) (kept, kptfiles []*Item) {
	for _, item := range items {
		if item.file != nil && filepath.Base(item.file.open) == KptfileName {
			kptfiles = append(kptfiles, item)
		} else {
			kept = append(kept, item)
		}
	}
	return kept, kptfiles
}

// WithoutSubpackages returns the items without those of directories below the root that have a
// Kptfile, and these.
func (p *Package) WithoutSubpackages(items []*Item) (kept, others []*Item) {
	below := map[string]bool{".": false}
	var isBelow func(dir string) bool
	isBelow = func(dir string) bool {
		found, known := below[dir]
		if !known {
			_, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(dir), KptfileName))
			found = err == nil || isBelow(path.Dir(dir))
			below[dir] = found
		}
		return found
	}
	for _, item := range items {
		if isBelow(path.Dir(item.Path)) {
			others = append(others, item)
		} else {
			kept = append(kept, item)
		}
	}
	return kept, others
}

// checkPath returns an error for a path that an item cannot have.
func (p *Package) checkPath(item *Item) error {
	problem := func(format string, args ...any) *api.Failure {
		return fault(item.name(), "the path %q %s", item.Path, fmt.Sprintf(format, args...))
	}
	path := item.Path
	switch {
	case strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }):
		return problem("has a character that a path cannot have")
	case strings.HasPrefix(path, "/") || filepath.IsAbs(path):
		return problem("is absolute; it must be relative to the directory of the resources")
	case strings.HasSuffix(path, "/"):
		return problem("ends in a slash; it must name a file")
	case !filepath.IsLocal(filepath.FromSlash(path)):
		return problem("leads out of the directory")
	}
	clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if clean != path {
		item.Path = clean
	}
	if clean == "." {
		return problem("is a directory")
	}
	if files.HasGit(clean) { // git would run a hook, for example
		return problem("is inside of .git")
	}
	if files.HasRecords(clean) { // fctl would obey them
		return problem("is inside of .fctl")
	}
	if files.HasSettings(clean) {
		return problem("is that of settings of fctl")
	}
	root, err := os.OpenRoot(p.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return located(diag.FileName(p.Root), err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	parts := strings.Split(clean, "/")
	for i := range parts {
		above := strings.Join(parts[:i+1], "/")
		info, err := root.Stat(filepath.FromSlash(above))
		last := i == len(parts)-1
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := root.Lstat(filepath.FromSlash(above)); err == nil {
				return problem("leads through a symbolic link to a missing file: %s", above)
			}
			return nil
		case errors.Is(err, syscall.ENAMETOOLONG):
			return problem("is too long")
		case err != nil:
			return problem("leads out of the directory")
		case last && info.IsDir():
			return problem("is a directory")
		case last && !info.Mode().IsRegular():
			return problem("is not a regular file")
		case last && p.file(clean) == nil:
			err := problem("is that of a file that was not read: %s", fileName(p.Root, clean))
			err.Hint = "move the file, or let the function give another path"
			return err
		case !last && !info.IsDir():
			return problem("leads through the file %s", above)
		}
	}
	return nil
}
