package source

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Finder finds the files of units. It takes a file that the user names as it is.
// From a directory it takes the files of one toolchain, from a pattern every
// file whose name is that of configuration, unless a .fctlignore or .gitignore
// says otherwise. It does not follow symbolic links that it finds: they may lead
// out of the directory.
type Finder struct {
	Dir       string // where relative paths start; empty is the working directory
	Recursive bool   // look into the directories below a directory too
	// Toolchain is that of all units. Empty means that a file's name decides,
	// and that a directory means Kubernetes/YAML.
	Toolchain api.ToolchainType
	// AnyFormat takes the files of every toolchain from a directory.
	AnyFormat bool
	// Temporary reports whether a name is one that files have until they are
	// complete. They are skipped.
	Temporary func(name string) bool
}

// File is a file that was found, or "-".
type File struct {
	Path  string // as it is opened
	Rel   string // where it stands below Dir or below the directory it was found in, with slashes
	Unit  string // the name of the unit in it: Rel without extension
	Named bool   // the user named this very file
	// Format is the toolchain that the directory it was found in means;
	// empty means that the file keeps its own.
	Format api.ToolchainType
	// Problem is why there is nothing to read, nil for most: a path that does
	// not exist, a directory that cannot be read. It is an *api.Failure.
	Problem error
}

// Takes reports whether a file that was read is of the toolchain that its
// directory means. Of JSON only the content decides.
func (f File) Takes(u *Unit) bool {
	if f.Format == "" {
		return true
	}
	_, sure := ToolchainByName(f.Path)
	return sure || ToolchainOf(f.Path, u.Data) == f.Format
}

// unitName is the name of the unit in a file: its path without extension.
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
	Files []File
	// Several tells that more was asked for than one file by its name, however
	// many there are.
	Several bool
	// Passed are files that were found and are not read, by reason.
	Passed []Passed
}

// LeaveOut drops the files that were found in a directory or below it; those
// that were named stay.
func (f *Found) LeaveOut(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return
	}
	dir = join(dir, "")
	f.Files = slices.DeleteFunc(f.Files, func(file File) bool {
		path := file.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(here, path)
		}
		return !file.Named && strings.HasPrefix(path, dir)
	})
}

// Passed is a file that is skipped.
type Passed struct {
	Path string
	Why  Reason
}

// Reason is why a file is skipped.
type Reason string

// The reasons.
const (
	OtherExtension Reason = "other extension"
	IsLink         Reason = "symbolic link"
	NotRegular     Reason = "no regular file"
	IsBinary       Reason = "binary"
	IsEmpty        Reason = "empty"
	NoResource     Reason = "no resource"
	IsTemplate     Reason = "template"
	OtherFormat    Reason = "other format" // not that of the directory
	NoFunction     Reason = "no such function for the format"
)

// Find finds the files of paths, each of which is a file, a directory, a
// pattern or "-". They come in the order of the paths and each of them once,
// what is in a directory in the order of names. The error is ctx.Err().
func (f *Finder) Find(ctx context.Context, paths []string) (*Found, error) {
	base, err := filepath.Abs(f.Dir)
	if err != nil {
		return nil, err
	}
	w := &walk{Finder: f, ctx: ctx, base: base, found: &Found{Several: len(paths) > 1}}
	for _, path := range paths {
		if err := w.path(path); err != nil {
			return nil, err
		}
	}
	if len(paths) > 1 {
		w.found.Files = unique(w.found.Files)
		w.found.Passed = skipped(w.found)
	}
	return w.found, nil
}

// Named is the file that a path names, whatever there is.
func (f *Finder) Named(path string) (File, error) {
	base, err := filepath.Abs(f.Dir)
	if err != nil {
		return File{}, err
	}
	w := &walk{Finder: f, base: base, found: &Found{}}
	if path == "-" {
		w.stdin()
	} else {
		w.named(w.opened(path))
	}
	return w.found.Files[0], nil
}

