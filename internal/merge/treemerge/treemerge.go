// Package treemerge performs three-way merges of directories: of which files there are, where they
// are, what they contain, their permissions and where symbolic links lead.
//
// Its invariants:
//   - It reads and writes no files: trees come in as values, and a plan goes out as one.
//   - Nothing that one side did is lost without a conflict that says so.
//   - No symbolic link that may lead out of the directory is added to it.
//
// Layer: base.
package treemerge

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/merge/renames"
)

// TreeFile is a file of a tree.
type TreeFile struct {
	Data []byte // the target of a symbolic link, with slashes
	// Mode is the permissions of a file, fs.ModeSymlink for a symbolic link.
	Mode fs.FileMode
	// Format separates files that cannot be renamed versions of each other.
	Format string
	// Resources are the types and names of its resources, nil for a file without any.
	Resources []string
}

// IsLink reports whether the file is a symbolic link.
func (f *TreeFile) IsLink() bool { return f.Mode&fs.ModeSymlink != 0 }

// FileTree is the files of a directory by their paths, which have slashes.
type FileTree map[string]*TreeFile

// Sides is what Merge merges.
type Sides struct {
	Base, Ours, Theirs FileTree
	// Others are the paths in our directory of what is not in Ours, such as pipes. No file can be
	// added there.
	Others map[string]bool
	// Content merges the contents of a file that both sides changed, and returns how many conflicts
	// the text has. It gets no symbolic links. ok is false if the contents cannot be merged, such
	// as those of images. A base of nil means that both sides added the file.
	Content func(m *MergedFile) (text []byte, conflicts int, ok bool)
	// TakeTheirs puts their version of a file that we deleted and they changed into the result, so
	// that somebody can look at it. Otherwise the file stays deleted.
	TakeTheirs bool
}

// MergedFile is a file of the result.
type MergedFile struct {
	Path string
	Text []byte
	Mode fs.FileMode // as that of a File
	// Base, Ours and Theirs are the paths of the file in the three trees, empty where it is not.
	Base, Ours, Theirs string
}

// FileConflict is a decision about a file as a whole that two sides made differently. Conflicts
// inside of files are counted only.
type FileConflict struct {
	Path    string // in Ours, or in Theirs if we do not have the file
	Theirs  bool   // the path is one in Theirs
	Message string
}

// Result is what Merge returns.
type Result struct {
	Files     []MergedFile   // the whole result, by path
	Deleted   []string       // the paths of our files that are not in the result, even renamed
	Conflicts []FileConflict // about whole files
	Inside    int            // the number of conflicts inside of files
	// Complete is false if there were too many files to find all renamed ones.
	Complete bool
}

// Merge merges the changes from Base to Theirs into Ours:
//
//   - What one side did to a file is done: it is added, changed, deleted or renamed.
//   - A file that both sides changed, or that one side renamed and the other changed, has the
//     merged content, at the new path.
//   - Permissions and the targets of symbolic links are values: what one side changed is taken, and
//     it is a conflict if both changed them differently.
//   - It is a conflict if THEIRS has a symbolic link that may lead out of the directory and OURS
//     does not have it.
//   - It is a conflict if one side deleted what the other changed or renamed, if both renamed a
//     file differently, or if two files would have the same path. Our version then stays.
func Merge(in Sides) *Result {
	m := &treeMerger{
		Sides: in, taken: map[string]bool{}, above: map[string]bool{},
		usedOurs: map[string]bool{}, usedTheirs: map[string]bool{},
		result: &Result{Complete: true},
	}
	for at := range in.Others {
		m.take(at)
	}
	ours, theirs := m.renamed(in.Ours), m.renamed(in.Theirs)
	var tracked []MergedFile
	for _, base := range slices.Sorted(maps.Keys(in.Base)) {
		f := MergedFile{
			Base:   base,
			Ours:   at(in.Ours, base, ours),
			Theirs: at(in.Theirs, base, theirs),
		}
		m.usedOurs[f.Ours], m.usedTheirs[f.Theirs] = true, true
		tracked = append(tracked, f)
	}
	for _, path := range slices.Sorted(maps.Keys(in.Ours)) {
		if !m.usedOurs[path] {
			f := MergedFile{Ours: path}
			if in.Theirs[path] != nil && !m.usedTheirs[path] {
				f.Theirs, m.usedTheirs[path] = path, true
			}
			tracked = append(tracked, f)
		}
	}
	// Our paths come first: where two files want one path, ours stays.
	for i := range tracked {
		if f := &tracked[i]; f.Ours != "" && !m.movesAway(f) {
			m.take(f.Ours)
		}
	}
	for i := range tracked {
		m.file(&tracked[i])
	}
	for _, path := range slices.Sorted(maps.Keys(in.Theirs)) {
		if !m.usedTheirs[path] {
			m.add(&MergedFile{Theirs: path})
		}
	}
	slices.SortFunc(m.result.Files, func(a, b MergedFile) int {
		return strings.Compare(a.Path, b.Path)
	})
	slices.Sort(m.result.Deleted)
	return m.result
}

type treeMerger struct {
	Sides
	usedOurs, usedTheirs map[string]bool
	taken                map[string]bool // paths of the result and of what is not in Ours
	above                map[string]bool // the directories of what is taken
	result               *Result
}

// at returns the path that a file of the base has in a tree, empty if it is not there.
func at(tree FileTree, base string, renamed map[string]string) string {
	if tree[base] != nil {
		return base
	}
	return renamed[base]
}

