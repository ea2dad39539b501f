package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shop has two spaces, a long edge, two edges between the same units, and names to escape.
func shop() *Graph {
	return &Graph{
		Nodes: []Node{
			{"base/web", "base", 0},
			{"prod/<ns>", "prod", 0},
			{"prod/db", "prod", 1},
			{"prod/web", "prod", 2},
		},
		Edges: []Edge{
			{From: 2, To: 1, Label: "db-ns", Kind: "NeedsProvides", Marks: "a"},
			{From: 3, To: 2, Label: "web-db", Kind: "None", Dashed: true},
			{From: 3, To: 0, Label: "upgrade-web", Kind: "UpgradeUnit", Marks: "*~"},
			{From: 3, To: 0, Label: "web-base", Kind: "MergeUnits"},
			{From: 3, To: 1, Label: "web-ns", Kind: "NeedsProvides", Marks: "a"},
		},
	}
}

func cycle() *Graph {
	return &Graph{
		Nodes: []Node{{"s/a", "s", -1}, {"s/b", "s", -1}, {"s/c", "s", 1}},
		Edges: []Edge{
			{From: 0, To: 1, Label: "a-b", Kind: "None", Dashed: true, Cycle: true},
			{From: 1, To: 0, Label: "b-a", Kind: "Upsert", Cycle: true},
			{From: 2, To: 0, Label: "c-a", Kind: "Insert"},
		},
	}
}

func TestPictures(t *testing.T) {
	for name, row := range map[string]struct{ got, want string }{
		"text": {shop().Text(nil, 0), `prod/web
├─ web-db       None             prod/db
│  └─ db-ns     NeedsProvides a  prod/<ns>
├─ upgrade-web  UpgradeUnit *~   base/web
├─ web-base     MergeUnits       base/web
└─ web-ns       NeedsProvides a  prod/<ns>
`},
		"text, one level": {shop().Text([]int{2}, 1), `prod/db
└─ db-ns  NeedsProvides a  prod/<ns>
`},
		"text of a cycle": {cycle().Text(nil, 0), `s/c
└─ c-a        Insert  s/a
   └─ a-b     None    s/b
      └─ b-a  Upsert  s/a (a cycle)
`},
		"dot": {cycle().Dot(false), `digraph links {
  rankdir=BT;
  node [shape=box, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  "s/a";
  "s/b";
  "s/c";
  "s/a" -> "s/b" [label="a-b None", style=dashed, color=red];
  "s/b" -> "s/a" [label="b-a Upsert", color=red];
  "s/c" -> "s/a" [label="c-a Insert"];
}
`},
		"mermaid with groups": {cycle().Mermaid(true), `flowchart BT
  subgraph s
  n0["s/a"]
  n1["s/b"]
  n2["s/c"]
  end
  n0 -.->|"a-b None"| n1
  linkStyle 0 stroke:red
  n1 -->|"b-a Upsert"| n0
  linkStyle 1 stroke:red
  n2 -->|"c-a Insert"| n0
`},
		"no nodes": {(&Graph{}).Text(nil, 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, row.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The files were looked at. UPDATE_PICTURES=1 writes them: look at them again.
func TestSVG(t *testing.T) {
	for name, row := range map[string]struct {
		g        *Graph
		clusters bool
	}{
		"shop": {shop(), false}, "cycle": {cycle(), false}, "empty": {&Graph{}, false},
		"shop-clusters": {shop(), true}, "empty-clusters": {&Graph{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, file := row.g.SVG(row.clusters), "testdata/"+name+".svg"
			if os.Getenv("UPDATE_PICTURES") != "" {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNothingOverlaps draws random graphs: boxes and labels do not overlap, everything is in the
// picture, and the picture is well-formed XML.
func TestNothingOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{}
		for i := range rapid.IntRange(1, 20).Draw(t, "nodes") {
			level := 0
			for _, e := range g.Edges {
				if e.From == i {
					level = max(level, g.Nodes[e.To].Level+1)
				}
			}
			group := rapid.SampledFrom([]string{"base", "dev", "production"}).Draw(t, "group")
			g.Nodes = append(g.Nodes, Node{fmt.Sprintf("%s/unit-%d", group, i), group, level})
			for n := range rapid.IntRange(0, 3).Draw(t, "edges") {
				if i > 0 {
					to := rapid.IntRange(0, i-1).Draw(t, "to")
					g.Edges = append(g.Edges, Edge{
						From: i, To: to, Label: fmt.Sprintf("link-%d", n), Kind: "NeedsProvides",
					})
					g.Nodes[i].Level = max(g.Nodes[i].Level, g.Nodes[to].Level+1)
				}
			}
		}
		clusters := rapid.Bool().Draw(t, "clusters")
		l := arrange(g, sortEdges(g), clusters)
		type area struct{ x1, y1, x2, y2 int }
		var areas []area
		for _, b := range l.boxes {
			areas = append(areas, area{b.x, b.y, b.x + b.width, b.y + boxHeight})
		}
		for _, s := range l.segments {
			if half := textWidth(s.label) / 2; half > 0 {
				areas = append(areas, area{s.at.x - half, s.at.y - 10, s.at.x + half, s.at.y + 3})
			}
		}
		for i, a := range areas {
			if a.x1 < 0 || a.y1 < 0 || a.x2 > l.width || a.y2 > l.height {
				t.Fatalf("%+v is not in %d x %d", a, l.width, l.height)
			}
			for _, b := range areas[:i] {
				if a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2 {
					t.Fatalf("%+v and %+v overlap", a, b)
				}
			}
		}
		framed := 0
		for i := range l.bands {
			x1, y1, x2, y2 := l.bands[i].frame()
			if x1 < 0 || y1 < 0 || x2 > l.width || y2 > l.height ||
				i > 0 && x1 < l.bands[i-1].x+l.bands[i-1].width {
				t.Fatalf("the frame of %s is at %d,%d %d,%d", l.bands[i].group, x1, y1, x2, y2)
			}
			for _, b := range l.bands[i].boxes {
				framed++
				if b.x < x1 || b.x+b.width > x2 || g.Nodes[b.node].Group != l.bands[i].group {
					t.Fatalf("%s is not in the frame of %s", g.Nodes[b.node].Name, l.bands[i].group)
				}
			}
		}
		if clusters && framed != len(g.Nodes) {
			t.Fatalf("%d of %d units are framed", framed, len(g.Nodes))
		}
		d := xml.NewDecoder(strings.NewReader(g.SVG(clusters)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
