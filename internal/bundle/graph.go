package bundle

import (
	"fmt"
	"strconv"
	"strings"
)

// GraphFormats returns the formats of Graph.
func GraphFormats() []string { return []string{"text", "dot", "mermaid"} }

// Graph returns the graph of the references in a format. Resources are in the order in which they
// are processed; an edge leads from a resource to the one that it depends on.
func (b *Bundle) Graph(format string) string {
	order := b.Order()
	var s strings.Builder
	switch format {
	case "dot":
		fmt.Fprintf(&s, "digraph %s {\n", strconv.Quote(b.Name))
		for _, r := range order {
			fmt.Fprintf(&s, "  %s\n", strconv.Quote(string(r.Name)))
		}
		b.edges(order, func(_, _ int, from, to, label string) {
			if label != "" {
				label = " [label=" + strconv.Quote(label) + "]"
			}
			fmt.Fprintf(&s, "  %s -> %s%s\n", strconv.Quote(from), strconv.Quote(to), label)
		})
		s.WriteString("}\n")
	case "mermaid":
		s.WriteString("graph TD\n")
		for i, r := range order {
			fmt.Fprintf(&s, "  n%d[%q]\n", i, r.Name)
		}
		b.edges(order, func(from, to int, _, _, label string) {
			if label != "" {
				label = "|" + label + "|"
			}
			fmt.Fprintf(&s, "  n%d -->%s n%d\n", from, label, to)
		})
	default:
		for _, r := range order {
			s.WriteString(string(r.Name))
			separator := " -> "
			for _, to := range r.dependencies() {
				s.WriteString(separator + string(to.Name))
				separator = ", "
			}
			s.WriteString("\n")
		}
	}
	return s.String()
}

// dependencies returns the resources that a resource refers to, each once.
func (r *Resource) dependencies() []*Resource {
	var list []*Resource
	seen := map[*Resource]bool{}
	for _, reference := range r.References {
		if !seen[reference.target] {
			seen[reference.target] = true
			list = append(list, reference.target)
		}
	}
	return list
}

// edges calls yield for each dependency, with the names of its references.
func (b *Bundle) edges(order []*Resource,
	yield func(from, to int, fromName, toName, label string),
) {
	index := make(map[*Resource]int, len(order))
	for i, r := range order {
		index[r] = i
	}
	for _, r := range order {
		for _, to := range r.dependencies() {
			var names []string
			for _, reference := range r.References {
				if reference.target == to && reference.Name != "" {
					names = append(names, string(reference.Name))
				}
			}
			yield(index[r], index[to], string(r.Name), string(to.Name), strings.Join(names, ", "))
		}
	}
}
