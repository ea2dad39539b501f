package link

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/picture"
	"github.com/fctl-dev/fctl/internal/workspace/severity"
)

// linkGraph holds the flags of link graph.
type linkGraph struct {
	session.Common
	root     string
	depth    int
	clusters bool
	form     *app.Choice
}

func newLinkGraph(a *app.App) *cobra.Command {
	o := &linkGraph{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use: "graph [flags]", Short: "Draw the units and their links",
		Long: `Draw the units and their links. Marks: * stale, ! the last resolve failed,
~ conflicts are outstanding, a resolved automatically. Links of the type None are
dashed, links of a cycle are red.`,
		Example: `  fctl link graph --root prod/web
  fctl link graph -o svg > links.svg`,
		Args: app.NoArguments,
	}
	o.AddSpace(cmd.Flags())
	o.form = app.AddOutput(cmd.Flags(), "text, dot, mermaid, svg or json", "text", "ascii", "dot",
		"mermaid", "svg", "json")
	cmd.Flags().StringVar(&o.root, "root", "", "only `UNIT` and what it depends on")
	cmd.Flags().IntVar(&o.depth, "depth", 0, "at most `N` links away from the root")
	cluster := &app.Choice{What: "cluster", Value: "none", Values: []string{"none", "space"}}
	cmd.Flags().Var(cluster, "cluster", "frame the units of each `GROUP`: none or space")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.clusters = cluster.Value == "space"
		return o.Read(cmd, func(s *session.Session) error {
			if err := s.StaleLinks(); err != nil {
				return err
			}
			return o.run(s)
		})
	}
	return cmd
}

func (o *linkGraph) run(s *session.Session) error {
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
		return s.App.Write([]byte(g.SVG()))
	case "json":
		return s.App.WriteJSON(graphJSON(g))
	}
	var first []int
	for _, u := range roots {
		first = append(first, slices.Index(units, u))
	}
	return s.App.Write([]byte(g.Text(first, o.depth)))
}

// graph returns the graph to draw, and its units in the order of the nodes.
func (o *linkGraph) graph(s *session.Session, roots []*workspace.Unit,
) (*picture.Graph, []*workspace.Unit, error) {
	units := s.Units
	switch {
	case roots != nil:
		units = s.Connected(roots, true)
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
			g.Nodes = append(g.Nodes, picture.Node{Name: u.Name(), Group: u.SpaceSlug, Level: levels[i]})
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
