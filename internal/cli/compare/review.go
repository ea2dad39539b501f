package compare

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/lines"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
	"github.com/fctl-dev/fctl/internal/places"
	"github.com/fctl-dev/fctl/internal/source"
)

// reviewFlags are the flags of review.
type reviewFlags struct {
	diff   diffFlags
	allow  []string
	verify bool
}

// NewReview returns the command review.
func NewReview(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "review [flags] BASE...HEAD [-- PATH...]",
		Short: "Report what a change in git does",
		Long: `Report the effects of a change, for each directory: the values that changed, by
resource; the resources that refer to the changed ones; findings of validations
and policies ('fctl vet') that are new or gone; lines that changed without a
value: comments, order, layout; and files without configuration. Values of
Secrets are masked.

BASE...HEAD reports the changes of HEAD since it diverged from BASE, BASE..HEAD
the difference. One revision is BASE; HEAD is the last commit then. PATHs limit
the report to files and directories, and validations see only these directories:
so one environment is checked without the others. What refers to a resource is
searched in its directory and those above and below it.

--allow lists the values that may change, as --ignore of 'fctl diff' does: PATH,
RESOURCE:PATH, or file:FILE with one on each line. The status is 1 if anything
else changed, also a comment or a file of another format; that is marked.

--verify replays the changed values ('fctl diff -o mutations') on each file of
BASE. The status is 1 unless this gives the bytes of HEAD: then nothing hides in
a change beside its values.`,
		Example: `  fctl review main...HEAD
  fctl review -o markdown origin/main...HEAD > comment.md
  fctl review main...HEAD --allow Deployment:spec.replicas -- envs/staging
  fctl review main...HEAD --allow file:.github/bot-may-change.txt --verify`,
	}
	o := &reviewFlags{}
	o.diff.output = command.AddOutput(cmd.Flags(),
		"table, markdown (for a pull request), json", "table", "markdown", "json")
	cmd.Flags().StringArrayVar(&o.allow, "allow", nil,
		"end with status 1 if anything but the values at `PATHS` changed: PATH, RESOURCE:PATH or "+
			"file:FILE with one on each line; can be repeated")
	cmd.Flags().BoolVar(&o.verify, "verify", false,
		"end with status 1 unless the changed values alone make BASE's files HEAD's")
	command.AddToolchainFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return runReview(cmd.Context(), a, cmd, o, words)
	}
	return cmd
}

// review has the effects of a change.
type review struct {
	Base, Head  string
	Directories []*reviewedDirectory
	// Verified says whether the values alone make the files of BASE those of HEAD.
	Verified bool
	// Allowed is missing if nothing was asked.
	Allowed *bool `json:",omitempty"`

	byPath map[string]*reviewedDirectory
	// moved has the present files of what was elsewhere in the base.
	moved map[findingPlace]string
}

// reviewedDirectory has the changes in a directory.
type reviewedDirectory struct {
	Directory string
	Values    []valueChange
	Reached   []reachedResource `json:",omitempty"`
	Findings  []changedFinding  `json:",omitempty"`
	Lines     []bareLine        `json:",omitempty"`
	Files     []otherFile       `json:",omitempty"`
}

// valueChange is a value that changed, or a resource without Path.
type valueChange struct {
	File, Resource string
	Path           string `json:",omitempty"`
	Change         string // Add, Update, Replace, Delete, Order, Rename or Move
	Before, After  string `json:",omitempty"`
	// NotAllowed is set if --allow does not name the value.
	NotAllowed bool `json:",omitempty"`
}

// reachedResource is a changed resource and those that refer to it.
type reachedResource struct {
	Resource string
	From     []string // FILE: RESOURCE PATH
}

// changedFinding is a finding that only one side has.
type changedFinding struct {
	New                     bool
	File, Rule, Level       string
	Resource, Path, Message string
}

// bareLine is a line that changed without a value.
type bareLine struct {
	File   string
	Line   int
	Change string // Add or Delete
	Text   string
}

// otherFile is a file that changed and is not compared by value.
type otherFile struct{ File, Why string }

