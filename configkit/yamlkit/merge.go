package yamlkit

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Merge merges a part of a resource into it: maps are merged key by key, null removes a key, an
// element of a list with a merge key changes the element with the same key or is appended, and any
// other value replaces the present one. What part does not mention stays. part consists of
// map[string]any, []any, scalars and values of documents; the latter replace the present value as a
// whole. keys are the merge keys of the resource's type. may, if not nil, decides which missing
// values are created. For a map that is missing or replaces another value, it decides about the
// values in the map.
func Merge(doc *gaby.YamlDoc, keys *configkit.MergeKeyTree, part map[string]any,
	may func(segments []string) bool,
) error {
	return (&merger{doc, may}).mergeMap(nil, keys, part)
}

// merger merges into a document.
type merger struct {
	doc *gaby.YamlDoc
	may func(segments []string) bool // nil: everything
}

// mergeMap merges part into the map at segments, key by key in alphabetical order.
func (m *merger) mergeMap(segments []string, keys *configkit.MergeKeyTree,
	part map[string]any,
) error {
	for _, key := range slices.Sorted(maps.Keys(part)) {
		if err := m.mergeValue(append(segments[:len(segments):len(segments)], key),
			keys.Child(key), part[key]); err != nil {
			return err
		}
	}
	return nil
}

// mergeValue merges value into the value at segments, or creates it.
func (m *merger) mergeValue(segments []string, keys *configkit.MergeKeyTree, value any) error {
	target := m.doc.Search(segments...)
	entries, _ := value.(map[string]any)
	if value != nil && (target == nil || entries != nil && !target.IsMap()) {
		if value = m.creatable(segments, value); value == nil {
			return nil
		}
	}
	switch v := value.(type) {
	case nil:
		if target == nil {
			return nil
		}
		return m.doc.Delete(segments...)
	case map[string]any:
		if target.IsMap() {
			return m.mergeMap(segments, keys, v)
		}
		if value = freshValue(v, keys, nil); value == nil {
			return nil
		}
	case []any:
		if indexes, ok := keyedElements(target, keys, v); ok {
			return m.mergeList(segments, keys, v, indexes)
		}
		value = freshValue(v, keys, nil)
	}
	_, err := m.doc.Set(value, segments...)
	return err
}

// creatable returns the part of a missing value that may be created, nil if there is none.
func (m *merger) creatable(segments []string, value any) any {
	entries, isMap := value.(map[string]any)
	switch {
	case m.may == nil:
		return value
	case !isMap || len(entries) == 0:
		if !m.may(segments) {
			return nil
		}
		return value
	}
	kept := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if entries[key] == nil {
			continue
		}
		below := append(segments[:len(segments):len(segments)], key)
		if v := m.creatable(below, entries[key]); v != nil {
			kept[key] = v
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// keyedElements returns the indexes of the list elements that the elements of part refer to, -1 for
// new ones. ok is false if the list has no merge key or an element of part has no value for it.
func keyedElements(list *gaby.YamlDoc, keys *configkit.MergeKeyTree, part []any) (indexes []int,
	ok bool,
) {
	if keys == nil || len(keys.Keys) == 0 || !list.IsArray() {
		return nil, false
	}
	for _, item := range part {
		element, isMap := item.(map[string]any)
		if !isMap || element[keys.Keys[0]] == nil {
			return nil, false
		}
		at := -1
		for i, c := range list.Value().All() {
			if hasKeys(c, keys.Keys, element) {
				at = i
				break
			}
		}
		indexes = append(indexes, at)
	}
	return indexes, true
}

// hasKeys reports whether element has the values of those keys that like gives.
func hasKeys(element gaby.Value, keys []string, like map[string]any) bool {
	for _, key := range keys {
		want, given := like[key]
		if have := element.Get(key); given && (have.Kind() != gaby.Scalar || have.Data() != want) {
			return false
		}
	}
	return true
}

// mergeList merges the elements of part into the list at segments. indexes has the index of each
// element in the list, -1 for new ones.
func (m *merger) mergeList(segments []string, keys *configkit.MergeKeyTree, part []any,
	indexes []int,
) error {
	for i, item := range part {
		segment := "-"
		if indexes[i] >= 0 {
			segment = strconv.Itoa(indexes[i])
		}
		path := append(segments[:len(segments):len(segments)], segment)
		var err error
		if indexes[i] >= 0 {
			err = m.mergeMap(path, keys.Child("*"), item.(map[string]any))
		} else {
			_, err = m.doc.Set(freshValue(item, keys.Child("*"), keys.Keys), path...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// freshValue returns value for a path that has no value yet: without the keys it removes, and nil
// if nothing else is left. List elements begin with their merge keys, as people write them.
func freshValue(value any, keys *configkit.MergeKeyTree, first []string) any {
	switch v := value.(type) {
	case map[string]any:
		entries := gaby.Entries{}
		add := func(key string) {
			if entry := freshValue(v[key], keys.Child(key), nil); entry != nil {
				entries = append(entries, gaby.Entry{Key: key, Value: entry})
			}
		}
		for _, key := range first {
			add(key)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(first, key) {
				add(key)
			}
		}
		if len(entries) == 0 && len(v) > 0 {
			return nil
		}
		return entries
	case []any:
		var elementKeys []string
		if keys != nil {
			elementKeys = keys.Keys
		}
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = freshValue(item, keys.Child("*"), elementKeys)
		}
		return items
	}
	return value
}
