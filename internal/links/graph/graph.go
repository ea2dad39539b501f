// Package graph orders the units of a workspace by their links. It knows nodes and edges only.
//
// Layer: base.
package graph

import (
	"cmp"
	"slices"
)

// Edge leads from a downstream node to an upstream one. Several edges may connect the same nodes.
type Edge struct {
	From, To int // indexes of nodes
	ID       int // of the link, for cycles
}

// Graph is a set of nodes, numbered from 0 in the order in which equal ones are listed, and edges.
type Graph struct {
	out, in [][]Edge
}

// New makes a graph of n nodes. Edges of a node are followed in the order in which they are given.
func New(n int, edges []Edge) *Graph {
	g := &Graph{out: make([][]Edge, n), in: make([][]Edge, n)}
	for _, e := range edges {
		g.out[e.From] = append(g.out[e.From], e)
		g.in[e.To] = append(g.in[e.To], e)
	}
	return g
}

// Out returns the edges to the upstreams of a node.
func (g *Graph) Out(node int) []Edge { return g.out[node] }

// In returns the edges from the downstreams of a node.
func (g *Graph) In(node int) []Edge { return g.in[node] }

// Levels returns the level of each node: 0 without upstreams, otherwise one more than the highest
// level of an upstream. ok is false if there is a cycle; the nodes on it and downstream of it then
// have the level -1.
func (g *Graph) Levels() (levels []int, ok bool) {
	levels = make([]int, len(g.out))
	missing := make([]int, len(g.out)) // upstreams without a level yet
	var ready []int
	for node := range g.out {
		missing[node] = len(g.out[node])
		levels[node] = -1
		if missing[node] == 0 {
			levels[node] = 0
			ready = append(ready, node)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		node := ready[done]
		for _, e := range g.in[node] {
			if missing[e.From]--; missing[e.From] == 0 {
				for _, up := range g.out[e.From] {
					levels[e.From] = max(levels[e.From], levels[up.To]+1)
				}
				ready = append(ready, e.From)
			}
		}
	}
	return levels, done == len(g.out)
}

// Order returns all nodes, upstreams first, and nodes of one level in their own order. It is empty
// if there is a cycle.
func (g *Graph) Order() []int {
	levels, ok := g.Levels()
	if !ok {
		return nil
	}
	order := make([]int, len(levels))
	for node := range order {
		order[node] = node
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(levels[a], levels[b]) })
	return order
}

// Path returns the edges of a path between two nodes, nil if none leads there. Of several paths it
// returns one of the shortest.
func (g *Graph) Path(from, to int) []Edge {
	by := make(map[int]Edge)
	queue := []int{from}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for _, e := range g.out[node] {
			if e.To == to {
				path := []Edge{e}
				for node != from {
					path = append(path, by[node])
					node = by[node].From
				}
				slices.Reverse(path)
				return path
			}
			if _, seen := by[e.To]; !seen && e.To != from {
				by[e.To] = e
				queue = append(queue, e.To)
			}
		}
	}
	return nil
}

// Cycles returns cycles such that every node on a cycle is on one of them, each as its edges. They
// begin with their lowest node and are sorted by it.
func (g *Graph) Cycles() [][]Edge {
	if _, ok := g.Levels(); ok {
		return nil
	}
	var cycles [][]Edge
	covered := make([]bool, len(g.out))
	for node := range g.out {
		if covered[node] {
			continue
		}
		if cycle := g.Path(node, node); cycle != nil {
			cycles = append(cycles, cycle)
			for _, e := range cycle {
				covered[e.From] = true
			}
		}
	}
	return cycles
}

// Reach returns the nodes that can be reached from some nodes, themselves included. Upstream says
// that edges are followed from From to To.
func (g *Graph) Reach(from []int, upstream bool) []bool {
	seen := make([]bool, len(g.out))
	queue := slices.Clone(from)
	for _, node := range from {
		seen[node] = true
	}
	for len(queue) > 0 {
		node := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		edges := g.in[node]
		if upstream {
			edges = g.out[node]
		}
		for _, e := range edges {
			next := e.From
			if upstream {
				next = e.To
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return seen
}
