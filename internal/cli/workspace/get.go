package workspace

import (
	"maps"
	"slices"
	"strings"
)

// printGet prints one entity: its fields one per line, or with -o in another form.
func (s *session) printGet(out *output, name string, object any, rows [][]string) error {
	if err := out.check(); err != nil {
		return err
	}
	switch {
	case out.form == "name":
		return s.app.Write([]byte(name + "\n"))
	case out.form == "json" || out.form == "yaml":
		return s.printObject(out, object)
	case strings.HasPrefix(out.form, "custom-columns="):
		return printCustom(s, out, []any{object}, func(v any) any { return v })
	}
	var shown [][]string
	for _, row := range rows {
		if row[1] != "" {
			shown = append(shown, row)
		}
	}
	return s.app.Write(table(nil, shown))
}

// pairs returns a map as text, sorted by key.
func pairs(m map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, key+"="+m[key])
	}
	return strings.Join(all, ",")
}

// gates returns the closed gates.
func gates(m map[string]bool) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] {
			all = append(all, key)
		}
	}
	return strings.Join(all, ",")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// dash returns a dash for an empty text.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