// at returns the directory of a file.
func (v *review) at(file string) *reviewedDirectory {
	dir := path.Dir(file)
	if v.byPath[dir] == nil {
		v.byPath[dir] = &reviewedDirectory{Directory: dir, Values: []valueChange{}}
	}
	return v.byPath[dir]
}

func runReview(
	ctx context.Context, a *command.App, cmd *cobra.Command, o *reviewFlags, words []string,
) error {
	c, err := newRun(a, cmd, &o.diff)
	if err != nil {
		return err
	}
	allow, err := command.Places(ctx, c.reader, a.Dir, "allow", o.allow)
	if err != nil {
		return err
	}
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(words)
	}
	if dash == 0 {
		return command.Missing(cmd, "BASE...HEAD")
	}
	if cmd.ArgsLenAtDash() < 0 && c.exists(words[0]) {
		return diag.UsageHint("'fctl diff A B' compares files; a revision of this name: fctl review "+
			words[0]+" --", "%s is a file", words[0])
	}
	if base, _, _ := strings.Cut(words[0], ".."); base == "" {
		return diag.UsageHint("fctl review main...HEAD", "%q does not say from which revision on "+
			"a change is reviewed", words[0])
	}
	words = slices.Clone(words)
	if dash == 1 && !strings.Contains(words[0], "..") {
		words[0] += "...HEAD"
	}
	r, err := c.revisions(ctx, words, dash)
	if err != nil {
		return err
	}
	if r == nil || len(r.sides) != 2 {
		return diag.UsageHint("fctl review main...HEAD", "two revisions are compared")
	}
	if err := c.compareRevisions(ctx, r); err != nil {
		return err
	}
	v, err := c.review(ctx, cmd, r, allow)
	if err != nil {
		return err
	}
	if err := v.write(a, o.diff.output.Value); err != nil {
		return err
	}
	c.app.Console().Problems(c.problems)
	switch {
	case len(c.problems) > 0:
		return diag.ExitError(diag.ExitStatus(c.problems, api.FailureUsage))
	case v.Allowed != nil && !*v.Allowed, o.verify && !v.Verified:
		return diag.ExitError(diag.ExitNo)
	}
	return nil
}

// review finds out what the pairs and the whole trees of the two revisions say.
func (c *diffRun) review(
	ctx context.Context, cmd *cobra.Command, r *revisions, allow []places.Place,
) (*review, error) {
	v := &review{
		Base: r.sides[0].name, Head: r.sides[1].name, Verified: true,
		Directories: []*reviewedDirectory{}, byPath: map[string]*reviewedDirectory{},
		moved: map[findingPlace]string{},
	}
	changed := map[api.ResourceInfo]string{} // the file by resource
	versions := c.versions()
	all := c.executor.Diff(versions, functions.NewLeaves, functions.Only{})
	var left []functions.Difference
	if len(allow) > 0 {
		left = c.executor.Diff(versions, functions.NewLeaves, functions.Only{Ignore: allow})
		v.Allowed = new(true)
	}
	for i, d := range all {
		p := &c.pairs[i]
		c.show(p, d)
		c.addMoved(v, p, d.Moved)
		if d.Err != nil {
			c.problems = append(c.problems, p.problems(c.executor, d.Err)...)
			continue
		}
		for k := range d.Mutations {
			m := &d.Mutations[k]
			changed[m.Resource] = p.path
			for name := range m.Names() { // also those that it had
				info := m.Resource
				info.ResourceName = name
				info.ResourceNameWithoutScope = api.ResourceName(path.Base(string(name)))
				changed[info] = p.path
			}
		}
		dir := v.at(p.path)
		secrets := c.secrets(versions[i])
		rows := c.valueRows(p, d, secrets)
		if left != nil {
			rows = markNotAllowed(rows, c.valueRows(p, left[i], secrets))
		}
		dir.Values = append(dir.Values, rows...)
		bare, verified, err := c.bareLines(p, d.Mutations, secrets)
		if err != nil {
			dir.Files = append(dir.Files, otherFile{
				p.path, "its values cannot be replayed: " + secrets.Message(err.Error()),
			})
		}
		if len(d.Mutations)+len(d.Moved) == 0 && (p.before == nil) != (p.after == nil) {
			why := "a new file without a value"
			if p.after == nil {
				why = "a deleted file without a value"
			}
			dir.Files = append(dir.Files, otherFile{p.path, why})
			verified = false
		}
		dir.Lines = append(dir.Lines, bare...)
		v.Verified = v.Verified && verified
	}
	c.addOthers(v)
	if err := c.addModes(ctx, r, v); err != nil {
		return nil, err
	}
	if err := c.effects(ctx, cmd, r, v, changed); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(v.byPath)) {
		d := v.byPath[name]
		v.Directories = append(v.Directories, d)
		if v.Allowed != nil && (len(d.Lines)+len(d.Files) > 0 ||
			slices.ContainsFunc(d.Values, func(c valueChange) bool { return c.NotAllowed })) {
			*v.Allowed = false
		}
	}
	return v, nil
}

