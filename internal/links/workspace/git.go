package workspace

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/lineage"
	"github.com/fctl-dev/fctl/internal/links/rules"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// A workspace in a git work tree has its history in git. The definition of a link that merges names
// what was merged last, its base, by git's hash (Link.Merged), so that whoever has the repository can
// go on from there. What is below privateDir is a cache then.

// basesFolder has bases that git lacks, in files named by their hashes. They never change.
const basesFolder = "bases"

func baseFile(hash string) string { return path.Join(basesFolder, hash) }

// git returns the repository whose work tree the workspace is in, or nil.
func (s *Store) git() *gitfiles.Repository {
	s.gitOnce.Do(func() {
		full, err := filepath.Abs(s.dir)
		for err == nil {
			if _, err := os.Lstat(filepath.Join(full, ".git")); err == nil {
				break
			}
			if filepath.Dir(full) == full {
				return
			}
			full = filepath.Dir(full)
		}
		if r, err := gitfiles.Open(context.Background(), s.dir); err == nil {
			s.repository = r
		}
	})
	return s.repository
}

// InGit reports whether the workspace is in a work tree of git.
func (s *Store) InGit() bool { return s.git() != nil }

// IsCommitted reports whether the working copy of a unit is as the last commit has it, in either
// layout.
func (s *Store) IsCommitted(u *Unit) bool {
	if s.git() == nil {
		return false
	}
	if s.committed == nil {
		s.committed = map[string]string{}
		ctx := context.Background()
		if tree, ok := s.git().Tree(ctx, "HEAD"); ok {
			all, _ := s.git().Files(ctx, tree) // without them nothing counts as committed
			for i := range all {
				s.committed[all[i].Path] = all[i].Hash
			}
		}
	}
	data, err := s.Working(u)
	return err == nil && data != nil && slices.ContainsFunc(u.dataFiles(), func(file string) bool {
		name, err := s.git().Path(file)
		return err == nil && gitfiles.HasHash(s.committed[name], data)
	})
}

// IsMerged reports whether the data that a link would merge is that which git gives a hash to.
func (s *Store) IsMerged(l *Link, name string) bool {
	data, err := s.upstreamNow(l)
	return err == nil && gitfiles.HasHash(name, data)
}

// upstreamNow returns the data that a link would merge.
func (s *Store) upstreamNow(l *Link) ([]byte, error) {
	if l.UseLiveState {
		return s.Version(l.To, l.To.HeadUnitActionNum, true)
	}
	return s.Working(l.To)
}

// Base returns the data of the upstream unit of a link that git gives a hash to.
func (s *Store) Base(l *Link, name string) ([]byte, error) {
	has := func(data []byte, err error) bool {
		return err == nil && data != nil && gitfiles.HasHash(name, data)
	}
	if data, err := s.upstreamNow(l); has(data, err) {
		return data, nil
	}
	if data, err := s.readIf(baseFile(name)); has(data, err) {
		return data, nil
	} else if data != nil {
		return nil, s.fail(baseFile(name), entity.CodeState, "the file has other data than its "+
			"name says").WithHint("restore it, for example with 'git checkout HEAD -- " +
			s.position(baseFile(name)).File + "'")
	}
	n := l.To.HeadRevisionNum
	if l.UseLiveState {
		n = l.To.HeadUnitActionNum
	}
	for ; n > 0; n-- {
		if data, err := s.Version(l.To, n, l.UseLiveState); has(data, err) {
			return data, nil
		}
	}
	e := l.Fail(entity.CodeRevisionMissing, "%s was merged at %s, which is in no commit here",
		l.To.Name(), name)
	e.Pos = s.definedIn(&l.definedAt)
	r := s.git()
	if r == nil {
		return nil, e.WithHint("go on in a git work tree, or " + makeCurrentHint(l))
	}
	found, err := r.Blobs(context.Background(), []string{name}, entity.MaxData)
	if data := found[name].Data; gitfiles.HasHash(name, data) {
		return data, nil
	}
	if fetch := r.Lacks(context.Background()); fetch != "" {
		return nil, e.WithHint("'" + fetch + "' completes this clone")
	}
	if err != nil {
		e.Message += ": " + err.Error()
	}
	return nil, e.WithHint("fetch the branch that has it, for example with 'git fetch origin " +
		"\"+refs/heads/*:refs/remotes/origin/*\"'; otherwise " + makeCurrentHint(l))
}

