package report

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// deepIndent is the line break and the indentation before a field of an object in an object of a
// row.
const deepIndent = "\n        "

// mutation writes a row, as attribute does.
func (w *rowWriter) mutation(row *api.ResourceMutation, unit string) error {
	w.b = append(w.b, '{')
	w.optional(fieldIndent, "Unit", unit)
	w.open("Resource")
	w.text(nestedIndent, "ResourceName", string(row.Resource.ResourceName))
	w.text(nestedIndent, "ResourceNameWithoutScope", string(row.Resource.ResourceNameWithoutScope))
	w.text(nestedIndent, "ResourceType", string(row.Resource.ResourceType))
	w.text(nestedIndent, "ResourceCategory", string(row.Resource.ResourceCategory))
	w.optional(nestedIndent, "ResourceMergeID", row.Resource.ResourceMergeID)
	w.close(fieldIndent)
	w.open("ResourceMutationInfo")
	w.change(nestedIndent, &row.ResourceMutationInfo)
	w.close(fieldIndent)
	w.open("PathMutationMap")
	for _, path := range sortedKeys(w, row.PathMutationMap) {
		change := row.PathMutationMap[api.ResolvedPath(path)]
		w.field(nestedIndent, path)
		w.b = append(w.b, '{')
		w.change(deepIndent, &change)
		w.close(nestedIndent)
	}
	w.close(fieldIndent)
	for _, field := range []struct {
		name  string
		value any
		empty bool
	}{
		{"ArrayOrders", row.ArrayOrders, len(row.ArrayOrders) == 0},
		{"ArrayElementAliases", row.ArrayElementAliases, len(row.ArrayElementAliases) == 0},
	} {
		if field.empty {
			continue
		}
		w.field(fieldIndent, field.name)
		if err := w.value(field.value); err != nil {
			return err
		}
	}
	w.names("Aliases", row.Aliases, row.Resource.ResourceName)
	w.names("AliasesWithoutScopes", row.AliasesWithoutScopes,
		row.Resource.ResourceNameWithoutScope)
	w.b = append(w.b, "\n  }"...)
	return nil
}

// change writes the fields of a change.
func (w *rowWriter) change(indent string, m *api.MutationInfo) {
	w.text(indent, "MutationType", string(m.MutationType))
	w.number(indent, "Index", m.Index)
	w.text(indent, "Value", m.Value)
	w.optional(indent, "Patch", m.Patch)
	if m.Protected {
		w.field(indent, "Protected")
		w.b = append(w.b, "true"...)
	}
}

// names writes a set of names, which has only the given one if it is nil.
func (w *rowWriter) names(
	field string, names map[api.ResourceName]struct{}, only api.ResourceName,
) {
	sorted := append(w.keys[:0], string(only))
	if names != nil {
		sorted = sortedKeys(w, names)
	}
	w.open(field)
	for _, name := range sorted {
		w.field(nestedIndent, name)
		w.b = append(w.b, "{}"...)
	}
	w.close(fieldIndent)
}

// sortedKeys returns the sorted keys of a map, until the next call.
func sortedKeys[K ~string, V any](w *rowWriter, m map[K]V) []string {
	w.keys = w.keys[:0]
	for key := range m {
		w.keys = append(w.keys, string(key))
	}
	slices.Sort(w.keys)
	return w.keys
}

// open begins a field of the row that is an object.
func (w *rowWriter) open(name string) {
	w.field(fieldIndent, name)
	w.b = append(w.b, '{')
}

// close ends an object. One without fields has no line break.
func (w *rowWriter) close(indent string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, indent...)
	}
	w.b = append(w.b, '}')
}
