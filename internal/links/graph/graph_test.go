package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
