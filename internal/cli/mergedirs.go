package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/compare"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
	"github.com/fctl-dev/fctl/internal/merge/treemerge"
	"github.com/fctl-dev/fctl/internal/source"
)

// onlyDirectories rejects the flags that mean nothing for files.
func (*mergeFlags) onlyDirectories(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("output-dir"):
		return diag.UsageHint("fctl merge BASE OURS THEIRS > FILE",
			"-O is for directories, and the words are files")
	case cmd.Flags().Changed("write-conflicts"):
		return diag.Usage("--write-conflicts is for directories; conflicts of files are always " +
			"written")
	}
	return nil
}

// treeMerging is one merge of directories.
type treeMerging struct {
	app     *command.App
	flags   *mergeFlags
	set     functionSet
	options textmerge.Options
	reader  *source.Reader

	dirs  [3]string // of BASE, OURS and THEIRS
	trees [3]map[string]*treeFile
	// skipped are the special files, which are not merged.
	skipped  [3][]source.Skipped
	problems diag.List
	// conflicts are those inside of files.
	conflicts diag.List
	notes     []fileNote
	result    *treemerge.Result
}

// treeFile is a file of a directory as it was read.
type treeFile struct {
	unit   *source.InputUnit // without toolchain if the file is not configuration
	binary bool
	merged treemerge.TreeFile
}

type fileNote struct{ file, text string }

// The trees of a merge.
const (
	inBase = iota
	inOurs
	inTheirs
)

func mergeDirectories(ctx context.Context, m *treeMerging, words []string) error {
	if err := m.check(words); err != nil {
		return err
	}
	copy(m.dirs[:], words)
	m.reader = do.Reader(m.set.settings, m.app.Streams)
	m.reader.RegularOnly, m.reader.Toolchain = true, ""
	m.reader.Formats = m.set.executor.ToolchainsOf
	for i := range m.dirs {
		if err := m.read(ctx, i); err != nil {
			return err
		}
	}
	if len(m.problems) > 0 {
		return m.problems
	}
	m.merge()
	return m.conclude(ctx)
}

// check checks the words and flags of a merge of directories.
func (m *treeMerging) check(words []string) error {
	var problems diag.List
	for _, word := range words {
		info, err := os.Stat(word)
		switch {
		case err != nil && word != "-":
			problems = append(problems, diag.Input(diag.FileName(word), "",
				errors.New("no such directory")))
		case word == "-" || !info.IsDir():
			problems = append(problems, diag.UsageHint("fctl merge BASE/ OURS/ THEIRS/",
				"%s is not a directory, and others are", diag.FileName(word)))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	o := m.flags
	switch {
	case o.path != "":
		return diag.Usage("--path is for files, and the words are directories")
	case m.set.toolchain != "":
		return diag.Usage("--toolchain is for files; in directories the names of the files decide")
	case o.inPlace && o.outputDir != "":
		return diag.Usage("--in-place and --output-dir exclude each other")
	case o.keepConflicts && !o.inPlace && o.outputDir == "":
		return diag.Usage("--write-conflicts needs -i or -O DIR")
	case o.outputDir == "":
		return nil
	}
	o.outputDir = source.InDirectory(m.app.Dir, o.outputDir)
	return outsideInputs(o.outputDir, words)
}

// outsideInputs returns an error if the output directory is one of the directories or inside of
// one, whose next merge would then read the result. The output directory need not exist.
func outsideInputs(outputDir string, dirs []string) error {
	at := outputDir
	for {
		if here, err := os.Stat(at); err == nil {
			for _, dir := range dirs {
				info, err := os.Stat(dir)
				if err != nil || !os.SameFile(here, info) {
					continue
				}
				if at == outputDir {
					return diag.UsageHint("-i writes the result to OURS",
						"-O: %s is one of the directories that are merged",
						diag.FileName(outputDir))
				}
				return diag.UsageHint("name a directory outside of BASE, OURS and THEIRS",
					"-O: %s is inside of %s, which is merged", diag.FileName(outputDir),
					diag.FileName(dir))
			}
			if resolved, err := filepath.EvalSymlinks(at); err == nil {
				if resolved, err = filepath.Abs(resolved); err == nil {
					at = resolved
				}
			}
		}
		parent := filepath.Dir(at)
		if parent == at {
			return nil
		}
		at = parent
	}
}

// read reads the files of a directory.
func (m *treeMerging) read(ctx context.Context, i int) error {
	m.trees[i] = map[string]*treeFile{}
	dir := m.dirs[i] + string(filepath.Separator) // WalkDir follows the link that dir may be
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.problems = append(m.problems, diag.Input(diag.FileName(path), "", files.WithoutPath(err)))
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case e.IsDir():
			if rel != "." && source.IsRepository(e.Name()) {
				return fs.SkipDir
			}
			return nil
		case source.IsRepository(e.Name()), files.IsTemporary(e.Name()):
			return nil
		case e.Type()&^fs.ModeSymlink != 0:
			m.skipped[i] = append(m.skipped[i],
				source.Skipped{Path: path, Rel: rel, Reason: source.NotRegular})
			return nil
		}
		file, err := m.file(ctx, path)
		if err != nil {
			m.problems = append(m.problems, diag.Failures(err, api.FailureInput)...)
			return nil
		}
		m.trees[i][rel] = file
		return nil
	})
}