// walk is one search.
type walk struct {
	*Finder
	ctx   context.Context
	base  string // Dir, absolute
	found *Found
}

func (w *walk) path(path string) error {
	if path == "-" {
		w.stdin()
		return nil
	}
	if strings.Contains(path, "://") {
		w.problem(path, diag.Input(path, "curl -fsSL "+path+" | fctl do -f - FUNCTION", errors.New("URLs are not supported; fctl never uses the network")))
		return nil
	}
	opened := w.opened(path)
	info, err := os.Stat(opened)
	switch {
	case err != nil && IsPattern(path) && errors.Is(err, fs.ErrNotExist):
		w.found.Several = true
		return w.glob(path)
	case err != nil:
		w.problem(opened, located(diag.FileName(opened), err))
	case !info.IsDir():
		w.named(opened)
	default:
		w.found.Several = true
		d, err := w.top(opened)
		if err != nil {
			w.problem(opened, err)
			return nil
		}
		d.whole = true
		return w.directory(d, nil)
	}
	return nil
}

// opened is the path of a word of the command line, from where the process is.
func (w *walk) opened(path string) string {
	if w.Dir == "" || filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(w.Dir, path)
}

func (w *walk) stdin() {
	w.found.Files = append(w.found.Files, File{Path: "-", Rel: "-", Unit: "stdin", Named: true})
}

func (w *walk) named(path string) {
	rel := w.rel(path, filepath.Dir(path))
	w.found.Files = append(w.found.Files, File{Path: path, Rel: rel, Unit: unitName(rel), Named: true})
}

func (w *walk) problem(path string, err error) {
	rel := w.rel(path, filepath.Dir(path))
	w.found.Files = append(w.found.Files, File{Path: path, Rel: rel, Unit: unitName(rel), Problem: err})
}

