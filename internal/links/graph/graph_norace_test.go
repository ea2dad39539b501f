//go:build !race

package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/links/graph"
)

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