// addMoved adds where a file and resources that have moved into it were.
func (c *diffRun) addMoved(v *review, p *pair, moved []functions.Move) {
	if p.renamed() {
		v.moved[findingPlace{p.from, ""}] = p.path
	}
	for _, m := range moved {
		from := &c.pairs[m.From]
		v.moved[findingPlace{cmp.Or(from.from, from.path), m.Resource.String()}] = p.path
	}
}

// addOthers adds the changed files that are not compared.
func (c *diffRun) addOthers(v *review) {
	others := map[string]string{}
	for _, s := range c.skipped {
		others[cmp.Or(s.Rel, s.Path)] = string(s.Reason)
	}
	for _, file := range c.excluded {
		others[file] = "excluded by an ignore file"
	}
	for _, file := range slices.Sorted(maps.Keys(others)) {
		dir := v.at(file)
		dir.Files = append(dir.Files, otherFile{file, others[file]})
		v.Verified = false
	}
}

// addModes adds the files of both revisions that can be executed in only one of them.
func (c *diffRun) addModes(ctx context.Context, r *revisions, v *review) error {
	var programs [2]map[string]bool
	both := map[string]int{}
	for i := range programs {
		files, err := r.repository.Files(ctx, r.sides[i].tree)
		if err == nil {
			programs[i], err = r.repository.Programs(ctx, r.sides[i].tree)
		}
		if err != nil {
			return err
		}
		for _, f := range files {
			both[f.Path]++
		}
	}
	for _, file := range slices.Sorted(maps.Keys(both)) {
		if both[file] < 2 || programs[0][file] == programs[1][file] ||
			!gitfiles.Within(file, r.paths) {
			continue
		}
		why := "it can be executed now"
		if programs[0][file] {
			why = "it cannot be executed any more"
		}
		dir := v.at(file)
		dir.Files = append(dir.Files, otherFile{file, why})
		v.Verified = false
	}
	return nil
}

// markNotAllowed marks the rows that are left without what is allowed. What is allowed may be a part
// of a resource's name, or of a value that changed as a whole: a row that is left and is not one of
// rows is added, so that nothing is allowed by mistake.
func markNotAllowed(rows, left []valueChange) []valueChange {
	type key struct{ resource, path, change string }
	not := map[key]bool{}
	for _, row := range left {
		not[key{row.Resource, row.Path, row.Change}] = true
	}
	for i, row := range rows {
		k := key{row.Resource, row.Path, row.Change}
		if _, rows[i].NotAllowed = not[k]; rows[i].NotAllowed {
			not[k] = false
		}
	}
	for _, row := range left {
		if k := (key{row.Resource, row.Path, row.Change}); not[k] {
			not[k], row.NotAllowed = false, true
			rows = append(rows, row)
		}
	}
	return rows
}

