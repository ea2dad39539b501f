package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
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

// attribute finds the function that each entry of c came from: the last one that changed the path
// or, if none did, the resource. steps says what each function did to the resource, in order.
func attribute(c *resourceChange, steps []*resourceChange) {
	if len(steps) == 0 {
		return
	}
	if len(steps) == 1 {
		c.indexed(steps[0].index)
		return
	}
	of := make([]placedChange, len(steps))
	for i, s := range steps {
		of[i] = placed(s)
	}
	c.index = of[len(of)-1].index
	if c.op == api.MutationTypeAdd {
		c.index = of[0].index // the function that created it
	}
	moves := movesOfChange(c)
	for _, p := range c.paths {
		p.index = lastToChange(of, p.path, moves)
	}
	for i := range c.whole {
		c.whole[i].index = lastToChange(of, c.whole[i].path, moves)
	}
}

// placedChange is what one function did to a resource, by path before and after it. Along a chain,
// an element of a list without merge keys gets a new digest, and maybe a new index, with every
// function.
type placedChange struct {
	index         int
	moves         *elementMoves
	before, after places
}

// placed collects the paths of one function's changes. New elements have no path before the change,
// and removed ones none after it.
func placed(r *resourceChange) placedChange {
	p := placedChange{index: r.index, moves: movesOfChange(r)}
	for _, e := range r.paths {
		if n := len(e.path); n == 0 || e.path[n-1].kind != newElement {
			p.before.add(e.path)
		}
		if path, gone := p.moves.after(e.path); !gone {
			p.after.add(path)
		}
	}
	return p
}

// places is a set of paths.
type places struct {
	few  []mutationPath // used up to fewPlaces
	many *pathTree
}

// fewPlaces is the number of paths up to which a linear search is used.
const fewPlaces = 32

// add adds a path. Beyond fewPlaces, paths go into a tree, so that touch stays fast.
func (p *places) add(path mutationPath) {
	path = path.byIndex()
	if len(p.few) < fewPlaces {
		p.few = append(p.few, path)
		return
	}
	if p.many == nil {
		p.many = &pathTree{}
	}
	p.many.put(&pathChange{path: path})
}

// touch reports whether one of the paths is at, above or below place.
func (p *places) touch(place mutationPath) bool {
	place = place.byIndex()
	if slices.ContainsFunc(p.few, place.isRelatedTo) {
		return true
	}
	if p.many == nil {
		return false
	}
	node, covering := p.many.find(place)
	return node != nil || covering != nil
}

// isRelatedTo reports whether p is at, above or below o. Both are paths by index.
func (p mutationPath) isRelatedTo(o mutationPath) bool {
	for i := range min(len(p), len(o)) {
		if p[i].kind != o[i].kind || p[i].text != o[i].text {
			return false
		}
	}
	return true
}

// lastToChange returns the index of the last function that changed something at, above or below
// path. moves are those of the change as a whole. A path that exists at the end is followed back
// through the chain; one into a deleted element is followed from the start.
func lastToChange(of []placedChange, path mutationPath, moves *elementMoves) int {
	// The value exists at the end. Follow its path back through the functions until one of them
	// touched it.
	if place, gone := moves.after(path); !gone {
		for _, s := range slices.Backward(of) {
			isNew := false
			if s.after.touch(place) {
				return s.index
			} else if place, isNew = s.moves.before(place); isNew {
				break
			}
		}
		return of[len(of)-1].index
	}
	// The value is gone. Follow its path from the start until the function that removed it.
	last := -1
	for _, s := range of {
		if s.before.touch(path) {
			last = s.index
		}
		gone := false
		if path, gone = s.moves.after(path); gone {
			break
		}
	}
	if last < 0 {
		last = of[len(of)-1].index
	}
	return last
}
