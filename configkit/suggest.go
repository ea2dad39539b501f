package configkit

import (
	"cmp"
	"slices"
	"strings"
)

// maxTyped is the length of the longest input that is compared with names. Anything longer is not a
// typo, and comparing is expensive.
const maxTyped = 256

// Suggest returns up to three names most similar to typed, best first. It recognizes typos (by edit
// distance) and omitted or swapped words ("replicas", "image-set").
func Suggest(typed string, names []string) []string {
	if len(typed) > maxTyped {
		return nil
	}
	type scored struct {
		name  string
		score int
	}
	typed = strings.ToLower(typed)
	limit := max(1, len(typed)/3)
	var found []scored
	for _, name := range names {
		lower := strings.ToLower(name)
		score := editDistance(typed, lower)
		if score > limit {
			if !sharesWords(typed, lower) {
				continue
			}
			score = limit + 1 + score
		}
		found = append(found, scored{name, score})
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name))
	})
	var result []string
	for _, f := range found[:min(3, len(found))] {
		// A typo is the best explanation; do not dilute it with worse ones.
		if found[0].score <= limit && f.score > found[0].score {
			break
		}
		result = append(result, f.name)
	}
	return result
}

// didYouMean begins the question of DidYouMean.
const didYouMean = "did you mean "

// DidYouMean asks whether one of the names was meant, each written after prefix. It returns "" if
// names is empty.
func DidYouMean(prefix string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	last := prefix + names[len(names)-1] + "?"
	if len(names) == 1 {
		return didYouMean + last
	}
	return didYouMean + prefix + strings.Join(names[:len(names)-1], ", "+prefix) + " or " +
		last
}

// CutDidYouMean returns a message without the question of DidYouMean that follows a semicolon, and
// reports whether it has one.
func CutDidYouMean(message string) (before string, found bool) {
	before, _, found = strings.Cut(message, "; "+didYouMean)
	return before, found
}

// LikelyTypos returns the names of which typed is almost certainly a typo: at most one letter in
// eight is wrong, or a single one.
func LikelyTypos(typed string, names []string) []string {
	var meant []string
	for _, name := range names {
		if n := editDistance(typed, name); n > 0 && n <= max(1, len(typed)/8) {
			meant = append(meant, name)
		}
	}
	return meant
}

// sharesWords reports whether all words of one name occur in the other and have at least three
// letters.
func sharesWords(typed, name string) bool {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_ /", r) })
	}
	words, of := split(typed), split(name)
	if len(words) > len(of) {
		words, of = of, words
	}
	for _, w := range words {
		if len(w) < 3 || !slices.Contains(of, w) {
			return false
		}
	}
	return len(words) > 0
}

// editDistance counts insertions, deletions, replacements and swaps of adjacent bytes.
func editDistance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
