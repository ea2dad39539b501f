// Package link implements fctl link: making, changing, resolving and looking at the links of a
// workspace. Package internal/links/resolve computes what resolving does.
//
// Layer: commands.
package link

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
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

func newLinkList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the links of a space", Args: command.NoArguments,
		Long: `List the links of a space, or of every space with --space "*". With -o wide the
table also shows the type, why a link is stale, and which revisions were merged.`,
	}
	session.Flags(cmd, c.AddSpace, sel.Add, out.Add)
	return c.Reads(cmd, func(s *session.Session, _ []string) error {
		s.StaleLinks()
		links, err := sel.Links(s)
		if err != nil {
			return err
		}
		table := session.Listing[*workspace.Link]{
			Head: []string{
				"NAME", "SPACE", "FROM-UNIT", "TO-UNIT", "TO-SPACE", "+UPDATE-TYPE", "+AUTO",
				"+STALE", "+MERGED",
			},
			Cells: func(l *workspace.Link) []string {
				merged := "-"
				if l.UpdateType != entity.UpdateNone {
					merged = fmt.Sprintf("%d -> %d", l.UpstreamLastMergedRevisionNum,
						l.DownstreamLastMergedRevisionNum)
				}
				return []string{
					l.Slug, l.SpaceSlug, l.FromUnit, l.ToUnit, l.ToSpace, string(l.Type()),
					session.YesNo(l.AutoUpdate), session.Dash(l.Reasons()), merged,
				}
			},
			Name:   (*workspace.Link).Name,
			Object: func(l *workspace.Link) any { return shown(l) },
		}
		return table.Print(s, out, links)
	})
}

func newLinkGet(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.PrintFlags{}
	cmd := &cobra.Command{Use: "get [flags] LINK", Short: "Show a link", Args: command.Words(1, 1)}
	session.Flags(cmd, c.AddSpace, out.Add)
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		l, err := s.LinkNamed(words[0])
		if err != nil {
			return err
		}
		s.StaleLinks()
		if l.LastError != nil {
			if err := s.HideUpstream(l); err != nil {
				return err
			}
		}
		return s.PrintGet(out, l.Name(), shown(l), linkRows(l))
	})
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
		stale = "yes: " + l.Reasons()
	}
	lastError := ""
	if e := l.LastError; e != nil {
		lastError = e.Message
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
	add := func(name, text string) { rows = append(rows, []string{name, text}) }
	for _, b := range l.Bindings {
		add("Binding", bindingText(b))
	}
	for _, p := range l.UpstreamPaths {
		add("Upstream Path", p.Name+" = "+p.Path+" in "+referenceText(p.Resource))
	}
	for _, g := range l.UpstreamGetters {
		add("Upstream Getter", g.Name+" = "+session.InvocationText(g.FunctionInvocation))
	}
	for _, p := range l.DownstreamPaths {
		text := p.Path + " in " + referenceText(p.Resource) + " = " +
			cmp.Or(p.Evaluator, api.EvaluatorTemplate) + ": " + p.Expression
		if p.DataType != "" && p.DataType != "string" {
			text += " (" + string(p.DataType) + ")"
		}
		add("Downstream Path", text)
	}
	for _, f := range l.DownstreamSetters {
		add("Downstream Setter", session.InvocationText(f.FunctionInvocation))
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
		text += " in " + infoText(b.NeededResource)
	}
	if b.ProvidedResource != nil {
		text += " <- " + b.ProvidedPath + " in " + infoText(b.ProvidedResource)
	}
	switch {
	case b.Overridden:
		return text + " (auto, overridden)"
	case b.AutoUpdate:
		return text + " (auto)"
	}
	return text + " (manual)"
}

func infoText(r *api.ResourceInfo) string {
	return string(r.ResourceType) + " " + string(r.ResourceName)
}

func referenceText(r entity.ResourceReference) string {
	return strings.TrimSpace(string(r.ResourceType) + " " + string(r.ResourceName))
}

func newLinkDelete(a *command.App) *cobra.Command {
	c, sel := &session.Common{App: a}, &session.SelectFlags{}
	var more []string
	cmd := &cobra.Command{
		Use: "delete [flags] [LINK...]", Short: "Delete links",
		Long: `Delete links. The values that they wrote stay, unless --reset writes the
placeholders again that bindings have replaced.`,
		Args: func(cmd *cobra.Command, names []string) error {
			return session.NamesOrWhere(cmd, append(names, more...), sel, "LINK")
		},
	}
	flags := session.Flags(cmd, c.AddSpace, c.AddDryRun, sel.Add)
	reset := flags.Bool("reset", false,
		"write the placeholders again that the links have replaced")
	flags.StringSliceVar(&more, "link", nil, "delete the `LINKS`, separated by commas")
	return c.Writes(cmd, func(s *session.Session, names []string) error {
		links, err := sel.LinksNamed(s, append(names, more...))
		if err != nil {
			return err
		}
		for _, l := range links {
			if *reset {
				if err := resetLink(s, l); err != nil {
					return err
				}
			}
			s.NoteAfter("deleted link %s", l.Name())
		}
		// The workspace may have cycles, which deleting a link repairs.
		if err := s.Tx.DeleteLinks(s.Workspace, links...); err != nil || !*reset {
			return err
		}
		return s.Propagate()
	})
}

// resetLink writes the placeholders that the bindings of a link have replaced.
func resetLink(s *session.Session, l *workspace.Link) error {
	u := l.From
	if u == nil {
		return nil
	}
	executor, err := s.Functions()
	if err == nil {
		err = s.Edits(u)
	}
	if err != nil {
		return err
	}
	before, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	after, kept, err := resolve.Reset(executor, u.ToolchainType, before, l.Link)
	if err != nil {
		return s.Store.InUnit(u, err)
	}
	for _, what := range kept {
		s.Note("%s: %s was edited, and stays", u.Name(), what)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	s.NoteAfter("%s: revision %d -> %d", u.Name(), u.HeadRevisionNum, u.HeadRevisionNum+1)
	_, err = s.Tx.Record(s.Propagator, u, after, entity.SourceResolve, "reset "+l.Slug,
		entity.Mutation{LinkID: l.LinkID}, false)
	return err
}
