package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// indexed makes the index that of all entries.
func (r *resourceChange) indexed(index int) {
	r.index = index
	for _, p := range r.paths {
		p.index = index
	}
	for i := range r.whole {
		r.whole[i].index = index
	}
}

// attribute finds the functions the entries of a resource have come from: the last one that changed the place, else the resource.
// They are given as what each of them did to it, the first one first.
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
		c.index = of[0].index // which made it
	}
	moves := movesOfChange(c)
	for _, p := range c.paths {
		p.index = lastToChange(of, p.path, moves)
	}
	for i := range c.whole {
		c.whole[i].index = lastToChange(of, c.whole[i].path, moves)
	}
}

// placedChange is what one function did to a resource, by the places before and after it. In a chain an element of a list without merge
// keys has another digest, and maybe another index, behind every function.
type placedChange struct {
	index         int
	moves         *elementMoves
	before, after places
}

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

// places are places of a resource.
type places struct {
	few  []mutationPath // as long as there are few
	many *pathTree
}

const fewPlaces = 32

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

// touch tells whether one of them is at, above or below a place.
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

// isRelatedTo tells whether one of two paths, by index, leads to a place at or below the other.
func (p mutationPath) isRelatedTo(o mutationPath) bool {
	for i := range min(len(p), len(o)) {
		if p[i].kind != o[i].kind || p[i].text != o[i].text {
			return false
		}
	}
	return true
}

// lastToChange is the index of the last function that changed something at, above or below a place of the change as a whole, of which
// moves are. What is there at the end is followed back to it; an element that is gone is followed from the beginning.
func lastToChange(of []placedChange, path mutationPath, moves *elementMoves) int {
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
