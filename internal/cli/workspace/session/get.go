package session

import (
	"maps"
	"slices"
	"strings"
)

// Pairs returns a map as text, sorted by key.
func Pairs(m map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, key+"="+m[key])
	}
	return strings.Join(all, ",")
}

// Gates returns the closed gates.
func Gates(m map[string]bool) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] {
			all = append(all, key)
		}
	}
	return strings.Join(all, ",")
}

// YesNo returns yes or no.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Dash returns a dash for an empty text.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
