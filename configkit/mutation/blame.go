package mutation

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// indexed sets the index of all entries.
func (r *resourceChange) indexed(index int) {
	r.index = index
	for _, p := range r.paths {
		p.index = index
	}
	for i := range r.whole {
		r.whole[i].index = index
	}
}

// blame finds the function that each entry of c came from: the last one that changed the path or,
// if none did, the resource. steps says what each function did to the resource, in order.
func blame(c *resourceChange, steps []*resourceChange) {
	if len(steps) == 0 {
		return
	}
	if len(steps) == 1 {
		c.indexed(steps[0].index)
		return
	}
	changes := make([]stepChange, len(steps))
	for i, s := range steps {
		changes[i] = newStepChange(s)
	}
	c.index = changes[len(changes)-1].index
	if c.op == api.MutationTypeAdd {
		c.index = changes[0].index // the function that created it
	}
	moves := newElementMoves(c)
	for _, p := range c.paths {
		p.index = lastToChange(changes, p.path, moves)
	}
	for i := range c.whole {
		c.whole[i].index = lastToChange(changes, c.whole[i].path, moves)
	}
}

// stepChange is what one function did to a resource, by path before and after it. Along a chain, an
// element of a list without merge keys gets a new digest, and maybe a new index, with every
// function. Therefore such elements are named by index.
//
// For example, the first function changes args.1 of a container and the second one inserts an
// element before it. After the chain, what the entry of the whole change is about is args.2.
// Translated back through the second function, which did not touch it, that is args.1, which the
// first function changed.
type stepChange struct {
	index         int
	moves         *elementMoves
	before, after pathSet
}

// newStepChange collects the paths of one function's changes. New elements have no path before the
// change, and removed ones none after it.
func newStepChange(r *resourceChange) stepChange {
	s := stepChange{index: r.index, moves: newElementMoves(r)}
	for _, e := range r.paths {
		if n := len(e.path); n == 0 || e.path[n-1].Kind != mutationpath.New {
			s.before = append(s.before, e.path.Dotted())
		}
		if path, gone := s.moves.after(e.path); !gone {
			s.after = append(s.after, path.Dotted())
		}
	}
	slices.Sort(s.before)
	slices.Sort(s.after)
	return s
}

// pathSet holds the dotted text of paths, sorted.
type pathSet []string

// touches reports whether the set has a path at, above or below path.
func (s pathSet) touches(path mutationpath.Path) bool {
	text := path.Dotted()
	for i := range text {
		if text[i] == '.' {
			if _, found := slices.BinarySearch(s, text[:i+1]); found {
				return true
			}
		}
	}
	at, _ := slices.BinarySearch(s, text)
	return at < len(s) && strings.HasPrefix(s[at], text)
}

// lastToChange returns the index of the last function that changed something at, above or below
// path. moves are those of the change as a whole. A path that exists at the end is followed back
// through the chain; one into a deleted element is followed from the start.
func lastToChange(steps []stepChange, path mutationpath.Path, moves *elementMoves) int {
	last := steps[len(steps)-1].index
	// The value exists at the end. Follow its path back through the functions until one of them
	// touched it.
	if now, gone := moves.after(path); !gone {
		for _, s := range slices.Backward(steps) {
			if s.after.touches(now) {
				return s.index
			}
			isNew := false
			if now, isNew = s.moves.before(now); isNew {
				break
			}
		}
		return last
	}
	// The value is gone. Follow its path from the start until the function that removed it.
	for _, s := range steps {
		if s.before.touches(path) {
			last = s.index
		}
		gone := false
		if path, gone = s.moves.after(path); gone {
			break
		}
	}
	return last
}
