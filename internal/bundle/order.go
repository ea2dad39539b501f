package bundle

import (
	"slices"
	"strings"
)

// maxCycles bounds how many cycles are reported.
const maxCycles = 20

// cycle is a reference that closes a cycle.
type cycle struct {
	from *Resource
	by   *ResolvedReference
	text string // a → b → a
}

// Order returns the resources with dependencies first: depth first from the resources as they are
// in the file, the dependencies of each in the order of its references. A Bundle without problems
// has no cycles.
func (b *Bundle) Order() []*Resource {
	order, _ := b.visit()
	return order
}

// cycles returns the references that close cycles.
func (b *Bundle) cycles() []cycle {
	_, cycles := b.visit()
	return cycles
}

// visit walks the graph, each resource and each reference once.
func (b *Bundle) visit() (order []*Resource, cycles []cycle) {
	const active, done = 1, 2
	state := make(map[*Resource]int, len(b.Resources))
	var path []*Resource
	var walk func(r *Resource)
	walk = func(r *Resource) {
		state[r] = active
		path = append(path, r)
		for _, reference := range r.References {
			switch to := reference.target; {
			case to == nil || to == r:
			case state[to] == active && len(cycles) == maxCycles:
			case state[to] == active:
				var names []string
				for _, p := range path[slices.Index(path, to):] {
					names = append(names, string(p.Name))
				}
				cycles = append(cycles, cycle{
					from: r, by: reference,
					text: strings.Join(append(names, string(to.Name)), " → "),
				})
			case state[to] != done:
				walk(to)
			}
		}
		path = path[:len(path)-1]
		state[r] = done
		order = append(order, r)
	}
	for _, r := range b.Resources {
		if state[r] == 0 {
			walk(r)
		}
	}
	return order, cycles
}
