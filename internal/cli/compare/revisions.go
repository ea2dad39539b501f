package compare

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
	"github.com/fctl-dev/fctl/internal/source"
)

// revisions are the sides of a comparison in git.
type revisions struct {
	repository *gitfiles.Repository
	sides      []revision // one is compared with the working tree
	paths      []string   // from the root of the repository
}

// revision is a revision as the user wrote it, and its tree.
type revision struct{ name, tree string }

// revisions returns the revisions that words name, or nil if they name files. As with git, a word
// that is a file is one, and words after -- are paths.
func (c *diffRun) revisions(ctx context.Context, words []string, dash int) (*revisions, error) {
	heads, paths := words, []string(nil)
	explicit := dash > 0
	if explicit {
		heads, paths = words[:dash], words[dash:]
	}
	if len(heads) == 0 || !explicit && c.areFiles(heads) {
		return nil, nil
	}
	dir := cmp.Or(c.app.Dir, ".")
	repository, err := gitfiles.Open(ctx, dir)
	if explicit && len(heads) == 2 && len(paths) > 0 && c.exists(heads[0]) && c.exists(heads[1]) {
		ofRevisions := err == nil
		for _, word := range heads {
			found, err := []revision(nil), err
			if err == nil {
				found, err = (&revisions{repository: repository}).resolve(ctx, word)
			}
			ofRevisions = ofRevisions && err == nil && found != nil
		}
		if !ofRevisions {
			return nil, diag.UsageHint("fctl diff "+path.Join(heads[0], paths[0])+" "+
				path.Join(heads[1], paths[0]),
				"-- PATH is for git revisions, and %s and %s are files or directories", heads[0], heads[1])
		}
	}
	if err != nil {
		if !explicit && (len(words) == 2 || c.exists(words[0])) { // the words were meant as files
			return nil, nil
		}
		return nil, err
	}
	r := &revisions{repository: repository}
	for i, word := range heads {
		found, err := r.resolve(ctx, word)
		if err != nil {
			return nil, err
		}
		switch {
		case found == nil && i == 0 && !explicit && (len(words) == 2 || c.exists(word)):
			return nil, nil
		case found == nil && (i == 0 || explicit):
			hint := cmp.Or(repository.Missing(ctx), "'git log --oneline' shows the revisions")
			return nil, diag.Input("", hint,
				errors.New(diag.Printable(word)+" is neither a file nor a git revision"))
		case found == nil || !explicit && i > 0 && c.exists(word):
			paths = heads[i:]
		default:
			r.sides = append(r.sides, found...)
			continue
		}
		break
	}
	if len(r.sides) > 2 {
		return nil, diag.UsageHint("fctl diff REVISION REVISION -- PATH...",
			"two revisions are compared, got %d", len(r.sides))
	}
	if !explicit && len(r.sides) == 1 && c.exists(heads[0]) {
		return nil, diag.UsageHint("fctl diff "+heads[0]+" --",
			"%s is a file and a git revision", heads[0])
	}
	for _, word := range paths {
		rel, err := repository.Path(word)
		if err != nil {
			return nil, err
		}
		r.paths = append(r.paths, rel)
	}
	return r, nil
}

// areFiles reports whether two words name files, or one names a file where two are needed.
func (c *diffRun) areFiles(words []string) bool {
	return len(words) == 2 && c.exists(words[0])
}

func (c *diffRun) exists(word string) bool {
	_, err := os.Stat(source.InDirectory(c.app.Dir, word))
	return word == "-" || err == nil
}

// resolve returns the revisions of a word: one, two for A..B and A...B, and none if the word is not
// a revision.
func (r *revisions) resolve(ctx context.Context, word string) ([]revision, error) {
	one := func(name string) *revision {
		tree, ok := r.repository.Tree(ctx, name)
		if !ok {
			return nil
		}
		return &revision{name, tree}
	}
	a, b, isRange := strings.Cut(word, "..")
	b, diverged := strings.CutPrefix(b, ".")
	a, b = cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD")
	var from, to *revision
	if isRange {
		from, to = one(a), one(b)
	}
	if from == nil || to == nil {
		// git would take all between @{ and the last brace of a range for a date.
		if isRange && strings.Contains(word, "@{") {
			return nil, nil
		}
		if found := one(word); found != nil {
			return []revision{*found}, nil
		}
		return nil, nil
	}
	if diverged {
		base, err := r.repository.MergeBase(ctx, a, b)
		if err != nil {
			return nil, err
		}
		from.tree, _ = r.repository.Tree(ctx, base)
	}
	return []revision{*from, *to}, nil
}

