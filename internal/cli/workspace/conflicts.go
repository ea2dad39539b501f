package workspace

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/severity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// unitConflicts holds the flags of unit conflicts.
type unitConflicts struct {
	session.Common
	session.Output
	apply, dismiss, inEditor bool
	reason, resource, path   string
	severity                 command.Choice
	rules                    []entity.ConflictRule
}

func newUnitConflicts(a *command.App) *cobra.Command {
	o := &unitConflicts{Common: session.Common{App: a}}
	o.severity = command.Choice{
		What: "severity", Value: "note", Values: []string{"ignore", "note", "warning", "error"},
	}
	cmd := &cobra.Command{
		Use:   "conflicts [flags] UNIT",
		Short: "List the conflicts of merges into a unit, and settle them",
		Long: `List what merges did not apply because the unit has changed the same, or lost
although the unit has changed it. --apply writes the value of the upstream unit,
--dismiss forgets the conflict, --edit opens an editor with the values of both
sides. The next merge of the same link replaces the list. How severe a conflict is
can be said in ConflictSeverity of fctl-workspace.yaml; those to ignore are not
listed.`,
		Args: session.Words(1, 1),
	}
	flags := cmd.Flags()
	o.AddWrite(flags)
	o.Output.Add(flags)
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
		if o.inEditor {
			return o.edit(cmd, words[0])
		}
		if !o.apply && !o.dismiss {
			return o.Read(cmd, func(s *session.Session) error { return o.list(s, words[0]) })
		}
		return o.Write(cmd, "unit conflicts "+words[0], func(s *session.Session) error {
			return o.settle(s, words[0])
		})
	}
	return cmd
}

// matches reports whether the flags select a conflict.
func (o *unitConflicts) matches(c api.MutationConflict) bool {
	of, name, _ := strings.Cut(o.resource, ":")
	return severity.AtLeast(severity.Of(o.rules, &c), entity.Severity(o.severity.Value)) &&
		(o.reason == "" || string(c.Reason) == o.reason) &&
		(o.resource == "" || string(c.Resource.ResourceType) == of &&
			slices.Contains([]string{
				string(c.Resource.ResourceName), string(c.Resource.ResourceNameWithoutScope),
			}, name)) &&
		(o.path == "" || o.path == string(c.Path) || o.path == mutation.PlainPath(c.Path))
}

// effect returns what a conflict means for the unit.
func effect(r api.ConflictReason) string {
	switch r {
	case api.ConflictSubtracted, api.ConflictProtectedPath, api.ConflictBothAdded:
		return "kept local"
	case api.ConflictDeleteShadowed, api.ConflictExclusiveCleared:
		return "lost local"
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
	o.rules = s.Store.Config.ConflictSeverity
	all = slices.DeleteFunc(all, func(c api.MutationConflict) bool { return !o.matches(c) })
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
	return session.PrintList(s, &o.Output, all, []session.Column[api.MutationConflict]{
		session.Col("RESOURCE", func(c api.MutationConflict) string {
			return session.ResourceText(c.Resource)
		}),
		session.Col("PATH", func(c api.MutationConflict) string {
			return session.Dash(mutation.PlainPath(c.Path))
		}),
		session.Col("REASON", func(c api.MutationConflict) string { return string(c.Reason) }),
		session.Col("EFFECT", func(c api.MutationConflict) string { return effect(c.Reason) }),
		session.Col("LINK", func(c api.MutationConflict) string {
			return session.Dash(s.Slug(c.LinkID))
		}),
		session.WideCol("SEVERITY", func(c api.MutationConflict) string {
			return string(severity.Of(o.rules, &c))
		}),
		session.WideCol("CONFLICT", func(c api.MutationConflict) string {
			return session.ConflictText(&c, secrets)
		}),
	}, func(c api.MutationConflict) string { return session.ResourceText(c.Resource) },
		func(c api.MutationConflict) any {
			of := severity.Of(o.rules, &c)
			if s.App.Streams.OutIsTerminal() {
				c = secrets.Conflict(c)
			}
			return conflictJSON{c, of}
		})
}

// conflictJSON is a conflict as -o json prints it.
type conflictJSON struct {
	api.MutationConflict
	Severity entity.Severity
}

// outstanding records what the user edited in a unit, and returns the unit, the engine and the
// conflicts of the unit.
func outstanding(s *session.Session, name string) (
	u *workspace.Unit, e *propagate.Propagator, all api.MutationConflictList, err error,
) {
	if u, err = s.UnitNamed(name); err != nil {
		return nil, nil, nil, err
	}
	if e, err = s.Engine(); err != nil {
		return nil, nil, nil, err
	}
	if _, err = s.Tx.Edits(e, []*workspace.Unit{u}, s.StrictWorktree); err != nil {
		return nil, nil, nil, err
	}
	all, err = s.Store.Conflicts(u)
	return u, e, all, err
}

// settle applies or dismisses conflicts.
func (o *unitConflicts) settle(s *session.Session, name string) error {
	u, e, all, err := outstanding(s, name)
	if err != nil {
		return err
	}
	o.rules = s.Store.Config.ConflictSeverity
	var settled, others api.MutationConflictList
	for _, c := range all {
		if o.matches(c) {
			settled = append(settled, c)
		} else {
			others = append(others, c)
		}
	}
	var left api.MutationConflictList
	if o.apply && len(settled) > 0 {
		if left, err = o.write(s, u, e, settled, "applied "); err != nil {
			return err
		}
		if len(left) == len(settled) {
			return notApplied(u, left)
		}
	}
	for i := range left {
		s.Warn([]entity.Warning{{
			Code: entity.CodePathNotFound, Space: u.SpaceSlug, Unit: u.Slug,
			Message: "not applied: " + left[i].String(),
		}})
	}
	others = append(others, left...)
	settledNum := len(settled) - len(left)
	if settledNum > 0 { // else the command is not one that undo takes back
		s.Tx.WriteConflicts(u, others)
	}
	verb := map[bool]string{true: "applied", false: "dismissed"}[o.apply]
	s.After(func() error {
		s.Note("%s %s", verb, diag.Count(settledNum, "conflict"))
		return nil
	})
	return s.Propagate()
}

// write writes the values of conflicts as a revision of the unit, one mutation for each link, and
// returns the conflicts whose values could not be written.
func (o *unitConflicts) write(
	s *session.Session, u *workspace.Unit, e *propagate.Propagator, conflicts api.MutationConflictList,
	verb string,
) (api.MutationConflictList, error) {
	in, err := e.Unit(u)
	if err != nil {
		return nil, err
	}
	applied, err := resolve.ApplyConflicts(e.Executor, &in, conflicts)
	if err != nil {
		return nil, s.Store.InUnit(u, err)
	}
	if !applied.Changed {
		return applied.Left, nil
	}
	description := o.ChangeDesc
	if description == "" {
		description = verb + diag.Count(len(conflicts)-len(applied.Left), "conflict")
	}
	s.Tx.Revise(u, workspace.Change{
		Data: applied.Data, Source: entity.SourceMergeUnits, Description: description,
		Mutations: applied.Mutations, Sources: applied.Sources,
	})
	return applied.Left, nil
}

// notApplied returns the error about conflicts whose values cannot be written.
func notApplied(u *workspace.Unit, left api.MutationConflictList) error {
	return &entity.Error{
		Code: entity.CodePathNotFound, Space: u.SpaceSlug, Unit: u.Slug,
		Message: "not applied: " + left[0].String(),
	}
}
