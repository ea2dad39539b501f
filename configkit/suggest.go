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
	words := wordsOf(typed)
	var found []scored
	for _, name := range names {
		lower := strings.ToLower(name)
		score := editDistance(typed, lower, limit)
		if score > limit {
			if !sharesWords(words, lower) {
				continue
			}
			score = limit + 1 + editDistance(typed, lower, len(typed)+len(lower))
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

// DidYouMean asks whether one of the names was meant, each written after prefix. It returns "" if
// names is empty.
func DidYouMean(prefix string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	const question = "did you mean "
	last := prefix + names[len(names)-1] + "?"
	if len(names) == 1 {
		return question + last
	}
	return question + prefix + strings.Join(names[:len(names)-1], ", "+prefix) + " or " + last
}

// LikelyTypos returns the names of which typed is almost certainly a typo: at most one letter in
// eight is wrong, or a single one.
func LikelyTypos(typed string, names []string) []string {
	var meant []string
	for _, name := range names {
		limit := max(1, len(typed)/8)
		if n := editDistance(typed, name, limit); n > 0 && n <= limit {
			meant = append(meant, name)
		}
	}
	return meant
}

// wordsOf returns the words of a name.
func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_ /", r) })
}

// sharesWords reports whether all words of one name occur in the other and have at least three
// letters. words are those of the first.
func sharesWords(words []string, name string) bool {
	if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
		return false // most names, without splitting them
	}
	of := wordsOf(name)
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
