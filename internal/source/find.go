package source

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

// Finder finds the files of units. A file that the user names is always taken. From a directory it
// takes the files of one toolchain, from a pattern every file whose name is that of configuration,
// unless a .fctlignore or .gitignore excludes them. It does not follow symbolic links that it
// finds: they may lead out of the directory.
type Finder struct {
	Dir       string // what relative paths are relative to; empty for the working directory
	Recursive bool   // descend into subdirectories
	// Toolchain is that of all units. If empty, a file's name decides, and a directory means
	// Kubernetes/YAML.
	Toolchain api.ToolchainType
	// Formats says which toolchains names imply.
	Formats Formats
	// AnyFormat takes the files of every toolchain from a directory.
	AnyFormat bool
	// IgnoreFile is read in place of .gitignore if it is not empty, and only in directories that
	// are searched, not in those above them.
	IgnoreFile string
	// All takes files that ignore files exclude, and the ignore files and settings themselves.
	All bool
	// Names are names of files that are taken from a directory whatever their extension.
	Names []string
	// Temporary reports whether a name is that of an incomplete file. Such files are skipped.
	Temporary func(name string) bool
}

// File is a file that was found, or "-".
type File struct {
	Path     string // the path to open
	Rel      string // path relative to Dir, or to the directory it was found in, with slashes
	Unit     string // the name of the unit in it: Rel without extension
	Explicit bool   // the user named the file itself
	// Format is the toolchain that the file must have because of the directory it was found in;
	// empty accepts any.
	Format api.ToolchainType
	// Problem is why the file cannot be read: a path that does not exist, a directory that cannot
	// be read. It is an *api.Failure, or nil.
	Problem error
}

// Accepts reports whether a file that was read has the toolchain that its directory requires. For
// JSON only the content decides.
func (f File) Accepts(formats Formats, u *InputUnit) bool {
	if f.Format == "" {
		return true
	}
	_, sure := formats.ByName(f.Path)
	return sure || formats.Toolchain(f.Path, u.Data) == f.Format
}

// unitName returns the name of the unit in a file: its path without extension.
func unitName(rel string) string {
	slash := strings.LastIndexByte(rel, '/')
	name := rel[slash+1:]
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" {
		name = short
	}
	return rel[:slash+1] + name
}

// Found is what a Finder found.
type Found struct {
	Files []File // of the shard
	// Several reports that more than one file by its name was asked for, however many were found.
	Several bool
	// Skipped are files that were found but skipped.
	Skipped     []Skipped
	Directories []Directory // that the user named
	all         []File      // of all shards; nil if Files are all
}

// All returns the files of all shards, in the order of the search.
func (f *Found) All() []File {
	if f.all != nil {
		return f.all
	}
	return f.Files
}

// Directory is a directory that the user named.
type Directory struct {
	Path string // the path to open
	Rel  string // as that of a File, empty if Dir or the directory itself is the base of names
}

// Exclude removes the files that were found in dir or below it, except files that the user named.
func (f *Found) Exclude(dir string) {
	dir = absolute(dir)
	inside := func(path string) bool {
		rel, err := filepath.Rel(dir, absolute(path))
		return err == nil && filepath.IsLocal(rel)
	}
	f.Files = slices.DeleteFunc(f.Files, func(file File) bool {
		return !file.Explicit && inside(file.Path)
	})
	f.Skipped = slices.DeleteFunc(f.Skipped, func(s Skipped) bool { return inside(s.Path) })
}

// Skipped is a file that is skipped.
type Skipped struct {
	Path   string
	Rel    string // as that of a File
	Reason SkipReason
}

// SkipReason is why a file is skipped.
type SkipReason string

// The reasons.
const (
	OtherExtension SkipReason = "other extension"
	IsLink         SkipReason = "symbolic link"
	NotRegular     SkipReason = "not a regular file"
	IsBinary       SkipReason = "binary"
	IsEmpty        SkipReason = "empty"
	NoResource     SkipReason = "no resource"
	IsTemplate     SkipReason = "template"
	OtherFormat    SkipReason = "other format" // not that of the directory
	NoFunction     SkipReason = "function unknown in the format"
)

// Describe returns the reason as it follows the number of files: "1 file without resources".
func (r SkipReason) Describe(files int) string {
	text := map[SkipReason][2]string{ // for one file, and for several
		OtherExtension: {"with another extension", "with other extensions"},
		IsLink:         {"that is a symbolic link", "that are symbolic links"},
		NotRegular:     {"that is not a regular file", "that are not regular files"},
		IsBinary:       {"that is binary", "that are binary"},
		IsEmpty:        {"that is empty", "that are empty"},
		NoResource:     {"without resources", "without resources"},
		IsTemplate:     {"that is a template", "that are templates"},
		OtherFormat:    {"in another format", "in other formats"},
		NoFunction:     {"in a format without the function", "in formats without the function"},
	}[r]
	if files == 1 {
		return text[0]
	}
	return text[1]
}

