package workspace

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newRevision(a *command.App) *cobra.Command {
	return session.Group(a, "revision", "List the revisions of units",
		"Each change of a unit's data is a revision, numbered from 1.",
		newRevisionList(a), newRevisionData(a))
}

func newRevisionList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the revisions of a unit, newest first",
		Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	sel.AddWhere(cmd.Flags(), "description")
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			all, err := s.Store.Revisions(u)
			if err != nil {
				return err
			}
			if all, err = sel.Revisions(all); err != nil {
				return err
			}
			return session.PrintList(s, out, all, []session.Column[*entity.Revision]{
				session.Col("NUM", func(r *entity.Revision) string {
					return strconv.FormatInt(r.RevisionNum, 10)
				}),
				session.Col("SOURCE", func(r *entity.Revision) string { return string(r.Source) }),
				session.Col("HASH", func(r *entity.Revision) string {
					return r.DataHash[:min(12, len(r.DataHash))]
				}),
				session.WideCol("CREATED", func(r *entity.Revision) string {
					return r.CreatedAt.Format("2006-01-02T15:04:05Z07:00")
				}),
				session.Col("DESCRIPTION", func(r *entity.Revision) string {
					return session.Dash(r.Description)
				}),
			}, func(r *entity.Revision) string { return strconv.FormatInt(r.RevisionNum, 10) },
				func(r *entity.Revision) any { return r })
		})
	}
	return cmd
}

func newRevisionData(a *command.App) *cobra.Command {
	return newPrintNumbered(a, "data", "Print the data of a revision, of the head without N",
		func(u *workspace.Unit) int64 { return u.HeadRevisionNum }, (*workspace.Store).Data)
}

// newPrintNumbered makes a command that prints what the history of a unit has under a number: the
// newest without one.
func newPrintNumbered(
	a *command.App, verb, short string, newest func(*workspace.Unit) int64,
	read func(*workspace.Store, *workspace.Unit, int64) ([]byte, error),
) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: verb + " [flags] UNIT [N]", Short: short, Args: session.Words(1, 2),
	}
	c.AddSpace(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			n := newest(u)
			if len(words) == 2 {
				if n, err = number(words[1]); err != nil {
					return err
				}
			}
			data, err := read(s.Store, u, n)
			if err != nil {
				return noRevision(err, u)
			}
			return s.App.Write(data)
		})
	}
	return cmd
}

// noRevision gives the error about a revision that a user has named another hint.
func noRevision(err error, u *workspace.Unit) error {
	if e, ok := errors.AsType[*entity.Error](err); ok && e.Code == entity.CodeRevisionMissing {
		named := *e
		named.Hint = "fctl revision list " + u.Name()
		return &named
	}
	return err
}

func number(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 {
		return 0, diag.Usage("a number from 0 on is expected, not %q", word)
	}
	return n, nil
}

func newMutation(a *command.App) *cobra.Command {
	return session.Group(a, "mutation", "List the causes of changes",
		"A mutation is one cause of a change in a revision: an edit, a function, a link.",
		newMutationList(a))
}

func newMutationList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the mutations of a unit, newest first",
		Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	command.AddShowSecrets(cmd.Flags(), &c.ShowSecrets)
	sel.Add(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			all, err := mutations(s, u, sel)
			if err != nil {
				return err
			}
			slices.Reverse(all)
			return session.PrintList(s, out, all, mutationColumns(s),
				func(m *entity.Mutation) string { return strconv.FormatInt(m.MutationNum, 10) },
				func(m *entity.Mutation) any { return shownMutation(s, u, m) })
		})
	}
	return cmd
}

// shownMutation returns a mutation as JSON has it: on a terminal without secret values.
func shownMutation(s *session.Session, u *workspace.Unit, m *entity.Mutation) *entity.Mutation {
	if m.FunctionInvocation == nil || s.ShowSecrets || !s.App.Streams.OutIsTerminal() {
		return m
	}
	shown := *m
	invocation := *m.FunctionInvocation
	shown.FunctionInvocation = &invocation
	before, err := s.Store.Data(u, m.RevisionNum-1)
	if after, failed := s.Store.Data(u, m.RevisionNum); err == nil && failed == nil {
		if secrets, err := s.Secrets(u, before, after); err == nil {
			invocation = secrets.Invocation(invocation)
			return &shown
		}
	}
	invocation.Arguments = nil // the history lacks the data, so any of them may be secret
	return &shown
}

