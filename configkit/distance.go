package configkit

// editDistance counts insertions, deletions, replacements and swaps of adjacent bytes, at most limit
// plus one. Names that differ in more than 64 bytes of each have that distance, too.
//
// It is the algorithm of H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau
// edit distances" (2003): a column of the table of distances is two words, whose bits say where a
// row is one more or one less than the row above.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(a) == 0:
		return len(b)
	case len(a) > 64:
		return limit + 1
	}
	var places [256]uint64 // of each byte in a
	for i := range len(a) {
		places[a[i]] |= 1 << i
	}
	distance, last := len(a), uint64(1)<<(len(a)-1)
	more, less := ^uint64(0), uint64(0)
	var zero, before uint64 // diagonals without cost, and places of the byte before
	for j := range len(b) {
		at := places[b[j]]
		zero = (^zero&at)<<1&before | ((at & more) + more ^ more) | at | less
		right, left := less|^(zero|more), zero&more
		if right&last != 0 {
			distance++
		}
		if left&last != 0 {
			distance--
		}
		if distance-(len(b)-j-1) > limit {
			return limit + 1
		}
		right, left = right<<1|1, left<<1
		more, less = left|^(zero|right), right&zero
		before = at
	}
	return distance
}