// renamed returns the new paths of the files of the base that a side renamed.
func (m *treeMerger) renamed(side FileTree) map[string]string {
	to := map[string]string{}
	gone, added := only(m.Base, side), only(side, m.Base)
	for _, format := range slices.Sorted(maps.Keys(gone)) {
		pairs, complete := renames.Find(gone[format], added[format])
		m.result.Complete = m.result.Complete && complete
		for _, p := range pairs {
			to[gone[format][p.Old].Path] = added[format][p.New].Path
		}
	}
	return to
}

// only returns the files of a tree that another has not, by format and in the order of their paths.
func only(tree, other FileTree) map[string][]renames.LoneFile {
	files := map[string][]renames.LoneFile{}
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		if f := tree[path]; other[path] == nil {
			files[f.Format] = append(files[f.Format],
				renames.LoneFile{Path: path, Data: f.Data, Resources: f.Resources})
		}
	}
	return files
}

func (m *treeMerger) conflict(path string, theirs bool, message string) {
	m.result.Conflicts = append(m.result.Conflicts, FileConflict{path, theirs, message})
}

// movesAway reports whether a file of ours will not keep its path.
func (m *treeMerger) movesAway(f *MergedFile) bool {
	if f.Base == "" || f.Ours != f.Base {
		return false
	}
	if f.Theirs == "" {
		return m.same(m.Base[f.Base], m.Ours[f.Ours])
	}
	return f.Theirs != f.Base && m.isFree(f.Theirs) && !m.leadsOut(f)
}

// leadsOut reports whether a version of a file is a symbolic link that may lead out of the
// directory at its path in THEIRS.
func (m *treeMerger) leadsOut(f *MergedFile) bool {
	return leadsOut(f.Theirs, m.Ours[f.Ours]) || leadsOut(f.Theirs, m.Theirs[f.Theirs])
}

// same reports whether two versions of a file are the same.
func (*treeMerger) same(a, b *TreeFile) bool { return sameContent(a, b) && a.Mode == b.Mode }

// sameContent reports whether two files have the same content, or two links the same target.
func sameContent(a, b *TreeFile) bool {
	return a.IsLink() == b.IsLink() && bytes.Equal(a.Data, b.Data)
}

// take reserves a path of the result, or one of ours that is not a file.
func (m *treeMerger) take(at string) {
	m.taken[at] = true
	for dir := path.Dir(at); dir != "." && !m.above[dir]; dir = path.Dir(dir) {
		m.above[dir] = true
	}
}

// isFree reports whether nothing of ours is at a path, above it or below it.
func (m *treeMerger) isFree(at string) bool {
	if m.taken[at] || m.above[at] {
		return false
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		if m.taken[dir] {
			return false
		}
	}
	return true
}

// file merges a file that the base or we have.
func (m *treeMerger) file(f *MergedFile) {
	switch {
	case f.Base == "": // we added it
		m.put(f, f.Ours)
	case f.Ours == "" && f.Theirs == "":
	case f.Ours == "":
		m.deletedByUs(f)
	case f.Theirs == "":
		m.deletedByThem(f)
	case f.Theirs == f.Base, f.Theirs == f.Ours:
		m.put(f, f.Ours)
	case f.Ours != f.Base:
		m.conflict(f.Ours, false, "OURS renamed "+f.Base+" to this, THEIRS to "+f.Theirs)
		m.put(f, f.Ours)
	case m.isFree(f.Theirs) && m.leadsOut(f):
		m.conflict(f.Theirs, true, "THEIRS renamed "+f.Base+" to this; "+mayLeave)
		m.put(f, f.Ours)
	case m.isFree(f.Theirs):
		m.put(f, f.Theirs)
	default:
		m.conflict(f.Ours, false, "THEIRS renamed it to "+f.Theirs+", which OURS has already")
		m.put(f, f.Ours)
	}
}

func (m *treeMerger) deletedByUs(f *MergedFile) {
	what := "changed"
	switch same := m.same(m.Base[f.Base], m.Theirs[f.Theirs]); {
	case f.Theirs != f.Base && same:
		what = "renamed from " + f.Base
	case f.Theirs != f.Base:
		what = "renamed from " + f.Base + " and changed"
	case same:
		return
	}
	m.conflict(f.Theirs, true, "OURS deleted what THEIRS "+what)
	if m.TakeTheirs && m.isFree(f.Theirs) {
		m.put(f, f.Theirs)
	}
}

func (m *treeMerger) deletedByThem(f *MergedFile) {
	same := m.same(m.Base[f.Base], m.Ours[f.Ours])
	switch {
	case f.Ours == f.Base && same:
		m.result.Deleted = append(m.result.Deleted, f.Ours)
		return
	case f.Ours != f.Base:
		m.conflict(f.Ours, false, "THEIRS deleted what OURS renamed from "+f.Base)
	default:
		m.conflict(f.Ours, false, "THEIRS deleted what OURS changed")
	}
	m.put(f, f.Ours)
}

// add adds a file that only they have.
func (m *treeMerger) add(f *MergedFile) {
	if m.isFree(f.Theirs) {
		m.put(f, f.Theirs)
		return
	}
	why := "OURS has a file or directory of this name that BASE does not have"
	if m.Others[f.Theirs] {
		why = "OURS has a special file of this name"
	}
	m.conflict(f.Theirs, true, "THEIRS added it; "+why)
}

// put puts a file into the result.
func (m *treeMerger) put(f *MergedFile, at string) {
	f.Path = at
	from := m.content(f)
	if from == nil {
		return
	}
	m.take(at)
	f.Text, f.Mode = from.Data, from.Mode
	if !from.IsLink() {
		f.Mode = m.mode(f)
	}
	m.result.Files = append(m.result.Files, *f)
}
