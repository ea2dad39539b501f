// Package link implements fctl link: making, changing, resolving and looking at the links of a
// workspace. Package internal/links/resolve computes what resolving does.
//
// Layer: commands.
package link

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// New makes the command.
func New(a *command.App) *cobra.Command {
	return session.Group(a, "link", "Make, change, look at and resolve links between units",
		`A link says that a downstream unit takes something from an upstream unit. Its
type says what: UpgradeUnit and MergeUnits merge changes, Insert puts a whole
text into one field, Upsert adds resources, TransformPaths computes values, and
NeedsProvides, the default, fills placeholders. A link of the type None is for
order only. A link is in the space of its downstream unit.`,
		newLinkCreate(a), newLinkList(a), newLinkGet(a), newLinkUpdate(a), newLinkDelete(a),
		newLinkResolve(a), newLinkPlan(a), newLinkGraph(a), newLinkVerify(a),
		newLinkExplain(a), newLinkInfer(a), newLinkDoctor(a))
}

func linkColumns() []session.Column[*workspace.Link] {
	return []session.Column[*workspace.Link]{
		session.Col("NAME", func(l *workspace.Link) string { return l.Slug }),
		session.Col("SPACE", func(l *workspace.Link) string { return l.SpaceSlug }),
		session.Col("FROM-UNIT", func(l *workspace.Link) string { return l.FromUnit }),
		session.Col("TO-UNIT", func(l *workspace.Link) string { return l.ToUnit }),
		session.Col("TO-SPACE", func(l *workspace.Link) string { return l.ToSpace }),
		session.WideCol("UPDATE-TYPE", func(l *workspace.Link) string { return string(l.Type()) }),
		session.WideCol("AUTO", func(l *workspace.Link) string {
			return session.YesNo(l.AutoUpdate)
		}),
		session.WideCol("STALE", func(l *workspace.Link) string {
			return session.Dash(reasons(l))
		}),
		session.WideCol("MERGED", func(l *workspace.Link) string {
			if l.UpdateType == entity.UpdateNone {
				return "-"
			}
			return fmt.Sprintf("%d -> %d", l.UpstreamLastMergedRevisionNum,
				l.DownstreamLastMergedRevisionNum)
		}),
	}
}

func reasons(l *workspace.Link) string {
	texts := make([]string, len(l.StaleReasons))
	for i, r := range l.StaleReasons {
		texts[i] = string(r)
	}
	return strings.Join(texts, ",")
}

func newLinkList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the links of a space", Args: command.NoArguments,
		Long: `List the links of a space, or of every space with --space "*". With -o wide the
table also shows the type, why a link is stale, and which revisions were merged.`,
	}
	c.AddSpace(cmd.Flags())
	sel.Add(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			s.StaleLinks()
			links, err := sel.Links(s)
			if err != nil {
				return err
			}
			return session.PrintList(s, out, links, linkColumns(), (*workspace.Link).Name,
				func(l *workspace.Link) any { return shown(l) })
		})
	}
	return cmd
}

func newLinkGet(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{Use: "get [flags] LINK", Short: "Show a link", Args: session.Words(1, 1)}
	c.AddSpace(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			l, err := s.LinkNamed(words[0])
			if err != nil {
				return err
			}
			s.StaleLinks()
			return s.PrintGet(out, l.Name(), shown(l), linkRows(l))
		})
	}
	return cmd
}

// shown returns a link as JSON shows it: with its type, also if its definition leaves it to the
// default.
func shown(l *workspace.Link) *entity.Link {
	c := *l.Link
	c.UpdateType = l.Type()
	return &c
}

