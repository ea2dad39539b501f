package printed

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxCompared is the maximum number of pairs of elements that are compared in full.
const maxCompared = 1 << 20

// pair returns for each element of want the index of the element of have that it continues, or -1
// for a new one.
func pair(have, want []gaby.Value, keys *configkit.MergeKeyTree) []int {
	for _, names := range keyChoices(keys) {
		if from, ok := pairByKey(have, want, names, keys); ok {
			return from
		}
	}
	if from, ok := pairScalars(have, want); ok {
		return from
	}
	return pairEqual(have, want)
}

// keyChoices returns the keys by which elements may be identified: the merge keys of the list, else
// a name.
func keyChoices(keys *configkit.MergeKeyTree) [][]string {
	if keys != nil && len(keys.Keys) > 0 {
		return [][]string{keys.Keys, {"name"}}
	}
	return [][]string{{"name"}}
}

// pairByKey pairs maps by the values of some keys. It reports false unless every element has them
// and no two elements of a list have the same.
func pairByKey(have, want []gaby.Value, names []string, keys *configkit.MergeKeyTree,
) ([]int, bool) {
	id := func(v gaby.Value) (string, bool) {
		if v.Kind() != gaby.Map {
			return "", false
		}
		var b strings.Builder
		for _, name := range names {
			part := v.Get(name)
			switch {
			case part.Kind() == gaby.Scalar && !part.IsNull():
				b.WriteString(part.Text())
			case keys != nil && keys.Defaults[name] != "":
				b.WriteString(keys.Defaults[name])
			default:
				return "", false
			}
			b.WriteByte(0)
		}
		return b.String(), true
	}
	at := make(map[string]int, len(have))
	for i, v := range have {
		key, ok := id(v)
		if _, twice := at[key]; !ok || twice {
			return nil, false
		}
		at[key] = i
	}
	from, seen := make([]int, len(want)), make(map[string]bool, len(want))
	for k, v := range want {
		key, ok := id(v)
		if !ok || seen[key] {
			return nil, false
		}
		seen[key] = true
		from[k] = -1
		if i, ok := at[key]; ok {
			from[k] = i
		}
	}
	return from, true
}

// pairScalars pairs equal scalars; each is used once. It reports false if not all are scalars.
func pairScalars(have, want []gaby.Value) ([]int, bool) {
	free := map[string][]int{}
	for i, v := range have {
		if v.Kind() != gaby.Scalar {
			return nil, false
		}
		free[v.Text()] = append(free[v.Text()], i)
	}
	from := make([]int, len(want))
	used := make([]bool, len(have))
	for k, v := range want {
		if v.Kind() != gaby.Scalar {
			return nil, false
		}
		from[k] = -1
		if same := free[v.Text()]; len(same) > 0 {
			from[k], free[v.Text()] = same[0], same[1:]
			used[same[0]] = true
		}
	}
	// An element replaced at its position keeps its comment and style.
	for k, i := range from {
		if i < 0 && k < len(have) && !used[k] && len(have) == len(want) {
			from[k], used[k] = k, true
		}
	}
	return from, true
}

// pairEqual pairs equal elements in order, as many as possible, and the elements between them by
// position.
func pairEqual(have, want []gaby.Value) []int {
	from := make([]int, len(want))
	for k := range from {
		from[k] = -1
	}
	head := 0
	for head < min(len(have), len(want)) && have[head].Equal(want[head]) {
		from[head] = head
		head++
	}
	h, w := len(have), len(want)
	for h > head && w > head && have[h-1].Equal(want[w-1]) {
		h, w = h-1, w-1
		from[w] = h
	}
	if (h-head)*(w-head) <= maxCompared {
		longestCommon(have[head:h], want[head:w], func(i, k int) { from[head+k] = head + i })
	}
	// what lies between two pairs
	i := head
	for k := head; k < w; k++ {
		if from[k] >= 0 {
			i = from[k] + 1
			continue
		}
		next := h
		for later := k + 1; later < w; later++ {
			if from[later] >= 0 {
				next = from[later]
				break
			}
		}
		if i < next && have[i].Kind() == want[k].Kind() {
			from[k] = i
			i++
		}
	}
	return from
}

// longestCommon calls same for the pairs of a longest common subsequence.
func longestCommon(have, want []gaby.Value, same func(i, k int)) {
	if len(have) == 0 || len(want) == 0 {
		return
	}
	columns := len(want) + 1
	length := make([]int32, (len(have)+1)*columns)
	equal := make([]bool, len(have)*len(want))
	for i, old := range slices.Backward(have) {
		for k, v := range slices.Backward(want) {
			if old.Equal(v) {
				equal[i*len(want)+k] = true
				length[i*columns+k] = length[(i+1)*columns+k+1] + 1
			} else {
				length[i*columns+k] = max(length[(i+1)*columns+k], length[i*columns+k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(have) && k < len(want); {
		switch {
		case equal[i*len(want)+k]:
			same(i, k)
			i, k = i+1, k+1
		case length[(i+1)*columns+k] >= length[i*columns+k+1]:
			i++
		default:
			k++
		}
	}
}
