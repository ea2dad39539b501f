// Package lineage finds out in git which definition of a link belongs to the data of its unit. Whoever
// merges branches may take the data of one and the definition of the other.
//
// Layer: systems.
package lineage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/linkline"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// Trace is a link with the paths of its files, relative to the folder of Merged.
type Trace struct {
	Name string
	// Lines is the links file that may have the link, and File the definition of its own.
	Lines, File string
	Data        []string // the paths that the data of its unit may have
	Now         string   // the hash of that data in the work tree
}

// files returns all paths of the link.
func (t *Trace) files() []string { return append([]string{t.Lines, t.File}, t.Data...) }

// merge is a commit that changed the files of a link.
type merge struct {
	gitfiles.FileCommit
	line    string // the hash that the definition names after the commit
	defined bool   // the commit left a definition
	data    string // the hash of the data of its unit, "" if the commit left it alone
}

// Merged returns the texts that were merged into the data of units below a folder of a repository, as
// the definitions of links said where that data comes from: in the last commit, or in the commit of
// another branch that somebody has taken the data from. Links with other data are left out.
func Merged(
	ctx context.Context, repository *gitfiles.Repository, folder string, links []*Trace,
) map[*Trace]string {
	merged := map[*Trace]string{}
	r := &reader{
		repository: repository, folder: folder,
		blobs: map[string]gitfiles.BlobText{}, lines: map[string]map[string]string{},
	}
	traces := map[string][]gitfiles.FileCommit{} // newest first
	others := links
	for _, commit := range []string{
		"HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD",
	} {
		if r.read(ctx, r.names(others, commit)) != nil {
			return merged
		}
		others = slices.DeleteFunc(slices.Clone(others), func(l *Trace) bool {
			line, ok := r.line(l, r.in(commit, l.Lines), r.in(commit, l.File))
			if !ok || line == "" || r.data(l, commit) != l.Now {
				return false
			}
			merged[l] = line
			if commit == "HEAD" {
				for _, name := range l.files() {
					traces[name] = nil
				}
			}
			return true
		})
	}
	r.fromBranches(ctx, others, merged)
	branched, order := false, map[string]int{}
	err := repository.History(ctx, folder, func(c gitfiles.FileCommit) bool {
		if list, ours := traces[c.Path]; ours {
			branched = branched || c.Merged
			traces[c.Path] = append(list, c)
			if _, known := order[c.Commit]; !known {
				order[c.Commit] = len(order)
			}
		}
		return len(traces) > 0
	})
	if err != nil || !branched {
		return merged // without merges of branches the last definition is that of the data
	}
	var names []string
	committed := slices.DeleteFunc(slices.Clone(links), func(l *Trace) bool {
		return r.data(l, "HEAD") != l.Now || merged[l] == ""
	})
	for _, l := range committed {
		for _, c := range slices.Concat(traces[l.Lines], traces[l.File]) {
			names = append(names, c.Hash)
		}
	}
	if r.read(ctx, names) != nil {
		return merged
	}
	lists := map[*Trace][]merge{}
	names = names[:0]
	for _, l := range committed {
		lists[l] = r.commits(l, traces, order)
		for i := range lists[l] {
			if c := &lists[l][i]; c.Merged {
				for _, file := range l.files() {
					names = append(names, r.in(c.Commit+"^2", file))
				}
			}
		}
	}
	if r.read(ctx, names) != nil {
		return merged
	}
	for l, list := range lists {
		if line := r.belongs(l, list); line != "" {
			merged[l] = line
		}
	}
	return merged
}

// reader has files of git, by their names, and the hashes in links files.
type reader struct {
	repository *gitfiles.Repository
	folder     string
	blobs      map[string]gitfiles.BlobText
	lines      map[string]map[string]string // by blob and link
}

// in names a file as a commit has it.
func (r *reader) in(commit, file string) string {
	name, _ := r.repository.Path(r.folder)
	return commit + ":" + strings.TrimPrefix(name+"/"+file, "./")
}

// names returns the names of the files of links as a commit has them.
func (r *reader) names(links []*Trace, commit string) (names []string) {
	for _, l := range links {
		for _, file := range l.files() {
			names = append(names, r.in(commit, file))
		}
	}
	return names
}

// data returns the hash of the data of a link's unit as a commit has it.
func (r *reader) data(l *Trace, commit string) string {
	for _, file := range l.Data {
		if blob, ok := r.blobs[r.in(commit, file)]; ok {
			return blob.Hash
		}
	}
	return ""
}

// fromBranches adds the links of units whose data is in the work tree as a commit of any branch left
// it, as after 'git checkout BRANCH -- FILE'. Data that git does not have was edited.
func (r *reader) fromBranches(ctx context.Context, links []*Trace, merged map[*Trace]string) {
	var names []string
	for _, l := range links {
		names = append(names, l.Now)
	}
	if r.read(ctx, names) != nil {
		return
	}
	at := map[string][]*Trace{} // by path and hash
	for _, l := range links {
		if _, has := r.blobs[l.Now]; has {
			for _, file := range l.Data {
				at[file+" "+l.Now] = append(at[file+" "+l.Now], l)
			}
		}
	}
	if len(at) == 0 {
		return
	}
	from := map[*Trace]string{}
	_ = r.repository.AllHistory(ctx, r.folder, func(c gitfiles.FileCommit) bool {
		for _, l := range at[c.Path+" "+c.Hash] {
			from[l] = cmp.Or(from[l], c.Commit)
		}
		return true
	})
	names = names[:0]
	for l, commit := range from {
		names = append(names, r.names([]*Trace{l}, commit)...)
	}
	if r.read(ctx, names) != nil {
		return
	}
	for l, commit := range from {
		if line, ok := r.line(l, r.in(commit, l.Lines), r.in(commit, l.File)); ok && line != "" {
			merged[l] = line
		}
	}
}