// valueRows returns a row for each value that changed in a pair, with secret values masked.
func (c *diffRun) valueRows(
	p *pair, d functions.Difference, secrets *sensitive.Values,
) (rows []valueChange) {
	for _, m := range secrets.Mutations(d.Mutations) {
		row := valueChange{File: p.path, Resource: m.Resource.String()}
		if change := m.ResourceMutationInfo.MutationType; change != api.MutationTypeUpdate {
			row.Change = string(change)
			rows = append(rows, row)
			continue
		}
		add := func(at api.ResolvedPath, change, before, after string) {
			row.Path, row.Change = mutation.PlainPath(at), change
			row.Before, row.After = strings.TrimSpace(before), strings.TrimSpace(after)
			rows = append(rows, row)
		}
		for _, at := range slices.Sorted(maps.Keys(m.PathMutationMap)) {
			info := m.PathMutationMap[at]
			if info.MutationType == api.MutationTypeDelete {
				info.Previous, info.Value = info.Value, ""
			}
			add(at, string(info.MutationType), info.Previous, info.Value)
		}
		for _, at := range slices.Sorted(maps.Keys(m.ArrayElementAliases)) {
			for _, old := range slices.Sorted(maps.Keys(m.ArrayElementAliases[at])) {
				add(at, "Rename", old, m.ArrayElementAliases[at][old])
			}
		}
		for _, at := range slices.Sorted(maps.Keys(m.ArrayOrders)) {
			if !m.Appended[at] {
				add(at, "Order", "", strings.Join(m.ArrayOrders[at], ", "))
			}
		}
	}
	for _, m := range d.Moved {
		rows = append(rows, valueChange{
			File: p.path, Resource: m.Resource.String(), Change: "Move", Before: c.pairs[m.From].path,
		})
	}
	if p.renamed() {
		rows = append(rows, valueChange{File: p.path, Change: "Move", Before: p.from})
	}
	return rows
}

// bareLines returns the lines that the changed values do not explain: they are the differences
// between the new text and the old one after the mutations were applied to it.
func (c *diffRun) bareLines(
	p *pair, mutations api.ResourceMutationList, secrets *sensitive.Values,
) (rows []bareLine, verified bool, err error) {
	if p.before == nil || p.after == nil {
		return nil, true, nil
	}
	replayed, err := c.executor.Replay(p.before.Toolchain, p.before.Data, mutations)
	if err != nil {
		return nil, false, err
	}
	if string(replayed) == string(p.after.Data) {
		return nil, true, nil
	}
	old, now := lines.Split(string(replayed)), lines.Split(string(p.after.Data))
	for _, h := range lines.Diff(old, now) {
		for i := h.From; i < h.To; i++ {
			rows = append(rows, bareLine{p.path, h.NewFrom + 1, "Delete", secrets.Message(trimmed(old[i]))})
		}
		for i := h.NewFrom; i < h.NewTo; i++ {
			rows = append(rows, bareLine{p.path, i + 1, "Add", secrets.Message(trimmed(now[i]))})
		}
	}
	return rows, false, nil
}

func trimmed(line string) string { return strings.TrimRight(line, "\r\n") }

// units returns the files of a revision that are configuration, in the order of their paths.
func (c *diffRun) units(ctx context.Context, r *revisions, i int) (units []*source.InputUnit, err error) {
	listed, err := r.repository.Files(ctx, r.sides[i].tree)
	if err != nil {
		return nil, err
	}
	rules := c.listed(r)
	var wanted []gitfiles.RevisionFile
	for _, f := range listed {
		why, excluded, err := rules.Skip(f.Path)
		if err != nil {
			return nil, err
		}
		if why == "" && !excluded && f.Type == gitfiles.Regular {
			wanted = append(wanted, f)
		}
	}
	err = r.repository.Contents(ctx, wanted, c.reader.Limit(), func(n int, data []byte, large bool) {
		unit, err := c.reader.UnitOf(wanted[n].Path, wanted[n].Path, data)
		if !large && err == nil && source.CheckConflict(unit) == nil &&
			unit.Toolchain == api.ToolchainKubernetesYAML {
			units = append(units, unit)
		}
	})
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err())
	}
	return units, err
}
