package diff

// authors tells which step, as an index, changed which line: which one removed a line of the first text, and which one added a line
// of the last.
type authors struct{ removed, added []int32 }

// nobody is the author of a line that was not changed.
const nobody = -1

// findAuthors compares each text with the one before it.
func findAuthors(before text, steps []Step) *authors {
	a := &authors{removed: make([]int32, before.len()), added: make([]int32, before.len())}
	origin := make([]int32, before.len()) // by line: where it stands in the first text, if it does
	for i := range origin {
		origin[i], a.removed[i], a.added[i] = int32(i), nobody, nobody
	}
	was := before
	for step, s := range steps {
		now := lines(s.Text())
		added, origins := make([]int32, 0, now.len()), make([]int32, 0, now.len())
		at := 0
		for _, e := range compare(was, now) {
			added, origins = append(added, a.added[at:e.oldFrom]...), append(origins, origin[at:e.oldFrom]...)
			for _, line := range origin[e.oldFrom:e.oldTo] {
				if line != nobody {
					a.removed[line] = int32(step)
				}
			}
			for range e.newTo - e.newFrom {
				added, origins = append(added, int32(step)), append(origins, nobody)
			}
			at = e.oldTo
		}
		a.added, origin = append(added, a.added[at:]...), append(origins, origin[at:]...)
		was = now
	}
	return a
}
