package workspace

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// unitUpdate holds the flags of unit update.
type unitUpdate struct {
	session.Common
	session.SelectFlags
	session.Metadata
	session.Body
	session.PrintFlags
	session.ResolveFlags
	patch, upgrade, protect bool
	several                 bool // units
	resolve                 []string
	restore                 string
	mergeSource             string
	mergeBase, mergeEnd     int64
	mergeExternal           string
	subgroup                string
	version                 int64
	changes                 api.ResourceMutationList // what -o mutations prints
}

func newUnitUpdate(a *command.App) *cobra.Command {
	o := &unitUpdate{
		Common: session.Common{App: a}, Body: session.Body{Of: entity.KindUnit},
	}
	cmd := &cobra.Command{
		Use:   "update [flags] [UNIT] [FILE]",
		Short: "Give a unit other data, resolve its links, or restore a revision",
		Long: `Change a unit. With FILE (or -), its content is the new data. --upgrade merges
what changed in the unit it was cloned from; --resolve resolves links. --restore
brings back the data of an earlier revision. Without any of these, an edit of the
working copy is recorded. With --where several units are changed, upstreams first.
--filename and --from-stdin read fields of the unit itself, with its data in base64
if there is a field Data; with --patch, labels and annotations that the text does
not have stay.`,
		Example: `  fctl unit update web deployment.yaml --change-desc "two replicas"
  fctl unit update web --space prod --patch --upgrade --dry-run
  fctl unit update web --patch --resolve 'Link:*'
  fctl unit update web --restore 3`,
		Args: o.check,
	}
	flags := session.Flags(cmd, o.AddWrite, o.SelectFlags.Add, o.Metadata.Add, o.Body.Add,
		o.PrintFlags.Add, o.ResolveFlags.Add)
	flags.BoolVar(&o.patch, "patch", false, "merge labels and annotations of a text")
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
	flags.StringVar(&o.subgroup, "subgroup", "", "record the mutations under your own `CATEGORY`")
	flags.BoolVar(&o.protect, "protect", false, "keep merges from overwriting this change")
	flags.Int64Var(&o.version, "version", 0, "fail if the unit has another version than `N`")
	return o.Writes(cmd, func(s *session.Session, words []string) error {
		units, err := o.UnitsNamed(s, words[:min(len(words), 1)])
		if err != nil {
			return err
		}
		if units, err = s.Ordered(units, false); err != nil {
			return err
		}
		o.printChanges(s)
		o.several = len(units) > 1
		return s.EachUnit(units, func(u *workspace.Unit) error { return o.run(s, u, words) })
	})
}

