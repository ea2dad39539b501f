package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/severity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// unitConflicts holds the flags of unit conflicts.
type unitConflicts struct {
	session.Common
	session.PrintFlags
	apply, dismiss, inEditor bool
	reason, resource, path   string
	severity                 command.Choice
}

func newUnitConflicts(a *command.App) *cobra.Command {
	o := &unitConflicts{Common: session.Common{App: a}}
	o.severity = command.Choice{
		What: "severity", Value: "note", Values: []string{"ignore", "note", "warning", "error"},
	}
	cmd := &cobra.Command{
		Use:   "conflicts [flags] [UNIT]",
		Short: "List the conflicts of merges into a unit, and settle them",
		Long: `List what merges did not apply because the unit has changed the same, or lost
although the unit has changed it. --apply writes the value of the upstream unit,
--dismiss forgets the conflict, --edit opens an editor with the values of both
sides. The next merge of the same link replaces the list. How severe a conflict is
can be said in ConflictSeverity of fctl-workspace.yaml; those to ignore are not
listed. UNIT can be left out if only one unit has conflicts.`,
		Args: command.Words(0, 1),
	}
	flags := session.Flags(cmd, o.AddWrite, o.PrintFlags.Add)
	flags.BoolVar(&o.apply, "apply", false, "write the values of the upstream unit")
	flags.BoolVar(&o.dismiss, "dismiss", false, "forget the conflicts")
	flags.BoolVar(&o.inEditor, "edit", false,
		"decide each conflict in the editor of VISUAL or EDITOR")
	flags.StringVar(&o.reason, "reason", "", "select only conflicts with `REASON`")
	flags.StringVar(&o.resource, "resource", "", "select only conflicts in the resource "+
		"`TYPE:NAME`")
	flags.StringVar(&o.path, "path", "", "select only conflicts at `PATH`")
	flags.Var(&o.severity, "severity",
		"select only conflicts at least as severe as `LEVEL`: ignore (all), note, warning or "+
			"error")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if o.apply && o.dismiss || o.inEditor && (o.apply || o.dismiss) {
			return diag.Usage("--apply, --dismiss and --edit exclude each other")
		}
		if len(words) == 0 {
			name, err := o.only(cmd)
			if name == "" {
				return err
			}
			words = []string{name}
		}
		if o.inEditor {
			return o.edit(cmd, words[0])
		}
		if !o.apply && !o.dismiss {
			return o.Read(cmd, func(s *session.Session) error { return o.list(s, words[0]) })
		}
		return o.Write(cmd, session.Title(cmd, words...), func(s *session.Session) error {
			return o.settle(s, words[0])
		})
	}
	return cmd
}

// only returns the name of the only unit with conflicts, and says so if there are several or none.
func (o *unitConflicts) only(cmd *cobra.Command) (name string, err error) {
	defer func(was string) { o.SpaceFlag = was }(o.SpaceFlag)
	err = o.Read(cmd, func(s *session.Session) error {
		if err := s.OneSpaceOrAll(); err != nil {
			return err
		}
		var names []string
		for _, u := range s.Units {
			n, err := conflictCount(s, u)
			if err != nil {
				return err
			}
			if n > 0 && s.In(u.SpaceSlug) {
				names = append(names, u.Name())
			}
		}
		switch len(names) {
		case 0:
			s.Note("no unit has conflicts")
		case 1:
			name = names[0]
		default:
			return diag.UsageHint(cmd.CommandPath()+" "+names[0], "UNIT is missing: %s have conflicts",
				strings.Join(names, ", "))
		}
		return nil
	})
	return name, err
}

// matches reports whether the flags select a conflict.
func (o *unitConflicts) matches(s *session.Session, c api.MutationConflict) bool {
	of, name, _ := strings.Cut(o.resource, ":")
	return severity.AtLeast(severityOf(s, &c), entity.Severity(o.severity.Value)) &&
		(o.reason == "" || string(c.Reason) == o.reason) &&
		(o.resource == "" || string(c.Resource.ResourceType) == of &&
			slices.Contains([]string{
				string(c.Resource.ResourceName), string(c.Resource.ResourceNameWithoutScope),
			}, name)) &&
		(o.path == "" || o.path == string(c.Path) || o.path == mutation.PlainPath(c.Path))
}

func severityOf(s *session.Session, c *api.MutationConflict) entity.Severity {
	return severity.Of(s.Store.Config.ConflictSeverity, c)
}