// linkRows returns what link get prints.
func linkRows(l *workspace.Link) [][]string {
	stale := "no"
	if l.Stale {
		stale = "yes: " + reasons(l)
	}
	lastError := ""
	if e := l.LastError; e != nil {
		lastError = string(e.Code) + ": " + e.Message
	}
	rows := [][]string{
		{"ID", l.LinkID},
		{"Name", l.Slug},
		{"Space", l.SpaceSlug},
		{"From Unit", l.FromUnit},
		{"To Unit", l.ToUnit},
		{"To Space", l.ToSpace},
		{"Update Type", string(l.Type())},
		{"Auto Update", session.YesNo(l.AutoUpdate)},
		{"Use Live State", session.YesNo(l.UseLiveState)},
		{"Where Mutation", l.WhereMutation},
		{"Where Resource", l.WhereResource},
		{"Transform", l.TransformInvocation},
		{"Stale", stale},
		{"Upstream Last Merged Rev", revisionOrNone(l.UpstreamLastMergedRevisionNum)},
		{"Downstream Last Merged Rev", revisionOrNone(l.DownstreamLastMergedRevisionNum)},
		{"Last Error", lastError},
	}
	for _, b := range l.Bindings {
		rows = append(rows, []string{"Binding", bindingText(b)})
	}
	for _, p := range l.UpstreamPaths {
		rows = append(rows, []string{"Upstream Path", p.Name + " = " + p.Path + " in " +
			referenceText(p.Resource)})
	}
	for _, g := range l.UpstreamGetters {
		rows = append(rows, []string{
			"Upstream Getter", g.Name + " = " + session.InvocationText(g.FunctionInvocation),
		})
	}
	for _, p := range l.DownstreamPaths {
		evaluator := p.Evaluator
		if evaluator == "" {
			evaluator = "template"
		}
		text := p.Path + " in " + referenceText(p.Resource) + " = " + evaluator + ": " +
			p.Expression
		if p.DataType != "" && p.DataType != "string" {
			text += " (" + string(p.DataType) + ")"
		}
		rows = append(rows, []string{"Downstream Path", text})
	}
	for _, f := range l.DownstreamSetters {
		rows = append(rows, []string{
			"Downstream Setter",
			session.InvocationText(f.FunctionInvocation),
		})
	}
	return rows
}

func revisionOrNone(n int64) string {
	if n == 0 {
		return "none"
	}
	return strconv.FormatInt(n, 10)
}

func bindingText(b entity.Binding) string {
	text := b.NeededPath
	if b.NeededResource != nil {
		text += " in " + string(b.NeededResource.ResourceType) + " " +
			string(b.NeededResource.ResourceName)
	}
	if b.ProvidedResource != nil {
		text += " <- " + b.ProvidedPath + " in " + string(b.ProvidedResource.ResourceType) + " " +
			string(b.ProvidedResource.ResourceName)
	}
	switch {
	case b.Overridden:
		return text + " (auto, overridden)"
	case b.AutoUpdate:
		return text + " (auto)"
	}
	return text + " (manual)"
}

func referenceText(r entity.ResourceReference) string {
	return strings.TrimSpace(string(r.ResourceType) + " " + string(r.ResourceName))
}

func newLinkDelete(a *command.App) *cobra.Command {
	c, sel := &session.Common{App: a}, &session.Selection{}
	cmd := &cobra.Command{
		Use: "delete [flags] [LINK...]", Short: "Delete links",
		Long: `Delete links. The values that they wrote stay, unless --reset writes the
placeholders again that bindings have replaced.`,
	}
	c.AddSpace(cmd.Flags())
	c.AddDryRun(cmd.Flags())
	sel.Add(cmd.Flags())
	reset := cmd.Flags().Bool("reset", false,
		"write the placeholders again that the links have replaced")
	more := cmd.Flags().StringSlice("link", nil, "delete the `LINKS`, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		names = append(names, *more...)
		if err := session.NamesOrWhere(cmd, names, sel); err != nil {
			return err
		}
		// The workspace may have cycles, which deleting a link repairs.
		title := "link delete " + strings.Join(names, " ")
		return c.Write(cmd, title, func(s *session.Session) error {
			links, err := sel.LinksNamed(s, names)
			if err != nil {
				return err
			}
			for _, l := range links {
				if *reset {
					if err := resetLink(s, l); err != nil {
						return err
					}
				}
				s.After(func() error {
					s.Note("deleted link %s", l.Name())
					return nil
				})
			}
			if err := s.Tx.DeleteLinks(s.Workspace, links...); err != nil {
				return err
			}
			if *reset {
				return s.Propagate()
			}
			return nil
		})
	}
	return cmd
}

// resetLink writes the placeholders that the bindings of a link have replaced.
func resetLink(s *session.Session, l *workspace.Link) error {
	u := l.From
	if u == nil {
		return nil
	}
	e, err := s.Engine()
	if err != nil {
		return err
	}
	if _, err := s.Tx.Edits(e, []*workspace.Unit{u}, s.StrictWorktree); err != nil {
		return err
	}
	before, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	after, kept, err := resolve.Reset(e.Executor, u.ToolchainType, before, l.Link)
	if err != nil {
		return s.Store.InUnit(u, err)
	}
	for _, what := range kept {
		s.Note("%s: %s was edited, and stays", u.Name(), what)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	head := u.HeadRevisionNum
	s.After(func() error {
		s.Note("%s: revision %d -> %d", u.Name(), head, head+1)
		return nil
	})
	_, err = s.Tx.Record(e, u, after, entity.SourceResolve, "reset "+l.Slug,
		entity.Mutation{LinkID: l.LinkID}, false)
	return err
}