// check reports words and flags that do not go together.
func (o *unitUpdate) check(cmd *cobra.Command, words []string) error {
	if err := command.Words(0, 2)(cmd, words); err != nil {
		return err
	}
	names := words[:min(len(words), 1)]
	if err := session.NamesOrWhere(cmd, names, &o.SelectFlags, "UNIT"); err != nil {
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
	if o.Stdin() && len(words) == 2 && words[1] == "-" {
		return diag.Usage("the standard input is either the unit or its data")
	}
	return validSubgroup(o.subgroup)
}

func validSubgroup(text string) error {
	isOther := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	if len(text) > 64 || strings.HasPrefix(text, "ConfigHub") || strings.ContainsFunc(text, isOther) {
		return diag.Usage("--subgroup: at most 64 letters and digits, not beginning with ConfigHub")
	}
	return nil
}

// merges reports whether links are resolved or something is merged, whose results are printed.
func (o *unitUpdate) merges() bool {
	return o.upgrade || len(o.resolve) > 0 || o.mergeSource != "" || o.mergeExternal != ""
}

func (o *unitUpdate) run(s *session.Session, u *workspace.Unit, words []string) error {
	if err := workspace.CheckVersion(&u.Common, o.version); err != nil {
		return err
	}
	data, has, err := o.fields(s, u, len(words) == 2)
	if err != nil {
		return err
	}
	if o.Metadata.IsSet() || o.Body.IsSet() {
		if err := o.Metadata.Apply(&u.Common); err != nil {
			return err
		}
		s.Tx.Updated(&u.Common)
		s.Tx.Write(u)
	}
	if o.restore == "head" {
		if err := s.Tx.RestoreWorking(u); err != nil {
			return err
		}
		return s.PrintDone(&o.PrintFlags, u, "updated")
	}
	edits, err := s.Propagator.Edits(u)
	if err != nil {
		return err
	}
	if o.Form == mutationsForm && len(edits) > 0 {
		if err := o.edit(s, u); err != nil {
			return err
		}
	}
	switch {
	case has || len(words) == 2:
		if !has {
			if data, err = s.Input(words[1]); err != nil {
				return err
			}
		}
		if err := o.record(s, u, data, entity.SourceUpdate, entity.Mutation{}); err != nil {
			return session.InFile(err, strings.Join(words[min(1, len(words)):], ""))
		}
	case o.restore != "":
		if err := o.restoreRevision(s, u); err != nil {
			return err
		}
	case o.upgrade || len(o.resolve) > 0:
		return o.resolveUnit(s, u)
	case o.mergeSource != "" || o.mergeExternal != "":
		return o.merge(s, u)
	}
	if o.Form == mutationsForm {
		return nil // all of them at the end
	}
	return s.PrintDone(&o.PrintFlags, u, "updated")
}

// fields gives a unit the fields of the text that flags name, and returns the data that it has.
func (o *unitUpdate) fields(s *session.Session, u *workspace.Unit, file bool) (
	data []byte, has bool, err error,
) {
	text, ok, err := o.Text(s)
	if err != nil || !ok {
		return nil, false, err
	}
	body, data, has, err := entity.DecodeUnitBody(text)
	if err != nil {
		return nil, false, err
	}
	if has && (file || o.restore != "" || o.merges()) {
		return nil, false, diag.Usage("the text has other data in the field Data: leave it out")
	}
	if body.ToolchainType != "" && body.ToolchainType != u.ToolchainType {
		return nil, false, u.Fail(entity.CodeToolchainImmutable,
			"%s is of %s, which cannot be changed to %s", u.Name(), u.ToolchainType,
			body.ToolchainType).WithHint("make another unit")
	}
	return data, has, session.Update(u, body, entity.Given(text), o.patch)
}

// mutationsForm is the output format that prints what changed.
const mutationsForm = "mutations"

// printChanges prints the changes of all units.
func (o *unitUpdate) printChanges(s *session.Session) {
	if o.Form == mutationsForm && !o.merges() {
		o.changes = api.ResourceMutationList{}
		s.After(func() error { return s.App.WriteValuesJSON(o.changes) })
	}
}

// edit adds the recorded edit of a working copy to the changes.
func (o *unitUpdate) edit(s *session.Session, u *workspace.Unit) error {
	before, err := s.Store.Data(u, u.HeadRevisionNum-1)
	if err != nil {
		return err
	}
	after, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	executor, err := s.Functions()
	if err != nil {
		return err
	}
	change, err := resolve.Diff(executor, u.ToolchainType, before, after, u.HeadMutationNum)
	if err != nil {
		return err
	}
	return o.changed(s, u, change, before, after)
}

// changed adds a change that is printed, on a terminal without secret values.
func (o *unitUpdate) changed(
	s *session.Session, u *workspace.Unit, change api.ResourceMutationList, before, after []byte,
) error {
	secrets, err := s.ValueSecrets(u, before, after)
	o.changes = append(o.changes, secrets.Mutations(change)...)
	return err
}

// record makes a revision, unless the data is that of the head.
func (o *unitUpdate) record(
	s *session.Session, u *workspace.Unit, data []byte, source entity.Source, m entity.Mutation,
) error {
	if u.HeadRevisionNum > 0 && api.DataHash(data) == u.DataHash {
		return nil
	}
	m.Subgroup = o.subgroup
	before, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	if _, err := s.Unwritten(u, before, data); err != nil {
		return err
	}
	change, err := s.Tx.Record(s.Propagator, u, data, source, o.ChangeDesc, m, o.protect)
	if err != nil {
		return err
	}
	return o.changed(s, u, change, before, data)
}

func (o *unitUpdate) restoreRevision(s *session.Session, u *workspace.Unit) error {
	n, err := strconv.ParseInt(o.restore, 10, 64)
	if err != nil || n < 0 || n > u.HeadRevisionNum {
		return diag.Usage("--restore: a revision from 0 to %d is expected, not %q",
			u.HeadRevisionNum, o.restore)
	}
	data, err := s.Store.Data(u, n)
	if err != nil {
		return err
	}
	return o.record(s, u, data, entity.SourceRestore, entity.Mutation{RestoredRevisionNum: &n})
}