// effect returns what a conflict means for the unit.
func effect(r api.ConflictReason) string {
	switch {
	case r.Loses():
		return "lost local"
	case r == api.ConflictSubtracted, r == api.ConflictProtectedPath, r == api.ConflictBothAdded:
		return "kept local"
	}
	return "not applied"
}

func (o *unitConflicts) list(s *session.Session, name string) error {
	u, err := s.UnitNamed(name)
	if err != nil {
		return err
	}
	all, err := s.Store.Conflicts(u)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c api.MutationConflict) bool { return !o.matches(s, c) })
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	of, err := entity.JSON(all)
	if err != nil {
		return err
	}
	secrets, err := s.Secrets(u, data, nil, of)
	if err != nil {
		return err
	}
	table := session.Listing[api.MutationConflict]{
		Head: []string{"RESOURCE", "PATH", "EFFECT", "CONFLICT", "LINK", "+REASON", "+SEVERITY"},
		Cells: func(c api.MutationConflict) []string {
			return []string{
				session.ResourceText(c.Resource), session.Dash(mutation.PlainPath(c.Path)),
				effect(c.Reason), session.ConflictText(&c, secrets), session.Dash(s.Slug(c.LinkID)),
				string(c.Reason), string(severityOf(s, &c)),
			}
		},
		Name: func(c api.MutationConflict) string { return session.ResourceText(c.Resource) },
		Object: func(c api.MutationConflict) any {
			of := severityOf(s, &c)
			if s.App.Streams.OutIsTerminal() {
				c = secrets.Conflict(c)
			}
			return struct {
				api.MutationConflict
				Severity entity.Severity
			}{c, of}
		},
	}
	return table.Print(s, &o.PrintFlags, all)
}

// outstanding records what the user edited in a unit, and returns the unit and its conflicts.
func outstanding(s *session.Session, name string) (*workspace.Unit, api.MutationConflictList, error) {
	u, err := s.UnitNamed(name)
	if err == nil {
		err = s.Edits(u)
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := s.Store.Conflicts(u)
	return u, all, err
}

// settle applies or dismisses conflicts.
func (o *unitConflicts) settle(s *session.Session, name string) error {
	u, all, err := outstanding(s, name)
	if err != nil {
		return err
	}
	var settled, others api.MutationConflictList
	for _, c := range all {
		if o.matches(s, c) {
			settled = append(settled, c)
		} else {
			others = append(others, c)
		}
	}
	if len(settled) == 0 {
		return u.Fail(entity.CodeNotFound, "no conflict of %s is selected", u.Name()).
			WithHint("fctl ws conflicts " + u.Name() + " lists them").WithClass(api.FailureNo)
	}
	var left api.MutationConflictList
	if o.apply {
		if left, err = o.write(s, u, settled, "applied "); err != nil {
			return err
		}
		if len(left) >= len(settled) { // one conflict may leave several
			return notApplied(u, left)
		}
	}
	for i := range left {
		s.Warn(entity.Warning{
			Code: entity.CodePathNotFound, Space: u.SpaceSlug, Unit: u.Slug,
			Message: "not applied: " + left[i].String(),
		})
	}
	others = append(others, left...)
	settledNum := len(settled) - len(left)
	if settledNum > 0 { // else the command is not one that undo takes back
		s.Tx.WriteConflicts(u, others)
	}
	verb := map[bool]string{true: "applied", false: "dismissed"}[o.apply]
	s.NoteAfter("%s %s", verb, diag.Count(settledNum, "conflict"))
	return s.Propagate()
}

// write writes the values of conflicts as a revision of the unit, one mutation for each link, and
// returns the conflicts whose values could not be written.
func (o *unitConflicts) write(
	s *session.Session, u *workspace.Unit, conflicts api.MutationConflictList, verb string,
) (api.MutationConflictList, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	in, err := s.Propagator.Unit(u)
	if err != nil {
		return nil, err
	}
	applied, err := resolve.ApplyConflicts(executor, &in, conflicts)
	if err != nil {
		return nil, s.Store.InUnit(u, err)
	}
	if !applied.Changed {
		return applied.Left, nil
	}
	description := cmp.Or(o.ChangeDesc,
		verb+diag.Count(len(conflicts)-len(applied.Left), "conflict"))
	s.Tx.Revise(u, workspace.NewRevision{
		Data: applied.Data, Source: entity.SourceMergeUnits, Description: description,
		Mutations: applied.Mutations, Sources: applied.Sources,
	})
	return applied.Left, nil
}

// notApplied returns the error about conflicts whose values cannot be written.
func notApplied(u *workspace.Unit, left api.MutationConflictList) error {
	return u.Fail(entity.CodePathNotFound, "not applied: %s", left[0].String())
}
