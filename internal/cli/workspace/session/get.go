package session

import (
	"maps"
	"slices"
	"strings"
)

// PrintGet prints one entity: its fields one per line, or with -o in another form.
func (s *Session) PrintGet(out *Output, name string, object any, rows [][]string) error {
	if err := out.Check(); err != nil {
		return err
	}
	s.noteUnused(out)
	switch {
	case out.Form == "name":
		return s.App.Write([]byte(name + "\n"))
	case out.Form == "json" || out.Form == "yaml" || strings.HasPrefix(out.Form, jqPrefix):
		return s.PrintObject(out, object)
	case strings.HasPrefix(out.Form, "custom-columns="):
		return printCustom(s, out, []any{object}, func(v any) any { return v })
	}
	var shown [][]string
	for _, row := range rows {
		if row[1] != "" {
			shown = append(shown, row)
		}
	}
	return s.writeTable(nil, shown)
}

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
