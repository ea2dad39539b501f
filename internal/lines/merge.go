package lines

import "slices"

// Chunk is a part of a merged text: merged lines, or a conflict.
type Chunk struct {
	Lines              []string
	Conflict           bool // Lines is empty then
	Base, Ours, Theirs []string
	// FromOurs and FromTheirs are the indexes of the conflict's first lines.
	FromOurs, FromTheirs int
}

// Merge performs a three-way merge. A change that one side made, or both made alike, is taken.
// Changes of adjacent lines conflict.
func Merge(base, ours, theirs []string) []Chunk { return merge(base, ours, theirs, false) }

// MergeClose is Merge for texts whose lines are independent: changes of adjacent lines do not
// conflict, and added lines go before changed ones. It is a conflict if both sides changed the same
// lines or added lines at the same position.
func MergeClose(base, ours, theirs []string) []Chunk { return merge(base, ours, theirs, true) }

// merge implements Merge and MergeClose. It walks the hunks of both sides, groups those that meet
// into regions, and takes each region from the side that changed it.
func merge(base, ours, theirs []string, close bool) []Chunk {
	mine, others := Diff(base, ours), Diff(base, theirs)
	settle(mine, base, ours)
	settle(others, base, theirs)
	var chunks []Chunk
	keep := func(lines []string) {
		if n := len(chunks); n > 0 && !chunks[n-1].Conflict {
			chunks[n-1].Lines = append(chunks[n-1].Lines, lines...)
		} else if len(lines) > 0 {
			chunks = append(chunks, Chunk{Lines: slices.Clone(lines)})
		}
	}
	at, atOurs, atTheirs := 0, 0, 0 // everything before these is done
	for len(mine) > 0 || len(others) > 0 {
		// A region covers the hunks of both sides that belong together.
		r := region{close: close}
		r.begin(mine, others)
		m, o := 0, 0
		for {
			switch {
			case m < len(mine) && r.takes(mine[m]):
				m++
				continue
			case o < len(others) && r.takes(others[o]):
				o++
				continue
			}
			break
		}
		from, to := r.from, r.to
		keep(base[at:from])
		atOurs, atTheirs = atOurs+from-at, atTheirs+from-at
		endOurs, endTheirs := atOurs+to-from+growth(mine[:m]), atTheirs+to-from+growth(others[:o])
		b, x, y := base[from:to], ours[atOurs:endOurs], theirs[atTheirs:endTheirs]
		switch {
		case slices.Equal(x, y), o == 0:
			keep(x)
		case m == 0:
			keep(y)
		default:
			chunks = append(chunks, Chunk{
				Conflict: true, Base: b, Ours: x, Theirs: y, FromOurs: atOurs, FromTheirs: atTheirs,
			})
		}
		at, atOurs, atTheirs = to, endOurs, endTheirs
		mine, others = mine[m:], others[o:]
	}
	keep(base[at:])
	return chunks
}

// region is a range of base lines that at least one side changed.
type region struct {
	from, to int
	close    bool // hunks that only touch the region are separate
}

// begin starts the region at the first hunk. Of two hunks at the same line, the one that adds lines
// comes first.
func (r *region) begin(sides ...[]Hunk) {
	r.from = -1
	for _, hunks := range sides {
		if len(hunks) > 0 && (r.from < 0 || hunks[0].From < r.from ||
			hunks[0].From == r.from && hunks[0].To < r.to) {
			r.from, r.to = hunks[0].From, hunks[0].To
		}
	}
}

// takes reports whether hunk h belongs to the region, and if so extends the region to cover it.
func (r *region) takes(h Hunk) bool {
	switch {
	case h.From < r.to:
	case h.From > r.to:
		return false
	// Of hunks that only touch, two pure additions belong together.
	case r.close && (r.from < r.to || h.From < h.To):
		return false
	}
	r.to = max(r.to, h.To)
	return true
}

// settle moves hunks that only add or only remove lines down as far as possible. Among equal lines
// the position of such a hunk is arbitrary; this way, the same change on both sides gives the same
// hunk.
func settle(hunks []Hunk, a, b []string) {
	for i := len(hunks) - 1; i >= 0; i-- {
		h := &hunks[i]
		end := len(a) // where it would touch the next hunk
		if i+1 < len(hunks) {
			end = hunks[i+1].From - 1
		}
		for h.To < end && (h.From == h.To && b[h.NewFrom] == b[h.NewTo] ||
			h.NewFrom == h.NewTo && a[h.From] == a[h.To]) {
			h.From, h.To, h.NewFrom, h.NewTo = h.From+1, h.To+1, h.NewFrom+1, h.NewTo+1
		}
	}
}

// growth returns by how many lines hunks lengthen a text.
func growth(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		n += (h.NewTo - h.NewFrom) - (h.To - h.From)
	}
	return n
}

// MergeText is Merge for texts. clean is false if there is a conflict.
func MergeText(base, ours, theirs string) (merged string, clean bool) {
	var out []byte
	for _, c := range Merge(Split(base), Split(ours), Split(theirs)) {
		if c.Conflict {
			return "", false
		}
		for _, l := range c.Lines {
			out = append(out, l...)
		}
	}
	return string(out), true
}
