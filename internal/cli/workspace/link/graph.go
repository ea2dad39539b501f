package link

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/picture"
	"github.com/fctl-dev/fctl/internal/links/severity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkGraph holds the flags of link graph.
type linkGraph struct {
	session.Common
	root     string
	depth    int
	clusters bool
	form     *command.Choice
}

func newLinkGraph(a *command.App) *cobra.Command {
	o := &linkGraph{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use: "graph [flags]", Short: "Draw the units and their links",
		Long: `Draw the units and their links. Marks: * stale, ! the last resolve failed,
~ conflicts are outstanding, a resolved automatically. Links of the type None are
dashed, links of a cycle are red.`,
		Example: `  fctl link graph --root prod/web
  fctl link graph -o svg > links.svg`,
		Args: command.NoArguments,
	}
	flags := session.Flags(cmd, o.AddSpace)
	o.form = command.AddOutput(flags, "text, dot, mermaid, svg or json", "text", "ascii", "dot",
		"mermaid", "svg", "json")
	flags.StringVar(&o.root, "root", "", "show only `UNIT` and its dependencies")
	flags.IntVar(&o.depth, "depth", 0, "show units at most `N` links away from the root")
	cluster := &command.Choice{What: "cluster", Value: "none", Values: []string{"none", "space"}}
	flags.Var(cluster, "cluster", "frame the units of each `GROUP`: none or space")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.clusters = cluster.Value == "space"
		form := o.form.Value
		switch {
		case o.clusters && (form == "text" || form == "ascii" || form == "json"):
			return diag.Usage("--cluster is for -o dot, mermaid and svg")
		case o.depth < 0:
			return diag.Usage("--depth: a number from 0 on is expected, not %d", o.depth)
		case o.depth > 0 && o.root == "" && form != "text" && form != "ascii":
			return diag.Usage("--depth needs --root")
		}
		return o.Read(cmd, o.run)
	}
	return cmd
}

func (o *linkGraph) run(s *session.Session) error {
	s.StaleLinks()
	var roots []*workspace.Unit
	if o.root != "" {
		u, err := s.UnitNamed(o.root)
		if err != nil {
			return err
		}
		roots = []*workspace.Unit{u}
	}
	g, units, err := o.graph(s, roots)
	if err != nil {
		return err
	}
	switch o.form.Value {
	case "dot":
		return s.App.Write([]byte(g.Dot(o.clusters)))
	case "mermaid":
		return s.App.Write([]byte(g.Mermaid(o.clusters)))
	case "svg":
		return s.App.Write([]byte(g.SVG(o.clusters)))
	case "json":
		return s.App.WriteJSON(graphJSON(g))
	}
	var first []int
	for _, u := range roots {
		first = append(first, slices.Index(units, u))
	}
	return s.App.WriteText(g.Text(first, o.depth))
}

// graph returns the graph to draw, and its units in the order of the nodes.
func (o *linkGraph) graph(s *session.Session, roots []*workspace.Unit,
) (*picture.Graph, []*workspace.Unit, error) {
	units := s.Units
	switch {
	case roots != nil:
		units = near(s, roots, o.depth)
	case o.SpaceFlag != "" && o.SpaceFlag != "*":
		if _, err := s.InSpace(); err != nil {
			return nil, nil, err
		}
		var own []*workspace.Unit
		for _, u := range s.Units {
			if u.SpaceSlug == o.SpaceFlag {
				own = append(own, u)
			}
		}
		units = s.Connected(own, true)
	}
	levels, _ := s.Graph().Levels()
	g := &picture.Graph{}
	at := map[*workspace.Unit]int{}
	for i, u := range s.Units {
		if slices.Contains(units, u) {
			at[u] = len(g.Nodes)
			g.Nodes = append(g.Nodes, picture.Node{
				Name: u.Name(), Group: u.SpaceSlug,
				Level: levels[i],
			})
		}
	}
	onCycle := map[int]bool{}
	for _, cycle := range s.Graph().Cycles() {
		for _, e := range cycle {
			onCycle[e.ID] = true
		}
	}
	for i, l := range s.Links {
		from, ok := at[l.From]
		to, ok2 := at[l.To]
		if !ok || !ok2 {
			continue
		}
		marks, err := marks(s, l)
		if err != nil {
			return nil, nil, err
		}
		g.Edges = append(g.Edges, picture.Edge{
			From: from, To: to, Label: l.Slug, Kind: string(l.Type()), Marks: marks,
			Dashed: l.UpdateType == entity.UpdateNone, Cycle: onCycle[i],
		})
	}
	return g, units, nil
}

// near returns units and what they depend on, at most depth links away if it is not 0.
func near(s *session.Session, roots []*workspace.Unit, depth int) []*workspace.Unit {
	if depth == 0 {
		return s.Connected(roots, true)
	}
	units := slices.Clone(roots)
	for from := 0; depth > 0; depth-- {
		to := len(units)
		for _, u := range units[from:to] {
			for _, l := range s.LinksFrom(u) {
				if l.To != nil && !slices.Contains(units, l.To) {
					units = append(units, l.To)
				}
			}
		}
		from = to
	}
	return slices.DeleteFunc(slices.Clone(s.Units), func(u *workspace.Unit) bool {
		return !slices.Contains(units, u) // the order is that of the nodes
	})
}

// marks returns the marks of a link.
func marks(s *session.Session, l *workspace.Link) (string, error) {
	var marks strings.Builder
	if l.Stale {
		marks.WriteString("*")
	}
	if l.LastError != nil {
		marks.WriteString("!")
	}
	if l.Merges() && l.From != nil {
		conflicts, err := s.Store.Conflicts(l.From)
		if err != nil {
			return "", err
		}
		rules := s.Store.Config.ConflictSeverity
		for _, c := range severity.Select(rules, conflicts, entity.SeverityNote) {
			if c.LinkID == l.LinkID {
				marks.WriteString("~")
				break
			}
		}
	}
	if l.AutoUpdate {
		marks.WriteString("a")
	}
	return marks.String(), nil
}

// graphJSON returns the graph as people and programs read it.
func graphJSON(g *picture.Graph) any {
	type node struct {
		Unit, Space string
		Level       int
	}
	type edge struct {
		Link, UpdateType, From, To, Marks string
		Cycle                             bool `json:",omitempty"`
	}
	all := struct {
		Units []node
		Links []edge
	}{[]node{}, []edge{}}
	for _, n := range g.Nodes {
		_, slug, _ := strings.Cut(n.Name, "/")
		all.Units = append(all.Units, node{slug, n.Group, n.Level})
	}
	for _, e := range g.Edges {
		all.Links = append(all.Links, edge{
			e.Label, e.Kind, g.Nodes[e.From].Name, g.Nodes[e.To].Name, e.Marks, e.Cycle,
		})
	}
	return all
}
