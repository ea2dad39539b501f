package compare

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
	"github.com/fctl-dev/fctl/internal/merge/renames"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// diffRun is one run of diff.
type diffRun struct {
	app        *command.App
	flags      *diffFlags
	settings   *settings.Settings
	executor   *functions.Executor
	toolchain  api.ToolchainType // of the settings; empty if each file decides
	reader     *source.Reader
	selected   functions.Only
	pairs      []pair
	several    bool
	incomplete bool // not all renamed files could be found
	problems   diag.List
	notCompared
}

// notCompared is the files that are not compared by value.
type notCompared struct {
	untracked  int             // files of the working tree that git does not track
	unreadable map[string]bool // paths of files with a problem
	skipped    []source.Skipped
	excluded   []string // paths of differing files of revisions that an ignore file excludes
	// others are the hashes of files of unknown formats and the targets of symbolic links, in A and
	// in B, by path.
	others map[string][2]string
}

// pair is a unit in A and in B. One of them may be nil.
type pair struct {
	before, after *source.InputUnit
	path          string // its path below the directory or in the repository
	from          string // the path it had in A, if that was another
}

// unit returns the version that names the pair: B's, or A's if B has none.
func (p *pair) unit() *source.InputUnit {
	if p.after != nil {
		return p.after
	}
	return p.before
}

// renamed reports whether the file has another path in B.
func (p *pair) renamed() bool { return p.from != "" }

// newRun loads the settings and makes the executor.
func newRun(a *command.App, cmd *cobra.Command, o *diffFlags) (*diffRun, error) {
	set, executor, err := command.Functions(a, cmd)
	if err != nil {
		return nil, err
	}
	c := &diffRun{
		app: a, flags: o, settings: set, executor: executor,
		toolchain: api.ToolchainType(set.Toolchain), reader: do.Reader(set, a.Streams),
		notCompared: notCompared{
			unreadable: map[string]bool{}, others: map[string][2]string{},
		},
	}
	c.reader.Toolchain, c.reader.Formats = c.toolchain, executor.ToolchainsOf
	return c, nil
}

func compare(
	ctx context.Context, a *command.App, cmd *cobra.Command, o *diffFlags, words []string,
) error {
	c, err := newRun(a, cmd, o)
	if err != nil {
		return err
	}
	if given, ok := gitfiles.External(words); ok {
		return c.compareGiven(ctx, given)
	}
	asked, err := c.revisions(ctx, words, cmd.ArgsLenAtDash())
	switch {
	case err != nil:
		return err
	case asked != nil:
		err = c.compareRevisions(ctx, asked)
	case len(words) != 2:
		if len(words) > 2 {
			return command.Surplus(cmd, words[2])
		}
		return command.Missing(cmd, []string{"A", "B"}[len(words):]...)
	default:
		err = c.read(ctx, cmd, source.InDirectory(a.Dir, words[0]),
			source.InDirectory(a.Dir, words[1]))
	}
	if err != nil {
		return err
	}
	if o.output.Value == "patch" && c.several {
		return diag.UsageHint("fctl diff -o patch A/FILE B/FILE",
			"a patch describes one file, not directories or revisions")
	}
	if c.selected, err = c.limited(ctx); err != nil {
		return err
	}
	return c.printDifferences()
}

// compareGiven prints the differences of a file that git gives.
func (c *diffRun) compareGiven(ctx context.Context, given gitfiles.TwoVersions) (err error) {
	sides := [2]side{{}, {}}
	for i, file := range given.Files {
		switch {
		case file == os.DevNull:
		case c.reader.Formats.Implied(given.Path):
			unit, err := c.reader.Unit(ctx, file, "")
			if err == nil {
				unit.Name, unit.File = given.Path, diag.FileName(given.Path)
			}
			c.add(sides[i], given.Path, unit, err)
		default:
			c.other(ctx, i, sides[i], source.Skipped{Path: file, Rel: given.Path})
		}
	}
	c.several = true
	c.pairUp(sides[0], sides[1])
	if c.selected, err = c.limited(ctx); err != nil {
		return err
	}
	return c.printDifferences()
}

