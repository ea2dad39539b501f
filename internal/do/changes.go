package do

import "github.com/fctl-dev/fctl/functions/handler"

// changes counts what changed in one or more units.
type changes struct{ files, resources, values int }

func (c changes) any() bool { return c.files > 0 }

// changesIn returns what a chain changed in a unit. A unit whose changes are unknown counts as a
// changed file only.
func changesIn(response *handler.Result) changes {
	switch c := response.Changes; {
	case !response.Changed:
		return changes{}
	case c == nil:
		return changes{files: 1}
	default:
		return changes{1, c.Resources, c.Values}
	}
}

// countResources returns the number of resources that the functions of a chain got.
func (l *loop) countResources(response *handler.Result) int {
	if l.where == "" { // documents that are not resources do not satisfy it
		return response.Resources
	}
	n := 0
	for _, f := range response.Functions {
		n = max(n, f.Seen)
	}
	return n
}