// compareRevisions reads the files that differ between two revisions, or between one and the
// working tree, and pairs them.
func (c *diffRun) compareRevisions(ctx context.Context, r *revisions) error {
	c.several = true
	var listed [2][]gitfiles.RevisionFile
	for i, s := range r.sides {
		var err error
		if listed[i], err = r.repository.Files(ctx, s.tree); err != nil {
			return err
		}
	}
	if len(r.sides) == 1 {
		tracked, untracked, err := r.repository.Tracked(ctx)
		if err != nil {
			return err
		}
		listed[1] = tracked
		if err := c.countUntracked(r, untracked); err != nil {
			return err
		}
	}
	if err := c.checkPaths(r, listed); err != nil {
		return err
	}
	differ, err := c.filter(r, r.candidates(listed))
	if err != nil {
		return err
	}
	sides := [2]side{{}, {}}
	if len(r.sides) == 1 {
		differ[0], err = c.readWorkingTree(ctx, r, differ[0], differ[1], sides[1])
	} else {
		err = c.readRevision(ctx, r, 1, differ[1], sides[1])
	}
	if err == nil {
		err = c.readRevision(ctx, r, 0, differ[0], sides[0])
	}
	if err != nil {
		return err
	}
	c.pairUp(sides[0], sides[1])
	c.pairs = slices.DeleteFunc(c.pairs, func(p pair) bool {
		return !gitfiles.Within(p.path, r.paths) && !gitfiles.Within(p.from, r.paths)
	})
	return nil
}

// countUntracked counts the files that would be compared if git tracked them.
func (c *diffRun) countUntracked(r *revisions, untracked []string) error {
	rules := c.listed(r)
	for _, path := range untracked {
		why, excluded, err := rules.Skip(path)
		if err != nil {
			return err
		}
		if gitfiles.Within(path, r.paths) && why == "" && !excluded {
			c.untracked++
		}
	}
	return nil
}

// listed decides which files of the repository are compared.
func (c *diffRun) listed(r *revisions) *source.Listed {
	return &source.Listed{
		Root: r.repository.Root(), Toolchain: c.reader.Toolchain, Formats: c.reader.Formats,
	}
}

// candidates returns the files at the paths, and those that only one side has: a file at a path may
// have been renamed from one of them.
func (r *revisions) candidates(
	listed [2][]gitfiles.RevisionFile,
) (kept [2][]gitfiles.RevisionFile) {
	if len(r.paths) == 0 {
		return listed
	}
	var paths [2]map[string]bool
	for i, files := range listed {
		paths[i] = map[string]bool{}
		for _, f := range files {
			paths[i][f.Path] = true
		}
	}
	for i, files := range listed {
		for _, f := range files {
			if gitfiles.Within(f.Path, r.paths) || !paths[1-i][f.Path] {
				kept[i] = append(kept[i], f)
			}
		}
	}
	return kept
}

// checkPaths returns an error if neither side has a path.
func (c *diffRun) checkPaths(r *revisions, listed [2][]gitfiles.RevisionFile) error {
	var problems diag.List
	for _, p := range r.paths {
		known := func(f gitfiles.RevisionFile) bool { return gitfiles.Within(f.Path, []string{p}) }
		if !slices.ContainsFunc(listed[0], known) && !slices.ContainsFunc(listed[1], known) {
			problems = append(problems, diag.Input(r.onDisk(p), "",
				errors.New("neither side has such a file")))
		}
	}
	return problems.Err()
}

