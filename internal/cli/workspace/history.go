package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newRevision(a *command.App) *cobra.Command {
	return session.Group(a, "revision", "List the revisions of units",
		"Each change of a unit's data is a revision, numbered from 1.",
		newRevisionList(a), newRevisionData(a))
}

func newRevisionList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the revisions of a unit, newest first",
		Args: command.Words(1, 1),
	}
	sel.AddWhere(session.Flags(cmd, c.AddSpace, out.Add), "description")
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		all, err := s.Store.Revisions(u)
		if err == nil {
			all, err = sel.Revisions(all)
		}
		if err != nil {
			return err
		}
		table := session.Listing[*entity.Revision]{
			Head: []string{"NUM", "SOURCE", "HASH", "+CREATED", "DESCRIPTION"},
			Cells: func(r *entity.Revision) []string {
				return []string{
					number(r.RevisionNum), string(r.Source), r.DataHash[:min(12, len(r.DataHash))],
					r.CreatedAt.Format(time.RFC3339), session.Dash(r.Description),
				}
			},
			Name:   func(r *entity.Revision) string { return number(r.RevisionNum) },
			Object: func(r *entity.Revision) any { return r },
		}
		return table.Print(s, out, all)
	})
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
		Use: verb + " [flags] UNIT [N]", Short: short, Args: command.Words(1, 2),
	}
	session.Flags(cmd, c.AddSpace)
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		n := newest(u)
		if len(words) == 2 {
			if n, err = strconv.ParseInt(words[1], 10, 64); err != nil || n < 0 {
				return diag.Usage("a number from 0 on is expected, not %q", words[1])
			}
		}
		data, err := read(s.Store, u, n)
		if err != nil {
			return noRevision(err, u)
		}
		return s.App.Write(data)
	})
}

// revisionOrWorking returns the data of a revision, -1 for the working copy.
func revisionOrWorking(s *session.Session, u *workspace.Unit, n int64) ([]byte, error) {
	if n < 0 {
		return s.Store.Working(u)
	}
	data, err := s.Store.Data(u, n)
	return data, noRevision(err, u)
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

func newMutation(a *command.App) *cobra.Command {
	return session.Group(a, "mutation", "List the causes of changes",
		"A mutation is one cause of a change in a revision: an edit, a function, a link.",
		newMutationList(a))
}

func newMutationList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "list [flags] UNIT", Short: "List the mutations of a unit, newest first",
		Args: command.Words(1, 1),
	}
	session.Flags(cmd, c.AddSpace, c.AddShowSecrets, sel.Add, out.Add)
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		all, err := mutations(s, u, sel)
		if err != nil {
			return err
		}
		slices.Reverse(all)
		table := session.Listing[*entity.Mutation]{
			Head: []string{
				"NUM", "REVISION", "LINK", "PROVIDED-RESOURCE", "PROVIDED-PATH", "FUNCTION",
				"MERGE-SOURCE",
			},
			Cells:  func(m *entity.Mutation) []string { return mutationCells(s, m) },
			Name:   func(m *entity.Mutation) string { return number(m.MutationNum) },
			Object: func(m *entity.Mutation) any { return shownMutation(s, u, m) },
		}
		return table.Print(s, out, all)
	})
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
	s *session.Session, u *workspace.Unit, sel *session.SelectFlags,
) ([]*entity.Mutation, error) {
	expr, _, err := sel.Expr(s, filter.Mutation)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Mutations(u)
	if err != nil {
		return nil, err
	}
	var all []*entity.Mutation
	for i := range list {
		c := filter.MutationContext{Unit: u.Unit, UnitName: s.UnitName, Slug: s.Slug}
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

func mutationCells(s *session.Session, m *entity.Mutation) []string {
	provided, function, source := "", "", s.UnitName(m.MergeSourceID)
	if m.ProvidedResource != nil {
		provided = m.ProvidedResource.String()
	}
	if m.FunctionInvocation != nil {
		function = m.FunctionInvocation.FunctionName
	}
	if m.MergeSourceID != "" && m.MergeBaseRevisionNum != nil && m.MergeEndRevisionNum != nil {
		source += fmt.Sprintf(" %d..%d", *m.MergeBaseRevisionNum, *m.MergeEndRevisionNum)
	}
	return []string{
		number(m.MutationNum), number(m.RevisionNum), session.Dash(s.Slug(m.LinkID)),
		session.Dash(provided), session.Dash(m.ProvidedPath), session.Dash(function),
		session.Dash(source),
	}
}

func newUnitDiff(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "diff [flags] UNIT", Short: "Show what changed between two revisions of a unit",
		Long: `Show what changed between two revisions of a unit, or since its head revision in
the working copy. The exit status is 1 if something changed.`,
		Args: command.Words(1, 1),
	}
	flags := session.Flags(cmd, c.AddSpace, c.AddShowSecrets)
	from := flags.Int64("from", -1, "start at revision `N` (default: the head)")
	to := flags.Int64("to", -1, "end at revision `N` (default: the working copy)")
	flags.Lookup("from").DefValue, flags.Lookup("to").DefValue = "0", "0" // their texts say it
	form := command.AddOutput(flags, "diff or mutations", "diff", "mutations")
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		if *from < 0 {
			*from = u.HeadRevisionNum
		}
		before, err := revisionOrWorking(s, u, *from)
		if err != nil {
			return err
		}
		after, err := revisionOrWorking(s, u, *to)
		if err != nil {
			return err
		}
		if form.Value == mutationsForm {
			return diffMutations(s, u, before, after)
		}
		text, err := s.Shown(u, before, after)
		if err != nil {
			return err
		}
		if err := s.App.WriteText(string(text)); err != nil || len(text) == 0 {
			return err
		}
		return diag.ExitError(diag.ExitNo)
	})
}

// diffMutations prints what changed as mutations.
func diffMutations(s *session.Session, u *workspace.Unit, before, after []byte) error {
	executor, err := s.Functions()
	if err != nil {
		return err
	}
	change, err := resolve.Diff(executor, u.ToolchainType, before, after, 0)
	if err != nil {
		return s.Store.InUnit(u, err)
	}
	secrets, err := s.ValueSecrets(u, before, after)
	if err != nil {
		return err
	}
	err = s.App.WriteValuesJSON(secrets.Mutations(change))
	if err != nil || string(before) == string(after) {
		return err
	}
	return diag.ExitError(diag.ExitNo)
}
