package diff

import "github.com/fctl-dev/fctl/internal/lines"

// authors has the index of the step that changed each line: that removed a line of the first text,
// and that added a line of the last.
type authors struct{ removed, added []int32 }

// nobody is the author of an unchanged line. In origin it marks a line that is not from the first
// text.
const nobody = -1

// findAuthors compares each text with the one before it, and tracks the lines of the first text
// through all of them.
func findAuthors(before []string, steps []Version) *authors {
	a := &authors{removed: make([]int32, len(before)), added: make([]int32, len(before))}
	origin := make([]int32, len(before)) // by line: its index in the first text, or nobody
	for i := range origin {
		origin[i], a.removed[i], a.added[i] = int32(i), nobody, nobody
	}
	was := before
	for step, s := range steps {
		now := split(s.Text())
		added, origins := make([]int32, 0, len(now)), make([]int32, 0, len(now))
		at := 0
		for _, h := range compare([]lines.Hunk{{To: len(was), NewTo: len(now)}}, was, now) {
			added, origins = append(added, a.added[at:h.From]...),
				append(origins, origin[at:h.From]...)
			for _, line := range origin[h.From:h.To] {
				if line != nobody {
					a.removed[line] = int32(step)
				}
			}
			for range h.NewTo - h.NewFrom {
				added, origins = append(added, int32(step)), append(origins, nobody)
			}
			at = h.To
		}
		a.added, origin = append(added, a.added[at:]...), append(origins, origin[at:]...)
		was = now
	}
	return a
}
