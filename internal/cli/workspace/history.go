package workspace

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/filter"
)

func newRevision(a *app.App) *cobra.Command {
	return group(a, "revision", "List the revisions of units",
		"Each change of a unit's data is a revision, numbered from 1.",
		newRevisionList(a), newRevisionData(a))
}

func newRevisionList(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the revisions of a unit, newest first",
		Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			all, err := s.Store.Revisions(u)
			if err != nil {
				return err
			}
			return printList(s, out, all, []column[*entity.Revision]{
				{"NUM", false, func(r *entity.Revision) string {
					return strconv.FormatInt(r.RevisionNum, 10)
				}},
				{"SOURCE", false, func(r *entity.Revision) string { return string(r.Source) }},
				{"HASH", false, func(r *entity.Revision) string {
					return r.DataHash[:min(12, len(r.DataHash))]
				}},
				{"CREATED", true, func(r *entity.Revision) string {
					return r.CreatedAt.Format("2006-01-02T15:04:05Z07:00")
				}},
				{"DESCRIPTION", false, func(r *entity.Revision) string {
					return dash(r.Description)
				}},
			}, func(r *entity.Revision) string { return strconv.FormatInt(r.RevisionNum, 10) },
				func(r *entity.Revision) any { return r })
		})
	}
	return cmd
}

func newRevisionData(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "data [flags] UNIT [N]", Short: "Print the data of a revision, of the head without N",
		Args: words(1, 2),
	}
	c.addSpace(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			n := u.HeadRevisionNum
			if len(words) == 2 {
				if n, err = number(words[1]); err != nil {
					return err
				}
			}
			data, err := s.Store.Data(u, n)
			if err != nil {
				return err
			}
			return s.app.Write(data)
		})
	}
	return cmd
}

func number(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 {
		return 0, diag.Usage("the number of a revision is expected, not %q", word)
	}
	return n, nil
}

func newMutation(a *app.App) *cobra.Command {
	return group(a, "mutation", "List the causes of changes",
		"A mutation is one cause of a change in a revision: an edit, a function, a link.",
		newMutationList(a))
}

func newMutationList(a *app.App) *cobra.Command {
	c, sel, out := &common{app: a}, &selection{}, &output{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the mutations of a unit, newest first",
		Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	sel.add(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			all, err := s.mutations(u, sel)
			if err != nil {
				return err
			}
			slices.Reverse(all)
			return printList(s, out, all, mutationColumns(s),
				func(m *entity.Mutation) string { return strconv.FormatInt(m.MutationNum, 10) },
				func(m *entity.Mutation) any { return m })
		})
	}
	return cmd
}

// mutations returns the selected mutations of a unit.
func (s *session) mutations(u *workspace.Unit, sel *selection) ([]*entity.Mutation, error) {
	expr, _, err := sel.expr(s, entity.FilterMutation)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Mutations(u)
	if err != nil {
		return nil, err
	}
	var all []*entity.Mutation
	for i := range list {
		c := s.mutationContext(u)
		if c.Revision, err = s.Store.Revision(u, list[i].RevisionNum); err != nil {
			c.Revision = nil
		}
		if expr.Match(filter.OfMutation(&list[i], c)) {
			all = append(all, &list[i])
		}
	}
	return all, nil
}

func (s *session) mutationContext(u *workspace.Unit) filter.MutationContext {
	return filter.MutationContext{
		Unit: u.Unit, UnitName: s.UnitName, LinkSlug: s.LinkSlug, InvocationSlug: s.InvocationSlug,
	}
}

func mutationColumns(s *session) []column[*entity.Mutation] {
	return []column[*entity.Mutation]{
		{"NUM", false, func(m *entity.Mutation) string {
			return strconv.FormatInt(m.MutationNum, 10)
		}},
		{"REVISION", false, func(m *entity.Mutation) string {
			return strconv.FormatInt(m.RevisionNum, 10)
		}},
		{"LINK", false, func(m *entity.Mutation) string { return dash(s.LinkSlug(m.LinkID)) }},
		{"PROVIDED-RESOURCE", false, func(m *entity.Mutation) string {
			if m.ProvidedResource == nil {
				return "-"
			}
			return m.ProvidedResource.String()
		}},
		{"PROVIDED-PATH", false, func(m *entity.Mutation) string { return dash(m.ProvidedPath) }},
		{"FUNCTION", false, func(m *entity.Mutation) string {
			if m.FunctionInvocation == nil {
				return "-"
			}
			return m.FunctionInvocation.FunctionName
		}},
		{"MERGE-SOURCE", false, func(m *entity.Mutation) string {
			if m.MergeSourceID == "" {
				return "-"
			}
			text := s.UnitName(m.MergeSourceID)
			if m.MergeBaseRevisionNum != nil && m.MergeEndRevisionNum != nil {
				text += " " + strconv.FormatInt(*m.MergeBaseRevisionNum, 10) + ".." +
					strconv.FormatInt(*m.MergeEndRevisionNum, 10)
			}
			return text
		}},
	}
}

func newUnitDiff(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "diff [flags] UNIT", Short: "Show what changed between two revisions of a unit",
		Long: `Show what changed between two revisions of a unit, or since its head revision in
the working copy. The exit status is 1 if something changed.`,
		Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	app.AddShowSecrets(cmd.Flags(), &c.showSecrets)
	from := cmd.Flags().Int64("from", -1, "from revision `N`; the head without it")
	to := cmd.Flags().Int64("to", -1, "to revision `N`; the working copy without it")
	form := app.AddOutput(cmd.Flags(), "diff or mutations", "diff", "mutations")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			return s.diff(u, *from, *to, form.Value)
		})
	}
	return cmd
}

// diff prints what changed between two revisions; -1 means the head, and the working copy.
func (s *session) diff(u *workspace.Unit, from, to int64, form string) error {
	if from < 0 {
		from = u.HeadRevisionNum
	}
	before, err := s.Store.Data(u, from)
	if err != nil {
		return err
	}
	var after []byte
	if to < 0 {
		after, err = s.Store.Working(u)
	} else {
		after, err = s.Store.Data(u, to)
	}
	if err != nil {
		return err
	}
	if form == "mutations" {
		e, err := s.engine()
		if err != nil {
			return err
		}
		_, change, err := e.Accumulate(u.ToolchainType, nil, before, after, 0, false)
		if err != nil {
			return s.Store.InUnit(u, err)
		}
		err = s.app.WriteJSON(change)
		if err != nil || string(before) == string(after) {
			return err
		}
		return app.ExitError(app.ExitNo)
	}
	text, err := s.shown(u, before, after)
	if err != nil {
		return err
	}
	if err := s.app.Write(text); err != nil || len(text) == 0 {
		return err
	}
	return app.ExitError(app.ExitNo)
}
