package workspace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newLink(a *app.App) *cobra.Command {
	return group(a, "link", "Make, change, look at and resolve links between units",
		`A link says that a downstream unit takes something from an upstream unit. Its
type says what: UpgradeUnit and MergeUnits merge changes, Insert puts a whole
text into one field, Upsert adds resources, TransformPaths computes values, and
NeedsProvides, the default, fills placeholders. A link of the type None is for
order only. A link is in the space of its downstream unit.`,
		newLinkCreate(a), newLinkList(a), newLinkGet(a), newLinkUpdate(a), newLinkDelete(a),
		newLinkResolve(a), newLinkPlan(a), newLinkGraph(a), newLinkVerify(a),
		newLinkExplain(a), newLinkInfer(a), newLinkDoctor(a))
}

func linkColumns() []column[*workspace.Link] {
	return []column[*workspace.Link]{
		{"NAME", false, func(l *workspace.Link) string { return l.Slug }},
		{"SPACE", false, func(l *workspace.Link) string { return l.SpaceSlug }},
		{"FROM-UNIT", false, func(l *workspace.Link) string { return l.FromUnit }},
		{"TO-UNIT", false, func(l *workspace.Link) string { return l.ToUnit }},
		{"TO-SPACE", false, func(l *workspace.Link) string { return l.ToSpace }},
		{"UPDATE-TYPE", true, func(l *workspace.Link) string { return string(l.Type()) }},
		{"AUTO", true, func(l *workspace.Link) string { return yesNo(l.AutoUpdate) }},
		{"STALE", true, func(l *workspace.Link) string { return dash(reasons(l)) }},
		{"MERGED", true, func(l *workspace.Link) string {
			if l.UpdateType == entity.UpdateNone {
				return "-"
			}
			return fmt.Sprintf("%d -> %d", l.UpstreamLastMergedRevisionNum,
				l.DownstreamLastMergedRevisionNum)
		}},
	}
}

func reasons(l *workspace.Link) string {
	texts := make([]string, len(l.StaleReasons))
	for i, r := range l.StaleReasons {
		texts[i] = string(r)
	}
	return strings.Join(texts, ",")
}

// staleLinks sets the staleness of all links.
func (s *session) staleLinks() error {
	edited, err := s.edited(s.Units)
	if err == nil {
		s.Workspace.Stale(edited)
	}
	return err
}

func newLinkList(a *app.App) *cobra.Command {
	c, sel, out := &common{app: a}, &selection{}, &output{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the links of a space", Args: app.NoArguments,
		Long: `List the links of a space, or of every space with --space "*". With -o wide the
table also shows the type, why a link is stale, and which revisions were merged.`,
	}
	c.addSpace(cmd.Flags())
	sel.add(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.read(cmd, func(s *session) error {
			if err := s.staleLinks(); err != nil {
				return err
			}
			links, err := sel.links(s)
			if err != nil {
				return err
			}
			return printList(s, out, links, linkColumns(), (*workspace.Link).Name,
				func(l *workspace.Link) any { return l.Link })
		})
	}
	return cmd
}

func newLinkGet(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "get [flags] LINK", Short: "Show a link", Args: words(1, 1)}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			l, err := s.linkNamed(words[0])
			if err != nil {
				return err
			}
			if err := s.staleLinks(); err != nil {
				return err
			}
			return s.printGet(out, l.Name(), l.Link, linkRows(l))
		})
	}
	return cmd
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
		{"Auto Update", yesNo(l.AutoUpdate)},
		{"Use Live State", yesNo(l.UseLiveState)},
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
			"Upstream Getter", g.Name + " = " + invocationText(g.FunctionInvocation),
		})
	}
	for _, p := range l.DownstreamPaths {
		evaluator := p.Evaluator
		if evaluator == "" {
			evaluator = "template"
		}
		text := p.Path + " in " + referenceText(p.Resource) + " = " + evaluator + ": " + p.Expression
		if p.DataType != "" && p.DataType != "string" {
			text += " (" + string(p.DataType) + ")"
		}
		rows = append(rows, []string{"Downstream Path", text})
	}
	for _, f := range l.DownstreamSetters {
		rows = append(rows, []string{"Downstream Setter", invocationText(f.FunctionInvocation)})
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

func newLinkDelete(a *app.App) *cobra.Command {
	c, sel := &common{app: a}, &selection{}
	cmd := &cobra.Command{
		Use: "delete [flags] [LINK...]", Short: "Delete links; values that they wrote stay",
	}
	c.addSpace(cmd.Flags())
	c.addDryRun(cmd.Flags())
	sel.add(cmd.Flags())
	more := cmd.Flags().StringSlice("link", nil, "delete the `LINKS`, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		names = append(names, *more...)
		if err := namesOrWhere(cmd, names, sel); err != nil {
			return err
		}
		// The workspace may have cycles, which deleting a link repairs.
		return c.write(cmd, "link delete "+strings.Join(names, " "), func(s *session) error {
			links, err := sel.linksNamed(s, names)
			if err != nil {
				return err
			}
			for _, l := range links {
				if err := s.tx.DeleteLink(s.Workspace, l); err != nil {
					return err
				}
				s.after(func() error {
					s.note("deleted link %s", l.Name())
					return nil
				})
			}
			return nil
		})
	}
	return cmd
}

// linksNamed returns the links with the names, or those of the selection if there are none.
func (o *selection) linksNamed(s *session, names []string) ([]*workspace.Link, error) {
	if len(names) == 0 {
		return o.links(s)
	}
	var all []*workspace.Link
	for _, name := range names {
		l, err := s.linkNamed(name)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// freeSlug gives a link a slug that no other link of its space has: with -2, -3 and so on.
func (s *session) freeSlug(l *workspace.Link) error {
	base := l.Slug
	for n := 2; ; n++ {
		if _, err := s.Link(l.SpaceSlug, l.Slug); err != nil {
			return nil
		}
		if l.Slug = base + "-" + strconv.Itoa(n); !entity.IsSlug(l.Slug) {
			return &entity.Error{
				Code: entity.CodeSlug, Message: "the name " + l.Slug + " would be too long",
				Hint: "give the link a name",
			}
		}
	}
}
