package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/links/graph"
)

func TestOrderAndLevels(t *testing.T) {
	// 0 needs 1 and 2, 2 needs 1, 3 is alone
	g := graph.New(4, []graph.Edge{{0, 1, 0}, {0, 2, 1}, {2, 1, 2}, {0, 1, 3}})
	levels, ok := g.Levels()
	if diff := cmp.Diff([]int{2, 0, 1, 0}, levels); diff != "" || !ok {
		t.Error(diff, ok)
	}
	if diff := cmp.Diff([]int{1, 3, 2, 0}, g.Order()); diff != "" {
		t.Error(diff)
	}
	if got := g.Cycles(); got != nil {
		t.Error(got)
	}
}

func TestCycles(t *testing.T) {
	// a triangle, a loop of one, and a node downstream of both that is on no cycle
	g := graph.New(5, []graph.Edge{
		{2, 0, 7},
		{0, 1, 5},
		{1, 2, 6},
		{3, 3, 8},
		{4, 3, 9},
		{4, 0, 1},
	})
	want := [][]graph.Edge{{{0, 1, 5}, {1, 2, 6}, {2, 0, 7}}, {{3, 3, 8}}}
	if diff := cmp.Diff(want, g.Cycles()); diff != "" {
		t.Error(diff)
	}
	if g.Order() != nil {
		t.Error("a cycle has no order")
	}
	if got := g.Path(4, 2); len(got) != 3 || got[0].ID != 1 {
		t.Error(got)
	}
}

// TestOrderHoldsForRandomGraphs checks that every edge leads from a later to an earlier node, and
// that levels are as low as possible.
func TestOrderHoldsForRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		var edges []graph.Edge
		for i := range rapid.IntRange(0, 30).Draw(t, "edges") {
			edges = append(edges, graph.Edge{
				From: rapid.IntRange(0, n-1).Draw(t, "from"),
				To:   rapid.IntRange(0, n-1).Draw(t, "to"), ID: i,
			})
		}
		g := graph.New(n, edges)
		order, cycles := g.Order(), g.Cycles()
		if (order == nil) != (cycles != nil) {
			t.Fatal(order, cycles)
		}
		at := map[int]int{}
		for i, node := range order {
			at[node] = i
		}
		for _, e := range edges {
			if order != nil && at[e.From] <= at[e.To] {
				t.Fatalf("%v: %v", e, order)
			}
		}
		for _, cycle := range cycles {
			for i, e := range cycle {
				if e.To != cycle[(i+1)%len(cycle)].From {
					t.Fatal(cycle)
				}
			}
		}
	})
}