// file reads a file.
func (m *treeMerging) file(ctx context.Context, path string) (*treeFile, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, diag.Input(diag.FileName(path), "", files.WithoutPath(err))
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return linkFile(path, info)
	}
	data, err := m.reader.Bytes(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &treeFile{merged: treemerge.TreeFile{Data: data, Mode: info.Mode().Perm()}}
	f.unit, err = m.reader.UnitOf(path, diag.FileName(path), data)
	if err != nil { // it is not text
		f.binary, f.merged.Format = true, "binary"
		f.unit = &source.InputUnit{File: diag.FileName(path), Data: data}
	}
	f.unit.Info = info
	if !m.reader.Formats.Implied(path) || f.binary {
		f.unit.Toolchain = ""
		return f, nil
	}
	f.merged.Format = string(f.unit.Toolchain)
	f.merged.Resources = compare.ResourceNames(m.set.executor, f.unit.Toolchain, data)
	return f, source.CheckConflict(f.unit)
}

// linkFile reads the target of a symbolic link. Nothing follows it.
func linkFile(path string, info fs.FileInfo) (*treeFile, error) {
	target, err := os.Readlink(path)
	if err != nil {
		return nil, diag.Input(diag.FileName(path), "", files.WithoutPath(err))
	}
	data := []byte(filepath.ToSlash(target))
	return &treeFile{
		unit: &source.InputUnit{File: diag.FileName(path), Data: data, Info: info},
		merged: treemerge.TreeFile{
			Data: data, Mode: fs.ModeSymlink, Format: string(source.IsLink),
		},
	}, nil
}

// merge merges the trees.
func (m *treeMerging) merge() {
	in := treemerge.Sides{
		Base: m.tree(inBase), Ours: m.tree(inOurs), Theirs: m.tree(inTheirs),
		Others: map[string]bool{}, Content: m.content, TakeTheirs: m.options.Markers,
	}
	for _, s := range m.skipped[inOurs] {
		in.Others[s.Rel] = true
	}
	m.result = treemerge.Merge(in)
}

func (m *treeMerging) tree(i int) treemerge.FileTree {
	tree := treemerge.FileTree{}
	for path, f := range m.trees[i] {
		tree[path] = &f.merged
	}
	return tree
}

// content merges the contents of a file that both sides changed.
func (m *treeMerging) content(f *treemerge.MergedFile) (text []byte, conflicts int, ok bool) {
	ours, theirs := m.trees[inOurs][f.Ours], m.trees[inTheirs][f.Theirs]
	base := m.trees[inBase][f.Base]
	if base == nil {
		base = &treeFile{unit: &source.InputUnit{File: "BASE"}}
	}
	if ours.binary || theirs.binary || base.binary {
		return nil, 0, false
	}
	one := &merging{
		app: m.app, set: m.set, base: base.unit, ours: ours.unit, theirs: theirs.unit,
		name: ours.unit.File,
	}
	if m.writes() {
		one.written, one.name = true,
			diag.FileName(filepath.Join(m.target(), filepath.FromSlash(f.Path)))
	}
	t := ours.unit.Toolchain
	one.set.toolchain = t
	var merged *textmerge.Merged
	if t == "" {
		merged = textmerge.MergeLines(base.unit.Data, ours.unit.Data, theirs.unit.Data, m.options)
	} else {
		merged = m.set.executor.Merge(t, base.unit.Data, ours.unit.Data, theirs.unit.Data,
			m.options)
	}
	if t != "" && !m.flags.showSecrets && (merged.ByLines != nil || len(merged.Conflicts) > 0) {
		one.secrets = m.set.executor.Sensitive(t,
			[][]byte{base.unit.Data, ours.unit.Data, theirs.unit.Data})
	}
	for _, note := range one.notes(merged) {
		if t != "" {
			m.notes = append(m.notes, fileNote{one.name, note})
		}
	}
	for _, note := range settledNote(merged.Settled, m.options) {
		m.notes = append(m.notes, fileNote{one.name, note})
	}
	m.conflicts = append(m.conflicts, one.conflicts(merged, m.options.Markers)...)
	return merged.Text, len(merged.Conflicts), true
}

// target returns the directory that the result is written to.
func (m *treeMerging) target() string {
	if m.flags.outputDir != "" {
		return m.flags.outputDir
	}
	return m.dirs[inOurs]
}