// Find finds the files of paths, each of which is a file, a directory, a pattern or "-". The files
// are in the order of the paths, those of a directory by name, and each file is listed once.
// Problems with paths are in the files; the error is ctx.Err().
func (f *Finder) Find(ctx context.Context, paths []string) (*Found, error) {
	base, err := filepath.Abs(f.Dir)
	if err != nil {
		return nil, err
	}
	w := &walker{Finder: f, ctx: ctx, base: base, found: &Found{Several: len(paths) > 1}}
	for _, path := range paths {
		if err := w.path(path); err != nil {
			return nil, err
		}
	}
	if len(paths) > 1 {
		w.found.Files = unique(w.found.Files)
		w.found.Skipped = skippedByAll(w.found)
	}
	return w.found, nil
}

// File returns the file that a path names, whether it exists or not.
func (f *Finder) File(path string) (File, error) {
	base, err := filepath.Abs(f.Dir)
	if err != nil {
		return File{}, err
	}
	w := &walker{Finder: f, base: base, found: &Found{}}
	switch {
	case path == "-":
		w.stdin()
	case isURL(path):
		w.addURL(path)
	default:
		w.add(filepath.Clean(InDirectory(w.Dir, path)), nil)
	}
	return w.found.Files[0], nil
}

// walker is one search.
type walker struct {
	*Finder
	ctx   context.Context
	base  string // Dir, absolute
	found *Found
}

func (w *walker) path(path string) error {
	if path == "-" {
		w.stdin()
		return nil
	}
	if isURL(path) {
		w.addURL(path)
		return nil
	}
	resolved := filepath.Clean(InDirectory(w.Dir, path))
	if err := files.Check(w.ctx, resolved); err != nil {
		w.add(resolved, err)
		return nil
	}
	info, err := os.Stat(resolved)
	switch {
	case err != nil && IsPattern(path) && errors.Is(err, fs.ErrNotExist):
		w.found.Several = true
		return w.glob(path)
	case err != nil:
		w.add(resolved, located(diag.FileName(resolved), err))
	case !info.IsDir():
		w.add(resolved, nil)
	default:
		w.found.Several = true
		d, err := w.top(resolved)
		if err != nil {
			w.add(resolved, err)
			return nil
		}
		d.whole = true
		w.found.Directories = append(w.found.Directories, Directory{d.path, d.rel})
		return w.directory(d, nil)
	}
	return nil
}

