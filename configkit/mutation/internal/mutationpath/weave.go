package mutationpath

import "slices"

// Weave combines the orders of two lists. For example, [c a x] from the source and [a y c] from the
// target give [c a x y]: c and a are common, x and y follow a. Common elements follow the source's
// order. The others stay after the common element they followed on their side, elements of the
// source first.
func Weave(source, target []string) []string {
	// follow returns the keys that are not common, by the common key they follow. Those before the
	// first common key are under "\x00", which is not a key.
	follow := func(keys, others []string) map[string][]string {
		common, after, last := toSet(others), map[string][]string{}, "\x00"
		for _, k := range keys {
			if common[k] {
				last = k
			} else {
				after[last] = append(after[last], k)
			}
		}
		return after
	}
	ofSource, ofTarget := follow(source, target), follow(target, source)
	woven := slices.Concat(ofSource["\x00"], ofTarget["\x00"])
	inTarget := toSet(target)
	for _, k := range source {
		if inTarget[k] {
			woven = append(append(append(woven, k), ofSource[k]...), ofTarget[k]...)
		}
	}
	return woven
}

func toSet(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, k := range keys {
		set[k] = true
	}
	return set
}