func makeCurrentHint(l *Link) string {
	return "'fctl link update --patch " + l.Slug + " --space " + l.SpaceSlug +
		" --make-current' starts from the present"
}

// WriteMerged adds to the transaction the parts that git keeps: in the definitions of links what they have
// merged last and, where no commit will have that, files with it. It does nothing outside git.
func (t *Tx) WriteMerged(w *Workspace) error {
	s := t.store
	var links, left []*Link
	named := map[string]bool{}
	for _, l := range w.Links {
		if !l.Merges() || l.To == nil {
			continue
		}
		_, recorded := t.files[recordFile(l)]
		foreign := l.Merged != "" && l.MergedBlob == "" // its base is not known here
		if l.UpstreamLastMergedRevisionNum > 0 && !foreign && (recorded || l.Merged == "") {
			links = append(links, l)
		}
	}
	if len(links)+len(t.Revised) == 0 || s.git() == nil {
		return t.err
	}
	for _, l := range links {
		data, err := s.Version(l.To, l.UpstreamLastMergedRevisionNum, l.UseLiveState)
		if err != nil || !l.HasMerged(data) {
			continue // nothing tells what was merged
		}
		if was := l.Merged; s.git().Hash(data) != was {
			l.Merged = s.git().Hash(data)
			t.fail(t.writeDefinition(l))
		}
		if l.MergedBlob != l.Merged {
			l.MergedBlob = l.Merged
			t.WriteState(l)
		}
	}
	revised := map[*Unit]bool{}
	for _, u := range t.Revised {
		revised[u] = true
	}
	for _, l := range w.Links {
		if l.Merged == "" || l.To == nil {
			continue
		}
		named[l.Merged] = true
		if (revised[l.To] || slices.Contains(links, l)) && !s.IsMerged(l, l.Merged) {
			left = append(left, l)
		}
	}
	return t.keepBases(left, named)
}

// dataFiles returns the paths that the data of a unit has in both layouts, the present one first: an
// earlier commit may have the other one.
func (u *Unit) dataFiles() []string {
	base, end := unitBase(u.SpaceSlug, u.Slug), "."+rules.Extension(u.ToolchainType)
	if u.DataFile() == base+end {
		return []string{base + end, base + "/data" + end}
	}
	return []string{base + "/data" + end, base + end}
}

// MergedInGit returns the texts that were merged into the data of units, see lineage.Merged.
func (s *Store) MergedInGit(links []*Link) map[*Link]string {
	of := map[*lineage.Trace]*Link{}
	var traces []*lineage.Trace
	for _, l := range links {
		if l.Merged == "" || l.From == nil || s.git() == nil {
			continue
		}
		data, _ := s.Working(l.From) // no commit has data that cannot be read
		t := &lineage.Trace{
			Name: l.Slug, Now: s.git().Hash(data), Lines: inSpaces(linksPath(l.SpaceSlug)),
			File: inSpaces(definitionFile(entity.KindLink, l.SpaceSlug, l.Slug)),
		}
		for _, file := range l.From.dataFiles() {
			t.Data = append(t.Data, inSpaces(file))
		}
		of[t], traces = l, append(traces, t)
	}
	merged := map[*Link]string{}
	if len(traces) > 0 {
		for t, hash := range lineage.Merged(context.Background(), s.git(), spacesDir, traces) {
			merged[of[t]] = hash
		}
	}
	return merged
}

func inSpaces(file string) string { return strings.TrimPrefix(file, spacesDir+"/") }