// InDirectory returns path relative to dir, unchanged if it is absolute or "-".
func InDirectory(dir, path string) string {
	if dir == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func (w *walker) stdin() {
	w.found.Files = append(w.found.Files, File{Path: "-", Rel: "-", Unit: "stdin", Explicit: true})
}

// add adds a file that the user named, or with a problem.
func (w *walker) add(path string, problem error) {
	rel := w.rel(path, filepath.Dir(path))
	w.found.Files = append(w.found.Files, File{
		Path: path, Rel: rel, Unit: unitName(rel), Explicit: problem == nil, Problem: problem,
	})
}

// absolute returns an absolute path, or path itself if the working directory is unknown.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// rel returns the name of a path: relative to Dir if it is below Dir, else relative to dir.
func (w *walker) rel(path, dir string) string {
	for _, from := range []string{w.base, absolute(dir)} {
		if rel, err := filepath.Rel(from, absolute(path)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(filepath.Base(path))
}

// directory is a directory being searched.
type directory struct {
	path   string // the path to open
	rel    string // its path in the names of units, with slashes; empty if they omit it
	abs    string // the absolute path, for patterns
	ignore ignore // the ignore files of the directories above it
	whole  bool   // take all its files, whatever the pattern
}

// top returns the directory where a search starts.
func (w *walker) top(path string) (directory, error) {
	d := directory{path: path, abs: filepath.ToSlash(absolute(path))}
	if d.rel = w.rel(path, path); d.rel == "." {
		d.rel = ""
	}
	var err error
	for _, above := range w.above(absolute(path)) {
		if d.ignore, err = d.ignore.in(above, filepath.ToSlash(above), gitIgnore); err != nil {
			return d, located(diag.FileName(above), err)
		}
	}
	return d, nil
}

// above returns the directories above dir whose ignore files apply to it, the uppermost first.
// These are the directories of its repository or, outside of a repository, those from Dir on.
func (w *walker) above(dir string) []string {
	if w.IgnoreFile != "" || w.All {
		return nil
	}
	var dirs []string
	for at := dir; ; at = filepath.Dir(at) {
		if at != dir {
			dirs = append(dirs, at)
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			slices.Reverse(dirs)
			return dirs
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if i := slices.Index(dirs, w.base); i >= 0 {
		dirs = dirs[:i+1]
		slices.Reverse(dirs)
		return dirs
	}
	return nil
}

// directory finds the files in a directory: all of them if d.whole is set, and those at any depth
// that match the pattern, if there is one.
func (w *walker) directory(d directory, g *glob) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.path)
	if err == nil && !w.All {
		d.ignore, err = d.ignore.in(d.path, d.abs, cmp.Or(w.IgnoreFile, gitIgnore))
	}
	if err != nil {
		w.add(d.path, located(diag.FileName(d.path), err))
		return nil
	}
	for _, e := range entries {
		if err := w.entry(d, e, g); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(d directory, e fs.DirEntry, g *glob) error {
	name, isDir := e.Name(), e.IsDir()
	switch {
	case isDir && IsRepository(name):
		return nil
	case !w.All && slices.Contains([]string{fctlIgnore, gitIgnore, settingsFile, w.IgnoreFile}, name):
		return nil
	case !isDir && w.Temporary != nil && w.Temporary(name):
		return nil
	}
	abs := strings.TrimSuffix(d.abs, "/") + "/" + name
	if d.ignore.ignored(abs, isDir) {
		return nil
	}
	file, rel := filepath.Join(d.path, name), path.Join(d.rel, name)
	if isDir {
		whole := d.whole && w.Recursive || g.matches(abs)
		if !whole && !g.leadsInto(abs) {
			return nil
		}
		return w.directory(directory{
			path: file, rel: rel, abs: abs, ignore: d.ignore, whole: whole,
		}, g)
	}
	byPattern := g.matches(abs)
	if !d.whole && !byPattern {
		return nil
	}
	format := w.format(byPattern)
	if why := w.skipReason(name, e.Type(), byPattern, format); why != "" {
		w.found.Skipped = append(w.found.Skipped, Skipped{file, rel, why})
		return nil
	}
	w.found.Files = append(w.found.Files,
		File{Path: file, Rel: rel, Unit: unitName(rel), Format: format})
	return nil
}

// format returns the toolchain that a file must have; empty accepts any.
func (w *walker) format(byPattern bool) api.ToolchainType {
	if byPattern || w.AnyFormat {
		return ""
	}
	return cmp.Or(w.Toolchain, api.ToolchainKubernetesYAML)
}

// settingsFile holds settings of fctl for the directory, not configuration.
const settingsFile = ".fctl.yaml"

// IsRepository reports whether a directory belongs to version control.
func IsRepository(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// skipReason returns why a file that was found is skipped, empty if it is not.
func (w *walker) skipReason(name string, mode fs.FileMode, byPattern bool,
	format api.ToolchainType,
) SkipReason {
	switch {
	case mode&fs.ModeSymlink != 0:
		return IsLink
	case mode.Type() != 0:
		return NotRegular
	case w.Toolchain != "" && byPattern:
		return "" // pattern and toolchain together are explicit enough
	case slices.Contains(w.Names, name):
		return ""
	}
	return w.Formats.skip(name, format)
}

// skip returns why a file of another format than the given one is skipped; empty accepts any
// format.
func (f Formats) skip(name string, format api.ToolchainType) SkipReason {
	toolchains := f.of(name)
	switch {
	case len(toolchains) == 0:
		return OtherExtension
	case format != "" && !slices.Contains(toolchains, format):
		return OtherFormat
	}
	return ""
}

// skippedByAll returns the files that were skipped by every path, each of them once.
func skippedByAll(found *Found) []Skipped {
	seen := map[string]bool{}
	for _, f := range found.Files {
		seen[f.Path] = true
	}
	return slices.DeleteFunc(found.Skipped, func(p Skipped) bool {
		known := seen[p.Path]
		seen[p.Path] = true
		return known
	})
}

// unique keeps the first occurrence of each file. If a later path names the file, or matches it
// with a pattern, this counts for the kept one as well.
func unique(files []File) []File {
	identity := func(f File) string {
		if real, err := filepath.EvalSymlinks(f.Path); err == nil && f.Problem == nil {
			return absolute(real)
		}
		return f.Path
	}
	first := map[string]int{}
	kept := files[:0]
	for _, f := range files {
		id := identity(f)
		if i, twice := first[id]; twice {
			kept[i].Explicit = kept[i].Explicit || f.Explicit
			if f.Format == "" {
				kept[i].Format = ""
			}
			continue
		}
		first[id] = len(kept)
		kept = append(kept, f)
	}
	return kept
}