// read adds files.
func (r *reader) read(ctx context.Context, names []string) error {
	asked := map[string]bool{"": true}
	var missing []string
	for _, name := range names {
		if _, known := r.blobs[name]; !known && !asked[name] {
			asked[name] = true
			missing = append(missing, name)
		}
	}
	found, err := r.repository.Blobs(ctx, missing, entity.MaxData)
	maps.Copy(r.blobs, found)
	return err
}

// line returns the hash that a link has in one of two files: a links file, or one of its own. It
// reports false if neither has the link.
func (r *reader) line(l *Trace, lines, file string) (string, bool) {
	if blob, ok := r.blobs[lines]; ok {
		if r.lines[blob.Hash] == nil {
			all := map[string]string{}
			for line := range strings.Lines(string(blob.Data)) {
				if slug, text, _, ok := linkline.Cut(line); ok {
					_, hash, _ := strings.Cut(text+" ", " Merged=")
					all[slug], _, _ = strings.Cut(hash, " ")
				}
			}
			r.lines[blob.Hash] = all
		}
		if line, ok := r.lines[blob.Hash][l.Name]; ok {
			return line, true
		}
	}
	if blob, ok := r.blobs[file]; ok {
		return lineIn(blob.Data), true
	}
	return "", false
}

// commits returns the commits that changed the files of a link, newest first.
func (r *reader) commits(
	l *Trace, traces map[string][]gitfiles.FileCommit, order map[string]int,
) []merge {
	at := map[string]*merge{} // by commit
	of := func(c gitfiles.FileCommit) *merge {
		if at[c.Commit] == nil {
			at[c.Commit] = &merge{FileCommit: c}
		}
		return at[c.Commit]
	}
	define := func(c gitfiles.FileCommit, lines, file string) {
		if line, ok := r.line(l, lines, file); ok {
			of(c).line, of(c).defined = line, true
		}
	}
	for _, c := range traces[l.Lines] {
		define(c, c.Hash, "")
	}
	for _, c := range traces[l.File] {
		define(c, "", c.Hash)
	}
	for _, file := range l.Data {
		for _, c := range traces[file] {
			if c.Hash != "" {
				of(c).data = c.Hash
			}
		}
	}
	list := make([]merge, 0, len(at))
	for _, c := range at {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b merge) int { return order[a.Commit] - order[b.Commit] })
	return list
}

// belongs returns the hash in the definition of a link that belongs to the present data of its unit, ""
// if git does not know.
func (r *reader) belongs(l *Trace, list []merge) string {
	line := func(from int) string {
		for i := from; i < len(list); i++ {
			if list[i].defined {
				return list[i].line
			}
		}
		return ""
	}
	data := func(from int) string {
		for i := from; i < len(list); i++ {
			if list[i].data != "" {
				return list[i].data
			}
		}
		return ""
	}
	for i := range list {
		c, here := &list[i], line(i)
		moved := here != line(i+1)
		if !c.Merged {
			if moved {
				return here
			}
			continue
		}
		branch := func(file string) string { return r.in(c.Commit+"^2", file) }
		theirs := r.data(l, c.Commit+"^2")
		switch {
		case moved && c.data != "", moved && theirs == data(i):
			return here
		case moved: // the data is that of the first parent
		case c.data != "" && theirs == c.data:
			if other, _ := r.line(l, branch(l.Lines), branch(l.File)); other != "" && other != here {
				return other
			}
		}
	}
	return ""
}

// lineIn returns the hash in the definition of a link.
func lineIn(definition []byte) string {
	for line := range strings.Lines(string(definition)) {
		if value, ok := strings.CutPrefix(line, "Merged:"); ok {
			if value = strings.Trim(strings.TrimSpace(value), `"'`); gitfiles.IsHash(value) {
				return value
			}
		}
	}
	return ""
}

// Commits returns the commits that changed the data of units in a folder, newest first, at most as many
// of each. units has the units by the paths of their data; a commit may move data from one to another.
func Commits[U comparable](
	ctx context.Context, repository *gitfiles.Repository, folder string, units map[string]U, most int,
) (map[U][]gitfiles.FileCommit, error) {
	asked := map[U]bool{}
	for _, u := range units {
		asked[u] = true
	}
	commits := map[U][]gitfiles.FileCommit{}
	gone := map[U]string{} // the commit that deleted one of the paths
	err := repository.History(ctx, folder, func(c gitfiles.FileCommit) bool {
		u, ours := units[c.Path]
		if !ours || !asked[u] {
			return true
		}
		n := len(commits[u])
		switch {
		case n == most || gone[u] != "" && gone[u] != c.Commit:
			delete(asked, u) // before it comes an earlier unit of the same name
			return len(asked) > 0
		case c.Hash == "" && n > 0 && commits[u][n-1].Commit == c.Commit:
			// the commit moves the data
		case c.Hash == "":
			gone[u] = c.Commit
		case n > 0 && commits[u][n-1].Hash == c.Hash:
			commits[u][n-1] = c // the commit after it only moved the data
		default:
			commits[u] = append(commits[u], c)
		}
		if c.Hash != "" {
			delete(gone, u)
		}
		return true
	})
	return commits, err
}