// keepBases writes the bases of links that no commit has to files, and deletes those that no link names.
func (t *Tx) keepBases(links []*Link, named map[string]bool) error {
	s := t.store
	missing := map[string][]byte{}
	for _, l := range links {
		if was, err := s.readIf(baseFile(l.Merged)); err != nil || was != nil {
			continue
		}
		if data, err := s.Base(l, l.Merged); err == nil {
			missing[l.Merged] = data
		}
	}
	if len(missing) > 0 {
		// An empty repository has no history; then everything is missing.
		_ = s.git().History(context.Background(), spacesDir, func(c gitfiles.FileCommit) bool {
			delete(missing, c.Hash)
			return len(missing) > 0
		})
	}
	for name, data := range missing {
		mode := umask()
		if s.Secret == nil || slices.ContainsFunc(links, func(l *Link) bool {
			return l.Merged == name && s.Secret(l.To, data)
		}) {
			mode = 0o600
		}
		t.writeFile(baseFile(name), data, "", mode)
	}
	entries, err := s.entries(basesFolder, func(mode os.FileMode) bool { return mode.IsRegular() })
	for _, e := range entries {
		if gitfiles.IsHash(e.Name()) && !named[e.Name()] {
			t.delete(baseFile(e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return t.err
}

// mostCommits is how many commits of a unit become revisions.
const mostCommits = 16

// ReadHistory makes the commits of units that have no history here their revisions. What cannot be
// read is left out.
func (t *Tx) ReadHistory(engine Recorder, units []*Unit) {
	s := t.store
	fresh := map[string]*Unit{} // by data file
	for _, u := range units {
		if u.HeadRevisionNum == 0 && t.files[u.DataFile()] == nil {
			for _, file := range u.dataFiles() {
				fresh[inSpaces(file)] = u
			}
		}
	}
	if len(fresh) == 0 || s.git() == nil {
		return
	}
	commits, err := lineage.Commits(context.Background(), s.git(), spacesDir, fresh, mostCommits)
	if err != nil {
		return
	}
	var wanted []gitfiles.RevisionFile
	var of []*Unit
	var changes []gitfiles.FileCommit
	for _, u := range units {
		for _, c := range slices.Backward(commits[u]) {
			wanted = append(wanted, gitfiles.RevisionFile{Path: c.Path, Hash: c.Hash})
			of, changes = append(of, u), append(changes, c)
		}
		delete(commits, u)
	}
	var sources api.ResourceMutationList
	var before []byte
	_ = s.git().Contents(context.Background(), wanted, entity.MaxData,
		func(i int, data []byte, tooLarge bool) {
			u, c := of[i], &changes[i]
			if i == 0 || of[i-1] != u {
				sources, before = nil, nil
			}
			if tooLarge {
				return
			}
			next, _, err := engine.Accumulate(
				u.ToolchainType, sources, before, data, u.HeadMutationNum+1, false)
			if err != nil {
				return
			}
			t.addRevision(u, NewRevision{
				Data: data, Source: entity.SourceEdit, At: c.Time,
				Description: "commit " + c.Commit[:min(10, len(c.Commit))] + ": " + c.Subject,
				Mutations:   []entity.Mutation{{}}, Sources: next,
			})
			sources, before = next, data
		})
}

// RevisionWith returns the number of the revision of a unit that has some data or, with live, of the
// capture of its live state. If there is none it is made, before the head.
func (t *Tx) RevisionWith(u *Unit, data []byte, live bool) (int64, error) {
	s := t.store
	head := u.HeadRevisionNum
	if live {
		head = u.HeadUnitActionNum
	}
	for n := head; n > 0; n-- {
		if live {
			if was, err := s.Live(u, n); err == nil && bytes.Equal(was, data) {
				return n, nil
			}
		} else if r, err := s.Revision(u, n); err == nil && r.DataHash == hash(data) {
			return n, nil
		}
	}
	now, err := s.Version(u, head, live)
	if err != nil {
		return 0, err
	}
	if live {
		t.WriteLive(u, data)
		if head > 0 {
			t.WriteLive(u, now)
		}
		return head + 1, nil
	}
	sources, err := s.Sources(u, head)
	if err != nil {
		return 0, err
	}
	for _, r := range []NewRevision{
		{Data: data, Description: "merged by a link, from git"},
		{Data: now, Description: u.LastChangeDescription, Sources: sources},
	} {
		r.Source = entity.SourceEdit
		t.addRevision(u, r)
	}
	return head + 1, t.err
}