// filter returns the files of each side that are configuration and do not have the same content in
// both revisions.
func (c *diffRun) filter(r *revisions, listed [2][]gitfiles.RevisionFile) (
	differ [2][]gitfiles.RevisionFile, err error,
) {
	rules := c.listed(r)
	same := map[gitfiles.RevisionFile]bool{}
	if len(r.sides) == 2 {
		for _, f := range listed[0] {
			same[f] = true
		}
	}
	equal := map[gitfiles.RevisionFile]bool{}
	skipped := map[string]bool{}
	for i, files := range [2][]gitfiles.RevisionFile{listed[1], listed[0]} {
		for _, f := range files {
			if i == 0 && same[f] {
				equal[f] = true
			}
			asked := gitfiles.Within(f.Path, r.paths)
			why, excluded, err := rules.Skip(f.Path)
			if err != nil {
				return differ, err
			}
			switch {
			case f.Type == gitfiles.Link:
				why = source.IsLink
			case f.Type == gitfiles.Submodule:
				why = source.NotRegular
			}
			switch {
			case excluded:
				if asked && !equal[f] && !slices.Contains(c.excluded, f.Path) {
					c.excluded = append(c.excluded, f.Path)
				}
			case why == "" && !equal[f]:
				differ[1-i] = append(differ[1-i], f)
			case why == source.OtherExtension && len(r.sides) == 1:
				// nobody knows whether it has changed
			case why != "" && asked && !equal[f] && !skipped[f.Path]:
				skipped[f.Path] = true
				c.skipped = append(c.skipped,
					source.Skipped{Path: r.onDisk(f.Path), Rel: f.Path, Reason: why})
			}
		}
	}
	return differ, nil
}

// readRevision reads files of a revision.
func (c *diffRun) readRevision(
	ctx context.Context,
	r *revisions,
	i int,
	files []gitfiles.RevisionFile,
	to side,
) error {
	return r.repository.Contents(ctx, files, c.reader.Limit(),
		func(n int, data []byte, tooLarge bool) {
			at := files[n].Path
			name := r.sides[i].name + ":" + at // as git show takes it
			if tooLarge {
				c.addGit(r, to, at, nil, c.reader.TooLarge(name))
				return
			}
			unit, err := c.reader.UnitOf(at, name, data)
			c.addGit(r, to, at, unit, err)
		})
}

// readWorkingTree reads files of the working tree. It returns the files of the revision, without
// those that have the same content.
func (c *diffRun) readWorkingTree(ctx context.Context, r *revisions,
	revision, files []gitfiles.RevisionFile, to side,
) (differ []gitfiles.RevisionFile, err error) {
	before := map[string]gitfiles.RevisionFile{}
	for _, f := range revision {
		before[f.Path] = f
	}
	same := map[string]bool{}
	for _, f := range files {
		path := r.repository.Shown(f.Path)
		data, err := c.reader.Bytes(ctx, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && before[f.Path].HasContent(data) {
			same[f.Path] = true
			continue
		}
		var unit *source.InputUnit
		if err == nil {
			unit, err = c.reader.UnitOf(path, diag.FileName(path), data)
		}
		c.addGit(r, to, f.Path, unit, err)
	}
	return slices.DeleteFunc(
		revision,
		func(f gitfiles.RevisionFile) bool { return same[f.Path] },
	), nil
}

// addGit adds a file that git lists. Nobody asked for it by its name, so a binary file is skipped.
// A problem with a file that is read only because it may have been renamed is not one of this
// comparison.
func (c *diffRun) addGit(r *revisions, to side, at string, unit *source.InputUnit, err error) {
	if !gitfiles.Within(at, r.paths) && (err != nil || source.CheckConflict(unit) != nil) {
		return
	}
	if errors.Is(err, source.ErrBinary) {
		skipped := source.Skipped{Path: r.onDisk(at), Rel: at, Reason: source.IsBinary}
		if !slices.Contains(c.skipped, skipped) {
			c.skipped = append(c.skipped, skipped)
		}
		return
	}
	if unit != nil {
		unit.Name = strings.TrimSuffix(at, path.Ext(at))
	}
	c.add(to, at, unit, err)
}

// onDisk returns the name of a file of the repository in messages.
func (r *revisions) onDisk(at string) string { return diag.FileName(r.repository.Shown(at)) }