// writes reports whether conflicts are written, so that their positions are those of the result.
func (m *treeMerging) writes() bool { return m.flags.keepConflicts }

// conclude prints or writes the result and reports the conflicts.
func (m *treeMerging) conclude(ctx context.Context) error {
	conflicts := m.conflicts
	for _, c := range m.result.Conflicts {
		dir := m.dirs[inOurs]
		if c.Theirs {
			dir = m.dirs[inTheirs]
		}
		conflicts = append(conflicts, &api.Failure{
			Pos: api.Position{File: diag.FileName(
				filepath.Join(dir, filepath.FromSlash(c.Path)))},
			Message: c.Message,
		})
	}
	conflicts.Sort()
	asked := m.flags.inPlace || m.flags.outputDir != ""
	var err error
	switch {
	case !asked:
		err = m.app.WriteText(m.list())
	case len(conflicts) == 0 || m.flags.keepConflicts:
		err = m.write(ctx)
	}
	if err != nil {
		return err
	}
	m.report(asked, len(conflicts))
	if len(conflicts) > 0 {
		reportError(m.app, conflicts)
		return diag.ExitError(diag.ExitNo)
	}
	return nil
}

// change returns what happens to a file of OURS: it is added, changed or renamed, and more about
// it. what is empty if nothing happens.
func (m *treeMerging) change(f *treemerge.MergedFile) (what, more string) {
	isLink := f.Mode&fs.ModeSymlink != 0
	if f.Ours == "" {
		if isLink {
			more = "symbolic link"
		}
		return "added", more
	}
	ours := &m.trees[inOurs][f.Ours].merged
	switch {
	case isLink != ours.IsLink() && isLink:
		more = "to a symbolic link"
	case isLink != ours.IsLink():
		more = "to a file"
	case f.Mode != ours.Mode:
		more = "mode " + treemerge.ModeText(ours.Mode) + " -> " + treemerge.ModeText(f.Mode)
	}
	changed := string(f.Text) != string(ours.Data)
	switch {
	case f.Path != f.Ours && changed && more == "":
		return "renamed", "changed"
	case f.Path != f.Ours:
		return "renamed", more
	case changed || more != "":
		return "changed", more
	}
	return "", ""
}

// list returns a line for each file that changes in OURS.
func (m *treeMerging) list() string {
	type row struct{ path, text string }
	var rows []row
	for i := range m.result.Files {
		f := &m.result.Files[i]
		what, more := m.change(f)
		if what == "" {
			continue
		}
		text := fmt.Sprintf("%-7s  %s", what, diag.Printable(f.Path))
		if what == "renamed" {
			text = fmt.Sprintf("%-7s  %s -> %s", what, diag.Printable(f.Ours),
				diag.Printable(f.Path))
		}
		if more != "" {
			text += " (" + more + ")"
		}
		rows = append(rows, row{f.Path, text})
	}
	for _, path := range m.result.Deleted {
		rows = append(rows, row{path, fmt.Sprintf("%-7s  %s", "deleted", diag.Printable(path))})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.path, b.path) })
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text + "\n")
	}
	return b.String()
}

// report writes the notes of a merge.
func (m *treeMerging) report(asked bool, conflicts int) {
	if m.set.settings.Quiet {
		return
	}
	console := m.app.Console()
	for _, n := range m.notes {
		console.Notes(n.file, api.Note{Message: n.text})
	}
	note := func(text string) { console.Notes("", api.Note{Message: text}) }
	if !m.result.Complete {
		note("too many files were added and deleted to find those that were renamed and changed")
	}
	if skipped := slices.Concat(m.skipped[:]...); len(skipped) > 0 {
		note(do.SkippedFiles(skipped, m.set.settings.Verbose))
	}
	switch {
	case asked && conflicts > 0 && !m.flags.keepConflicts:
		note(fmt.Sprintf("nothing is written because of %s; --write-conflicts writes the result "+
			"anyway%s", diag.Count(conflicts, "conflict"), howToSettle(m.options)))
	case asked && conflicts > 0:
		note(m.totals() + ", " + diag.Count(conflicts, "conflict") + howToSettle(m.options))
	case asked:
		note(m.totals())
	case conflicts > 0:
		note(diag.Count(conflicts, "conflict") + howToSettle(m.options))
	}
}

// totals says how many files changed.
func (m *treeMerging) totals() string {
	counts := map[string]int{"deleted": len(m.result.Deleted)}
	for i := range m.result.Files {
		what, _ := m.change(&m.result.Files[i])
		counts[what]++
	}
	var parts []string
	for _, what := range []string{"added", "changed", "deleted", "renamed"} {
		if n := counts[what]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to merge"}
	}
	return fmt.Sprintf("%s: %s", diag.Printable(diag.FileName(m.target())),
		strings.Join(parts, ", "))
}
