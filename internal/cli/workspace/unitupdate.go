package workspace

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// unitUpdate holds the flags of unit update.
type unitUpdate struct {
	common
	selection
	metadata
	output
	resolveFlags
	patch, upgrade, protect bool
	resolve                 []string
	restore                 string
	mergeSource             string
	mergeBase, mergeEnd     int64
	mergeExternal           string
	subgroup                string
	version                 int64
}

func newUnitUpdate(a *app.App) *cobra.Command {
	o := &unitUpdate{common: common{app: a}}
	cmd := &cobra.Command{
		Use:   "update [flags] [UNIT] [FILE]",
		Short: "Give a unit other data, resolve its links, or restore a revision",
		Long: `Change a unit. With FILE (or -), its content is the new data. --upgrade merges
what changed in the unit it was cloned from; --resolve resolves links. --restore
brings back the data of an earlier revision. Without any of these, an edit of the
working copy is recorded. With --where several units are changed, upstreams first.`,
		Example: `  fctl unit update web deployment.yaml --change-desc "two replicas"
  fctl unit update web --space prod --patch --upgrade --dry-run
  fctl unit update web --patch --resolve 'Link:*'
  fctl unit update web --restore 3`,
		Args: words(0, 2),
	}
	flags := cmd.Flags()
	o.addWrite(flags)
	o.selection.add(flags)
	o.metadata.add(flags)
	o.output.add(flags)
	o.resolveFlags.add(flags)
	flags.BoolVar(&o.patch, "patch", false, "change only what is given, which is always so")
	flags.BoolVar(&o.upgrade, "upgrade", false, "merge what changed in the unit it was cloned from")
	flags.StringArrayVar(&o.resolve, "resolve", nil,
		"resolve `LINKS`: Link:SLUG, or Link:* for all; can be repeated")
	flags.StringVar(&o.restore, "restore", "",
		"bring back the data of revision `N`, or with head undo an edit of the working copy")
	flags.StringVar(&o.mergeSource, "merge-source", "", "merge a range of revisions of `UNIT` once")
	flags.Int64Var(&o.mergeBase, "merge-base", 0, "merge what changed after revision `N`")
	flags.Int64Var(&o.mergeEnd, "merge-end", 0, "merge up to revision `N`; 0 is the head")
	flags.StringVar(&o.mergeExternal, "merge-external", "",
		"merge what changed in `FILE` since it was merged last")
	flags.StringVar(&o.subgroup, "subgroup", "", "a `CATEGORY` of your own for the mutations")
	flags.BoolVar(&o.protect, "protect", false, "merges must not overwrite what is written now")
	flags.Int64Var(&o.version, "version", 0, "fail if the unit has another version than `N`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if err := o.check(cmd, words); err != nil {
			return err
		}
		return o.write(cmd, "unit update "+strings.Join(words, " "), func(s *session) error {
			units, err := o.unitsNamed(s, words[:min(len(words), 1)])
			if err != nil {
				return err
			}
			if units, err = s.ordered(units, false); err != nil {
				return err
			}
			return o.runAll(s, units, words)
		})
	}
	return cmd
}

// check reports flags that do not go together.
func (o *unitUpdate) check(cmd *cobra.Command, words []string) error {
	if err := namesOrWhere(cmd, words[:min(len(words), 1)], &o.selection); err != nil {
		return err
	}
	data := 0
	for _, given := range []bool{
		len(words) == 2, o.upgrade || len(o.resolve) > 0, o.restore != "", o.mergeSource != "",
		o.mergeExternal != "",
	} {
		if given {
			data++
		}
	}
	if data > 1 {
		return diag.Usage("only one of FILE, --upgrade and --resolve, --restore, --merge-source " +
			"and --merge-external can be given")
	}
	if !validSubgroup(o.subgroup) {
		return diag.Usage("--subgroup: at most 64 letters and digits, not beginning with ConfigHub")
	}
	return nil
}