// read reads the two files or directories.
func (c *diffRun) read(ctx context.Context, cmd *cobra.Command, a, b string) error {
	switch aDir, bDir := IsDirectory(a), IsDirectory(b); {
	case a == "-" && b == "-":
		return diag.Usage("A and B cannot both be the standard input")
	case aDir && bDir:
		c.several = true
		return c.directories(ctx, a, b)
	case aDir || bDir:
		directory, file := a, b
		if bDir {
			directory, file = b, a
		}
		if _, err := os.Stat(file); file != "-" && err != nil {
			_, err = c.reader.Unit(ctx, file, "")
			return err
		}
		return diag.UsageHint("compare two files, or two directories",
			"%s is a directory, and %s is not",
			diag.FileName(directory), diag.FileName(file))
	case a == "-" || b == "-":
		if err := c.app.RejectTerminal(cmd); err != nil {
			return err
		}
	}
	before, errBefore := c.reader.Unit(ctx, a, "")
	after, err := c.reader.Unit(ctx, b, "")
	if err = errors.Join(errBefore, err); err != nil {
		return err
	}
	if before.Toolchain != after.Toolchain {
		switch { // a file whose name implies no toolchain gets that of the other
		case !c.reader.Formats.Implied(a):
			before.Toolchain = after.Toolchain
		case !c.reader.Formats.Implied(b):
			after.Toolchain = before.Toolchain
		default:
			return diag.UsageHint("set --toolchain for both files", "%s is %s, and %s is %s",
				before.File, before.Toolchain, after.File, after.Toolchain)
		}
	}
	err = errors.Join(source.CheckConflict(before), source.CheckConflict(after))
	if err != nil {
		return err
	}
	c.pairs = []pair{{before: before, after: after}}
	return do.Supported(before.Toolchain, c.executor.Toolchains())
}

// IsDirectory reports whether a path is a directory; "-" is not.
func IsDirectory(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && err == nil && info.IsDir()
}

// side is the units of one side by their paths.
type side map[string]*source.InputUnit

// directories pairs the files in two directories.
func (c *diffRun) directories(ctx context.Context, a, b string) error {
	sides := [2]side{{}, {}}
	ofKubectl := c.reader.Toolchain == "" && strings.HasPrefix(filepath.Base(a), "LIVE-") &&
		strings.HasPrefix(filepath.Base(b), "MERGED-")
	if ofKubectl { // it names the files by resources, so that some seem to have extensions
		c.reader.Toolchain = api.ToolchainKubernetesYAML
	}
	for i, dir := range []string{a, b} {
		finder := &source.Finder{
			Dir: dir, Recursive: true, Toolchain: c.reader.Toolchain, Formats: c.reader.Formats,
			AnyFormat: c.reader.Toolchain == "", Temporary: files.IsTemporary, All: true,
		}
		found, err := finder.Find(ctx, []string{"."})
		if err != nil {
			return err
		}
		for _, f := range found.Skipped {
			switch {
			case f.Reason == source.OtherExtension, ofKubectl && f.Reason == source.OtherFormat:
				c.other(ctx, i, sides[i], f)
			case f.Reason == source.IsLink:
				target, err := os.Readlink(f.Path)
				if err != nil {
					return diag.Input(diag.FileName(f.Path), "", err)
				}
				c.addOther(i, f.Rel, linkTo+target)
			default:
				c.skipped = append(c.skipped, f)
			}
		}
		for _, f := range found.Files {
			unit, err := (*source.InputUnit)(nil), f.Problem
			if err == nil {
				unit, err = c.reader.Unit(ctx, f.Path, f.Unit)
			}
			c.add(sides[i], f.Rel, unit, err)
		}
	}
	// The empty file in the place of one with resources is not a second difference.
	maps.DeleteFunc(c.others, func(rel string, _ [2]string) bool {
		return sides[0][rel] != nil || sides[1][rel] != nil
	})
	c.pairUp(sides[0], sides[1])
	return nil
}

