// Package picture draws the graph of a workspace: as text, for Graphviz (dot) and Mermaid, and as
// SVG. The result depends only on the graph, so that a committed picture changes only where the
// graph does.
//
// Layer: base.
package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/out"
)

// Graph is what is drawn.
type Graph struct {
	Nodes []Node // sorted by name
	Edges []Edge // sorted by the name of From and the label
}

// Node is a unit.
type Node struct {
	Name, Group string // the group is the space
	Level       int    // 0 without upstreams
}

// Edge is a link from a downstream to an upstream node.
type Edge struct {
	From, To    int // indexes of nodes
	Label, Kind string
	Marks       string // such as * for stale
	Dashed      bool   // for order only
	Cycle       bool   // part of a cycle
}

// out returns the edges of each node.
func (g *Graph) out() [][]Edge {
	out := make([][]Edge, len(g.Nodes))
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], e)
	}
	return out
}

// Text draws the graph as trees: a unit, and below it what it takes from. roots are the nodes to
// begin with; without them those that nothing takes from. depth limits the levels below a root if
// it is not 0.
func (g *Graph) Text(roots []int, depth int) string {
	if roots == nil {
		roots = g.roots()
	}
	t := &text{g: g, out: g.out(), depth: depth}
	for _, root := range roots {
		t.lines = append(t.lines, textLine{left: g.Nodes[root].Name})
		t.below(root, "", map[int]bool{root: true}, 1)
	}
	return t.String()
}

// roots returns the nodes that no edge leads to, or all if every node is on a cycle.
func (g *Graph) roots() []int {
	used := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		used[e.To] = true
	}
	var roots []int
	for i := range g.Nodes {
		if !used[i] {
			roots = append(roots, i)
		}
	}
	if len(roots) == 0 {
		for i := range g.Nodes {
			roots = append(roots, i)
		}
	}
	return roots
}

type text struct {
	g     *Graph
	out   [][]Edge
	depth int
	lines []textLine
	shown map[int]bool
}

type textLine struct{ left, kind, right string }

func (t *text) below(node int, indent string, above map[int]bool, level int) {
	if t.depth > 0 && level > t.depth {
		return
	}
	edges := t.out[node]
	for i, e := range edges {
		branch, deeper := "├─ ", "│  "
		if i == len(edges)-1 {
			branch, deeper = "└─ ", "   "
		}
		line := textLine{indent + branch + e.Label, e.Kind, t.g.Nodes[e.To].Name}
		if e.Marks != "" {
			line.kind += " " + e.Marks
		}
		again := above[e.To]
		if again {
			line.right += " (a cycle)"
		} else if t.shown[e.To] && len(t.out[e.To]) > 0 {
			line.right += " (see above)"
			again = true
		}
		t.lines = append(t.lines, line)
		if again {
			continue
		}
		if t.shown == nil {
			t.shown = map[int]bool{}
		}
		t.shown[e.To] = true
		above[e.To] = true
		t.below(e.To, indent+deeper, above, level+1)
		delete(above, e.To)
	}
}

func (t *text) String() string {
	left, kind := 0, 0
	for _, l := range t.lines {
		if l.kind != "" {
			left = max(left, out.Width(l.left))
			kind = max(kind, out.Width(l.kind))
		}
	}
	var b strings.Builder
	for _, l := range t.lines {
		if l.kind == "" {
			b.WriteString(l.left + "\n")
			continue
		}
		b.WriteString(out.Pad(l.left, left) + "  " + out.Pad(l.kind, kind) + "  " + l.right + "\n")
	}
	return b.String()
}

// Dot draws the graph for Graphviz. With clusters each group is framed.
func (g *Graph) Dot(clusters bool) string {
	var b strings.Builder
	b.WriteString("digraph links {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	b.WriteString("  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for _, group := range g.groups() {
		indent := "  "
		if clusters {
			fmt.Fprintf(&b, "  subgraph %s {\n    label=%s;\n", dotText("cluster_"+group),
				dotText(group))
			indent = "    "
		}
		for _, n := range g.Nodes {
			if n.Group == group {
				b.WriteString(indent + dotText(n.Name) + ";\n")
			}
		}
		if clusters {
			b.WriteString("  }\n")
		}
	}
	for _, e := range g.Edges {
		attributes := "label=" + dotText(e.title())
		if e.Dashed {
			attributes += ", style=dashed"
		}
		if e.Cycle {
			attributes += ", color=red"
		}
		fmt.Fprintf(&b, "  %s -> %s [%s];\n", dotText(g.Nodes[e.From].Name),
			dotText(g.Nodes[e.To].Name), attributes)
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) groups() []string {
	var groups []string
	for _, n := range g.Nodes {
		if !slices.Contains(groups, n.Group) {
			groups = append(groups, n.Group)
		}
	}
	slices.Sort(groups)
	return groups
}

// title returns the label of an edge on one line.
func (e *Edge) title() string {
	text := e.Label + " " + e.Kind
	if e.Marks != "" {
		text += " " + e.Marks
	}
	return text
}

// dotText quotes a text for Graphviz.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Mermaid draws the graph for Mermaid.
func (g *Graph) Mermaid(clusters bool) string {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	for _, group := range g.groups() {
		if clusters {
			fmt.Fprintf(&b, "  subgraph %s\n", group)
		}
		for i, n := range g.Nodes {
			if n.Group == group {
				fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, n.Name)
			}
		}
		if clusters {
			b.WriteString("  end\n")
		}
	}
	for i, e := range g.Edges {
		arrow := "-->"
		if e.Dashed {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s|\"%s\"| n%d\n", e.From, arrow, e.title(), e.To)
		if e.Cycle {
			fmt.Fprintf(&b, "  linkStyle %d stroke:red\n", i)
		}
	}
	return b.String()
}

// sortEdges sorts the edges of a graph as they are drawn.
func sortEdges(g *Graph) []Edge {
	return slices.SortedStableFunc(slices.Values(g.Edges), func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label))
	})
}