func validSubgroup(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return len(text) <= 64 && !strings.HasPrefix(text, "ConfigHub")
}

// runAll changes the units. What fails for one does not stop the others.
func (o *unitUpdate) runAll(s *session, units []*workspace.Unit, words []string) error {
	var errs []error
	for _, u := range units {
		if err := o.run(s, u, words); err != nil {
			if len(units) == 1 {
				return err
			}
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		s.after(func() error { return errors.Join(errs...) })
	}
	return s.propagate()
}

func (o *unitUpdate) run(s *session, u *workspace.Unit, words []string) error {
	if err := workspace.CheckVersion(&u.Common, o.version); err != nil {
		return err
	}
	if o.metadata.isSet() {
		if err := o.metadata.apply(&u.Common); err != nil {
			return err
		}
		s.tx.Updated(&u.Common)
		if err := s.tx.WriteUnit(u); err != nil {
			return err
		}
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	if o.restore == "head" {
		return o.restoreHead(s, u)
	}
	if _, err := s.tx.Edits(e, []*workspace.Unit{u}, s.strictWorktree); err != nil {
		return err
	}
	switch {
	case len(words) == 2:
		data, err := s.input(words[1])
		if err != nil {
			return err
		}
		if err := o.record(s, e, u, data, entity.SourceUpdate, entity.Mutation{}); err != nil {
			return err
		}
	case o.restore != "":
		if err := o.restoreRevision(s, e, u); err != nil {
			return err
		}
	case o.upgrade || len(o.resolve) > 0:
		return o.resolveUnit(s, u)
	case o.mergeSource != "" || o.mergeExternal != "":
		return o.merge(s, u)
	}
	return s.printUnit(&o.output, u, "Successfully updated unit "+u.Slug)
}

// record makes a revision, unless the data is that of the head.
func (o *unitUpdate) record(
	s *session, e *wave.Runner, u *workspace.Unit, data []byte, source entity.Source, m entity.Mutation,
) error {
	if u.HeadRevisionNum > 0 && api.DataHash(data) == u.DataHash {
		return nil
	}
	m.Subgroup = o.subgroup
	_, err := s.tx.Record(e, u, data, source, o.changeDesc, m, o.protect)
	return err
}

func (o *unitUpdate) restoreRevision(s *session, e *wave.Runner, u *workspace.Unit) error {
	n, err := strconv.ParseInt(o.restore, 10, 64)
	if err != nil || n < 0 || n > u.HeadRevisionNum {
		return diag.Usage("--restore: a revision from 0 to %d is expected, not %q",
			u.HeadRevisionNum, o.restore)
	}
	data, err := s.Store.Data(u, n)
	if err != nil {
		return err
	}
	return o.record(s, e, u, data, entity.SourceRestore, entity.Mutation{RestoredRevisionNum: &n})
}

// restoreHead writes the working copy of a unit again.
func (o *unitUpdate) restoreHead(s *session, u *workspace.Unit) error {
	if err := s.tx.RestoreWorking(u); err != nil {
		return err
	}
	return s.printUnit(&o.output, u, "Successfully updated unit "+u.Slug)
}

// namesOrWhere reports names together with a selection, and neither.
func namesOrWhere(cmd *cobra.Command, names []string, sel *selection) error {
	switch {
	case len(names) > 0 && sel.isSet():
		return diag.UsageHint(cmd.UseLine(), "either names or --where is expected, not both")
	case len(names) == 0 && !sel.isSet():
		return diag.UsageHint(cmd.UseLine(), "a name or --where is expected")
	}
	return nil
}

// writeFile writes a file outside the workspace.
func (s *session) writeFile(name string, data []byte) error {
	if s.dryRun {
		return nil
	}
	name = source.InDirectory(s.app.Dir, name)
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return &api.Failure{
			Class: api.FailureFunction, Pos: api.Position{File: diag.FileName(name)},
			Message: err.Error(), Err: err,
		}
	}
	return nil
}
