package printed

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// pair returns for each element of want the index of the element of have that it continues, or -1
// for a new one.
func pair(old, returned gaby.Value, keys *configkit.MergeKeyTree) []int {
	have, want := slices.Collect(old.Entries()), slices.Collect(returned.Entries())
	for _, names := range keyChoices(keys) {
		if from, ok := pairByKey(have, want, names, keys); ok {
			return from
		}
	}
	return old.Match(returned)
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