func (w *walk) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// rel is the name of a path: relative to Dir when it is below that, else to
// the directory given.
func (w *walk) rel(path, dir string) string {
	for _, from := range []string{w.base, w.abs(dir)} {
		if rel, err := filepath.Rel(from, w.abs(path)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(filepath.Base(path))
}

// directory is a directory that is looked into.
type directory struct {
	path   string // as it is opened
	cut    int    // what is behind this in paths below it are the names of units
	abs    string // for patterns
	ignore ignore // what stands in the directories above it
	whole  bool   // all its files count, whatever the pattern says
}

// top is the directory where a search starts.
func (w *walk) top(path string) (directory, error) {
	// The name is the end of the path, with whatever that begins.
	d := directory{path: path, abs: filepath.ToSlash(w.abs(path))}
	if rel := w.rel(path, path); rel == "." {
		d.cut = len(join(path, ""))
	} else {
		d.cut = len(path) - len(rel)
	}
	var err error
	for _, above := range w.above(w.abs(path)) {
		if d.ignore, err = d.ignore.in(above, filepath.ToSlash(above)); err != nil {
			return d, located(diag.FileName(above), err)
		}
	}
	return d, nil
}

// above are the directories above dir whose patterns count for it, the
// uppermost first: those of its repository, or when it is in none those from
// Dir on.
func (w *walk) above(dir string) []string {
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

// directory finds what is in a directory: all its files, and those at whatever
// depth that match the pattern, if there is one.
func (w *walk) directory(d directory, g *glob) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		w.problem(d.path, located(diag.FileName(d.path), err))
		return nil
	}
	for _, name := range []string{fctlIgnore, gitIgnore} {
		if _, has := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }); !has {
			continue
		}
		if d.ignore, err = d.ignore.in(d.path, d.abs); err != nil {
			w.problem(d.path, located(diag.FileName(d.path), err))
			return nil
		}
		break
	}
	for _, e := range entries {
		if err := w.entry(d, e, g); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(d directory, e fs.DirEntry, g *glob) error {
	name, isDir := e.Name(), e.IsDir()
	switch {
	case isDir && isRepository(name), name == fctlIgnore, name == gitIgnore, name == settingsFile:
		return nil
	case !isDir && w.Temporary != nil && w.Temporary(name):
		return nil
	}
	abs := ""
	if isDir || g != nil || !d.ignore.empty() {
		abs = strings.TrimSuffix(d.abs, "/") + "/" + name
	}
	if d.ignore.ignored(abs, isDir) {
		return nil
	}
	path := join(d.path, name)
	if isDir {
		whole := d.whole && w.Recursive || g.matches(abs)
		if !whole && !g.leadsInto(abs) {
			return nil
		}
		return w.directory(directory{path: path, cut: d.cut, abs: abs, ignore: d.ignore, whole: whole}, g)
	}
	byPattern := g.matches(abs)
	if !d.whole && !byPattern {
		return nil
	}
	format := w.format(byPattern)
	if why := w.passes(name, e.Type(), byPattern, format); why != "" {
		w.found.Passed = append(w.found.Passed, Passed{path, why})
		return nil
	}
	rel := filepath.ToSlash(path[d.cut:])
	w.found.Files = append(w.found.Files, File{Path: path, Rel: rel, Unit: unitName(rel), Format: format})
	return nil
}

// format is the toolchain that a file must have to be taken; empty takes all.
func (w *walk) format(byPattern bool) api.ToolchainType {
	if byPattern || w.AnyFormat {
		return ""
	}
	return cmp.Or(w.Toolchain, api.ToolchainKubernetesYAML)
}

// join is filepath.Join of clean paths.
func join(dir, name string) string {
	switch {
	case dir == ".":
		return name
	case os.IsPathSeparator(dir[len(dir)-1]):
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// settingsFile is ours: it is about the files around it.
const settingsFile = ".fctl.yaml"

// isRepository tells which directories belong to version control.
func isRepository(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// passes tells why a file that was found is not read.
func (w *walk) passes(name string, mode fs.FileMode, byPattern bool, format api.ToolchainType) Reason {
	switch {
	case mode&fs.ModeSymlink != 0:
		return IsLink
	case mode.Type() != 0:
		return NotRegular
	case w.Toolchain != "" && byPattern:
		return "" // the pattern says what is meant
	}
	toolchains := functions.ToolchainsOf(name)
	switch {
	case len(toolchains) == 0:
		return OtherExtension
	case format != "" && !slices.Contains(toolchains, format):
		return OtherFormat
	}
	return ""
}

// skipped are the files that were skipped wherever they were found, each of them once.
func skipped(found *Found) []Passed {
	seen := map[string]bool{}
	for _, f := range found.Files {
		seen[f.Path] = true
	}
	return slices.DeleteFunc(found.Passed, func(p Passed) bool {
		known := seen[p.Path]
		seen[p.Path] = true
		return known
	})
}

// unique leaves each file where it came first. A file that is named, or that a
// pattern matches, counts as such even where it was found before.
func unique(files []File) []File {
	dirs := map[string]string{} // without symbolic links
	identity := func(f File) string {
		if f.Problem != nil || f.Path == "-" {
			return f.Path
		}
		if f.Named {
			if real, err := filepath.EvalSymlinks(f.Path); err == nil {
				f.Path = real
			}
		}
		dir := filepath.Dir(f.Path)
		real, known := dirs[dir]
		if !known {
			real = dir
			if evaluated, err := filepath.EvalSymlinks(dir); err == nil {
				real = evaluated
			}
			if abs, err := filepath.Abs(real); err == nil {
				real = abs
			}
			dirs[dir] = real
		}
		return join(real, filepath.Base(f.Path))
	}
	first := map[string]int{}
	kept := files[:0]
	for _, f := range files {
		id := identity(f)
		if i, twice := first[id]; twice {
			kept[i].Named = kept[i].Named || f.Named
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
