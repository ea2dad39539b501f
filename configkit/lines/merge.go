package lines

import "slices"

// Chunk is a part of a merged text: lines as they are in the result, or a conflict.
type Chunk struct {
	Lines              []string
	Conflict           bool // then Lines is empty
	Base, Ours, Theirs []string
}

// Merge merges what two people made of one text. Where only one of them, or both in the same way, changed lines, the change counts;
// changes of neighbouring lines are a conflict.
func Merge(base, ours, theirs []string) []Chunk {
	mine, others := Diff(base, ours), Diff(base, theirs)
	var chunks []Chunk
	keep := func(lines []string) {
		if n := len(chunks); n > 0 && !chunks[n-1].Conflict {
			chunks[n-1].Lines = append(chunks[n-1].Lines, lines...)
		} else if len(lines) > 0 {
			chunks = append(chunks, Chunk{Lines: slices.Clone(lines)})
		}
	}
	at, atOurs, atTheirs := 0, 0, 0 // what has been dealt with
	for len(mine) > 0 || len(others) > 0 {
		// The hunks that overlap or touch are one region.
		from := len(base)
		if len(mine) > 0 {
			from = mine[0].From
		}
		if len(others) > 0 {
			from = min(from, others[0].From)
		}
		to, m, o := from, 0, 0
		for {
			switch {
			case m < len(mine) && mine[m].From <= to:
				to = max(to, mine[m].To)
				m++
				continue
			case o < len(others) && others[o].From <= to:
				to = max(to, others[o].To)
				o++
				continue
			}
			break
		}
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
			chunks = append(chunks, Chunk{Conflict: true, Base: b, Ours: x, Theirs: y})
		}
		at, atOurs, atTheirs = to, endOurs, endTheirs
		mine, others = mine[m:], others[o:]
	}
	keep(base[at:])
	return chunks
}

// growth is by how many lines hunks make a text longer.
func growth(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		n += (h.NewTo - h.NewFrom) - (h.To - h.From)
	}
	return n
}

// MergeText is Merge for texts; clean is false when there is a conflict.
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