// other adds a file whose name implies no format to side i if it has Kubernetes resources, as the
// files that kubectl compares do, otherwise its hash to others.
func (c *diffRun) other(ctx context.Context, i int, to side, f source.Skipped) {
	data, err := c.reader.Bytes(ctx, f.Path)
	if err != nil {
		c.add(to, f.Rel, nil, err)
		return
	}
	unit, err := c.reader.UnitOf(f.Path, diag.FileName(f.Path), data)
	switch {
	case err == nil && len(ResourceNames(c.executor, unit.Toolchain, data)) > 0:
		c.add(to, f.Rel, unit, nil)
	case c.reader.Toolchain == "":
		c.addOther(i, f.Rel, api.DataHash(data))
	case len(data) > 0: // kubectl writes empty files for objects that one side has not
		c.skipped = append(c.skipped, f)
	}
}

// linkTo begins the entry of a symbolic link in others.
const linkTo = "-> "

func (c *diffRun) addOther(i int, rel, content string) {
	both := c.others[rel]
	both[i] = content
	c.others[rel] = both
}

// add adds a file to a side, or the problem with it.
func (c *diffRun) add(to side, rel string, unit *source.InputUnit, err error) {
	if err == nil {
		err = source.CheckConflict(unit)
	}
	switch {
	case err != nil:
		c.problems = append(c.problems, diag.Failures(err, api.FailureInput)...)
		c.unreadable[rel] = true
	case do.Supported(unit.Toolchain, c.executor.Toolchains()) != nil:
		c.skipped = append(c.skipped, source.Skipped{Path: unit.File, Reason: source.NoFunction})
	default:
		to[rel] = unit
	}
}

// pairUp pairs the files of two sides by their paths, and those that only one side has with what
// they were renamed from.
func (c *diffRun) pairUp(a, b side) {
	for path := range c.unreadable { // half a pair would look like a deletion
		delete(a, path)
		delete(b, path)
	}
	from, gone := map[string]string{}, map[string]bool{}
	for _, t := range c.executor.Toolchains() {
		before, after := c.only(t, a, b), c.only(t, b, a)
		pairs, complete := renames.Find(before, after)
		c.incomplete = c.incomplete || !complete
		for _, p := range pairs {
			from[after[p.New].Path] = before[p.Old].Path
			gone[before[p.Old].Path] = true
		}
	}
	paths := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		switch {
		case from[path] != "":
			c.pairs = append(c.pairs, pair{a[from[path]], b[path], path, from[path]})
		case !gone[path]:
			c.pairs = append(c.pairs, pair{before: a[path], after: b[path], path: path})
		}
	}
}

// only returns the files of a toolchain that one side has and the other has not, by their paths.
func (c *diffRun) only(t api.ToolchainType, side, other side) []renames.LoneFile {
	var list []renames.LoneFile
	for _, path := range slices.Sorted(maps.Keys(side)) {
		unit := side[path]
		if _, known := other[path]; !known && unit.Toolchain == t {
			list = append(list, renames.LoneFile{
				Path: path, Data: unit.Data,
				Resources: ResourceNames(c.executor, t, unit.Data),
			})
		}
	}
	return list
}

// ResourceNames returns the types and names of the Kubernetes resources in a file.
func ResourceNames(executor *functions.Executor, t api.ToolchainType, data []byte) []string {
	if t != api.ToolchainKubernetesYAML {
		return nil
	}
	unit, err := executor.Open(t, data)
	if err != nil {
		return nil
	}
	var names []string
	for _, line := range unit.ResourceLines() {
		if r := line.Resource; r != nil && r.ResourceNameWithoutScope != "" {
			names = append(names, string(r.ResourceType)+" "+string(r.ResourceNameWithoutScope))
		}
	}
	return names
}