// mutations returns the selected mutations of a unit.
func mutations(
	s *session.Session, u *workspace.Unit, sel *session.Selection,
) ([]*entity.Mutation, error) {
	expr, _, err := sel.Expr(s, entity.FilterMutation)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Mutations(u)
	if err != nil {
		return nil, err
	}
	var all []*entity.Mutation
	for i := range list {
		c := mutationContext(s, u)
		if c.Revision, err = s.Store.Revision(u, list[i].RevisionNum); err != nil {
			c.Revision = nil
		}
		if s.Matches(expr, filter.OfMutation(&list[i], c)) &&
			sel.HasText(mutationTexts(&list[i], c)...) {
			all = append(all, &list[i])
		}
	}
	return all, nil
}

// mutationTexts returns where --contains searches: what a mutation is called in lists.
func mutationTexts(m *entity.Mutation, c filter.MutationContext) []string {
	texts := []string{c.Slug(m.LinkID), c.UnitName(m.MergeSourceID), m.Subgroup}
	if m.FunctionInvocation != nil {
		texts = append(texts, session.InvocationText(*m.FunctionInvocation))
	}
	if c.Revision != nil {
		texts = append(texts, c.Revision.Description)
	}
	return texts
}

func mutationContext(s *session.Session, u *workspace.Unit) filter.MutationContext {
	return filter.MutationContext{
		Unit: u.Unit, UnitName: s.UnitName, Slug: s.Slug,
	}
}

func mutationColumns(s *session.Session) []session.Column[*entity.Mutation] {
	return []session.Column[*entity.Mutation]{
		session.Col("NUM", func(m *entity.Mutation) string {
			return strconv.FormatInt(m.MutationNum, 10)
		}),
		session.Col("REVISION", func(m *entity.Mutation) string {
			return strconv.FormatInt(m.RevisionNum, 10)
		}),
		session.Col("LINK", func(m *entity.Mutation) string {
			return session.Dash(s.Slug(m.LinkID))
		}),
		session.Col("PROVIDED-RESOURCE", func(m *entity.Mutation) string {
			if m.ProvidedResource == nil {
				return "-"
			}
			return m.ProvidedResource.String()
		}),
		session.Col("PROVIDED-PATH", func(m *entity.Mutation) string {
			return session.Dash(m.ProvidedPath)
		}),
		session.Col("FUNCTION", func(m *entity.Mutation) string {
			if m.FunctionInvocation == nil {
				return "-"
			}
			return m.FunctionInvocation.FunctionName
		}),
		session.Col("MERGE-SOURCE", func(m *entity.Mutation) string {
			if m.MergeSourceID == "" {
				return "-"
			}
			text := s.UnitName(m.MergeSourceID)
			if m.MergeBaseRevisionNum != nil && m.MergeEndRevisionNum != nil {
				text += " " + strconv.FormatInt(*m.MergeBaseRevisionNum, 10) + ".." +
					strconv.FormatInt(*m.MergeEndRevisionNum, 10)
			}
			return text
		}),
	}
}

func newUnitDiff(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "diff [flags] UNIT", Short: "Show what changed between two revisions of a unit",
		Long: `Show what changed between two revisions of a unit, or since its head revision in
the working copy. The exit status is 1 if something changed.`,
		Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	command.AddShowSecrets(cmd.Flags(), &c.ShowSecrets)
	from := cmd.Flags().Int64("from", -1, "start at revision `N` (default: the head)")
	to := cmd.Flags().Int64("to", -1, "end at revision `N` (default: the working copy)")
	form := command.AddOutput(cmd.Flags(), "diff or mutations", "diff", "mutations")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			return diff(s, u, *from, *to, form.Value)
		})
	}
	return cmd
}

// diff prints what changed between two revisions; -1 means the head, and the working copy.
func diff(s *session.Session, u *workspace.Unit, from, to int64, form string) error {
	if from < 0 {
		from = u.HeadRevisionNum
	}
	before, err := s.Store.Data(u, from)
	if err != nil {
		return noRevision(err, u)
	}
	var after []byte
	if to < 0 {
		after, err = s.Store.Working(u)
	} else {
		after, err = s.Store.Data(u, to)
	}
	if err != nil {
		return noRevision(err, u)
	}
	if form == "mutations" {
		e, err := s.Engine()
		if err != nil {
			return err
		}
		_, change, err := e.Accumulate(u.ToolchainType, nil, before, after, 0, false)
		if err != nil {
			return s.Store.InUnit(u, err)
		}
		if s.App.Streams.OutIsTerminal() {
			secrets, err := s.Secrets(u, before, after)
			if err != nil {
				return err
			}
			change = secrets.Mutations(change)
		}
		err = s.App.WriteValuesJSON(change)
		if err != nil || string(before) == string(after) {
			return err
		}
		return diag.ExitError(diag.ExitNo)
	}
	text, err := s.Shown(u, before, after)
	if err != nil {
		return err
	}
	if err := s.App.WriteText(string(text)); err != nil || len(text) == 0 {
		return err
	}
	return diag.ExitError(diag.ExitNo)
}
