package gaby

// Which documents of a part are going to be visited is guessed from the part before: those of the kinds of which all were. They are
// scanned as soon as their header is asked for, which spares looking for that beforehand. A wrong guess costs time and nothing else.

// kinds are the first lines of kind an arena meets, which are those of nearly all documents.
type kinds struct {
	lines   []string
	visited uint64 // of which all documents of the last part that has some were visited, as bits
}

// kindIndex is a place in kinds.lines, from 1 on; 0 is of none.
type kindIndex uint8

const manyKinds = 32

// kind is the index of the kind a line tells.
func (a *Arena) kind(line []byte) kindIndex {
	if a == nil || len(line) == 0 {
		return 0
	}
	for i, known := range a.kinds.lines {
		if known == string(line) {
			return kindIndex(i + 1)
		}
	}
	if len(a.kinds.lines) == manyKinds {
		return 0
	}
	a.kinds.lines = append(a.kinds.lines, string(line))
	return kindIndex(len(a.kinds.lines))
}

// learn looks at the documents of a part that was worked on.
func (k *kinds) learn(docs []document) {
	var visited, passed uint64
	for i := range docs {
		d := &docs[i]
		if d.scanned {
			visited |= 1 << d.kind
		} else {
			passed |= 1 << d.kind
		}
	}
	k.visited = (k.visited | visited) &^ passed
}

// willBeVisited guesses.
func (d *document) willBeVisited() bool {
	return d.kind > 0 && d.unit.arena.kinds.visited&(1<<d.kind) != 0
}
