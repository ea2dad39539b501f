package yamlkit

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Merge merges a part of a resource into it: maps are merged key by key, null removes a key, an
// element of a list with a merge key changes the element with the same key or is appended, and any
// other value replaces the present one. What part does not mention stays. part is a map[string]any,
// whose keys come in alphabetical order, or [gaby.Entries]; it consists of such maps, []any, scalars
// and values of documents; the latter replace the present value as a whole. keys are the merge keys
// of the resource's type. may, if not nil, decides which missing values are created. For a map that
// is missing or replaces another value, it decides about the values in the map.
//
// Maps may have the directives of Kubernetes' strategic merge patches: $patch (replace, delete or
// merge), $retainKeys and $deleteFromPrimitiveList/KEY. $setElementOrder/KEY is skipped: elements
// keep their order. See https://github.com/kubernetes/community, strategic-merge-patch.md.
func Merge(doc *gaby.YamlDoc, keys *configkit.MergeKeyTree, part any,
	may func(segments []string) bool,
) error {
	entries, _ := entriesOf(part)
	return (&merger{doc, may}).mergeMap(nil, keys, entries)
}

// entriesOf returns the entries of a map, and whether the value is one.
func entriesOf(value any) (gaby.Entries, bool) {
	switch v := value.(type) {
	case gaby.Entries:
		return v, true
	case map[string]any:
		entries := make(gaby.Entries, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			entries = append(entries, gaby.Entry{Key: key, Value: v[key]})
		}
		return entries, true
	}
	return nil, false
}

// entryOf returns the value of a key, nil if it is missing.
func entryOf(entries gaby.Entries, key string) any {
	for _, e := range entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// merger merges into a document.
type merger struct {
	doc *gaby.YamlDoc
	may func(segments []string) bool // nil: everything
}

// mergeMap merges part into the map at segments.
func (m *merger) mergeMap(segments []string, keys *configkit.MergeKeyTree, part gaby.Entries) error {
	if entryOf(part, patchDirective) == replaceDirective {
		_, err := m.doc.Set(freshValue(part, keys, nil), segments...)
		return err
	}
	for _, e := range part {
		name, key, _ := strings.Cut(e.Key, "/")
		var err error
		switch name {
		case patchDirective, orderDirective:
		case retainDirective:
			err = m.retain(segments, e.Value)
		case primitiveDirective:
			err = m.deleteElements(below(segments, key), func(element gaby.Value) bool {
				gone, _ := e.Value.([]any)
				return slices.ContainsFunc(gone, func(item any) bool {
					return reflect.DeepEqual(item, element.Data())
				})
			})
		default:
			err = m.mergeValue(below(segments, e.Key), keys.Child(e.Key), e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeValue merges value into the value at segments, or creates it.
func (m *merger) mergeValue(segments []string, keys *configkit.MergeKeyTree, value any) error {
	target := m.doc.Search(segments...)
	entries, isMap := entriesOf(value)
	if entryOf(entries, patchDirective) == deleteDirective {
		value, isMap = nil, false
	}
	if value != nil && (target == nil || isMap && !target.IsMap()) {
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
	case map[string]any, gaby.Entries:
		if target.IsMap() {
			return m.mergeMap(segments, keys, entries)
		}
		if value = freshValue(v, keys, nil); value == nil {
			return nil
		}
	case []any:
		if isKeyed(target, keys, v) {
			return m.mergeList(segments, keys, v)
		}
		value = freshValue(v, keys, nil)
	}
	_, err := m.doc.Set(value, segments...)
	return err
}

// creatable returns the part of a missing value that may be created, nil if there is none.
func (m *merger) creatable(segments []string, value any) any {
	entries, isMap := entriesOf(value)
	if m.may == nil {
		return value
	}
	kept := gaby.Entries{}
	for _, e := range entries {
		if e.Value == nil {
			continue
		}
		if v := m.creatable(below(segments, e.Key), e.Value); v != nil {
			kept = append(kept, gaby.Entry{Key: e.Key, Value: v})
		}
	}
	_, ordered := value.(gaby.Entries)
	nulls := isMap && !slices.ContainsFunc(entries, func(e gaby.Entry) bool { return e.Value != nil })
	switch {
	case len(kept) > 0:
		return kept
	case (!isMap || len(entries) == 0 || ordered && nulls) && m.may(segments):
		return value
	}
	return nil
}

// isKeyed reports whether all elements of part have the merge key of a list.
func isKeyed(list *gaby.YamlDoc, keys *configkit.MergeKeyTree, part []any) bool {
	if keys == nil || len(keys.Keys) == 0 || !list.IsArray() {
		return false
	}
	return !slices.ContainsFunc(part, func(item any) bool {
		element, isMap := entriesOf(item)
		return !isMap || entryOf(element, keys.Keys[0]) == nil
	})
}

// hasKeys reports whether element has the values of those keys that like gives.
func hasKeys(element gaby.Value, keys []string, like gaby.Entries) bool {
	for _, key := range keys {
		want := entryOf(like, key)
		if have := element.Get(key); want != nil && (have.Kind() != gaby.Scalar || have.Data() != want) {
			return false
		}
	}
	return true
}

// mergeList merges the elements of part into the list at segments, each into the first element with
// the same keys, or else as a new one.
func (m *merger) mergeList(segments []string, keys *configkit.MergeKeyTree, part []any) error {
	present := map[string][]int{} // indexes by the text of the first key
	var elements []gaby.Value
	for _, element := range m.doc.Search(segments...).Value().All() {
		key := fmt.Sprint(element.Get(keys.Keys[0]).Data())
		present[key] = append(present[key], len(elements))
		elements = append(elements, element)
	}
	var gone [][]string
	for _, item := range part {
		element, _ := entriesOf(item)
		key := fmt.Sprint(entryOf(element, keys.Keys[0]))
		at := slices.IndexFunc(present[key], func(i int) bool {
			return hasKeys(elements[i], keys.Keys, element)
		})
		if at >= 0 {
			at = present[key][at]
		}
		deletes := entryOf(element, patchDirective) == deleteDirective
		switch {
		case deletes && at >= 0:
			gone = append(gone, below(segments, strconv.Itoa(at)))
		case deletes:
		case at >= 0:
			if err := m.inside(elements[at], below(segments, strconv.Itoa(at))).
				mergeMap(nil, keys.Child("*"), element); err != nil {
				return err
			}
		default:
			added, err := m.doc.Set(freshValue(item, keys.Child("*"), keys.Keys),
				below(segments, "-")...)
			if err != nil {
				return err
			}
			present[key] = append(present[key], len(elements))
			elements = append(elements, added.Value())
		}
	}
	return errors.Join(m.doc.DeleteAll(gone)...)
}

// inside returns the merger for a value at segments, whose paths begin there.
func (m *merger) inside(v gaby.Value, segments []string) *merger {
	inner := &merger{doc: v.Doc()}
	if m.may != nil {
		inner.may = func(path []string) bool { return m.may(slices.Concat(segments, path)) }
	}
	return inner
}

// These are the directives of strategic merge patches.
const (
	patchDirective     = "$patch"
	retainDirective    = "$retainKeys"
	orderDirective     = "$setElementOrder"
	primitiveDirective = "$deleteFromPrimitiveList"

	replaceDirective = "replace"
	deleteDirective  = "delete"
)

// isDirective reports whether a key of a patch is a directive.
func isDirective(key string) bool {
	name, _, _ := strings.Cut(key, "/")
	return slices.Contains([]string{
		patchDirective, retainDirective, orderDirective, primitiveDirective,
	}, name)
}

// retain removes the keys of the map at segments that are not in a list.
func (m *merger) retain(segments []string, keys any) error {
	kept, _ := keys.([]any)
	var gone [][]string
	for _, e := range m.doc.Search(segments...).Value().All() {
		if !slices.Contains(kept, any(e.Key())) {
			gone = append(gone, below(segments, e.Key()))
		}
	}
	return errors.Join(m.doc.DeleteAll(gone)...)
}

// deleteElements removes elements of the list at segments, if there is one.
func (m *merger) deleteElements(segments []string, isGone func(gaby.Value) bool) error {
	var gone [][]string
	list := m.doc.Search(segments...).Value()
	for i, element := range list.All() {
		if list.Kind() == gaby.List && isGone(element) {
			gone = append(gone, below(segments, strconv.Itoa(i)))
		}
	}
	return errors.Join(m.doc.DeleteAll(gone)...)
}

// below returns a path with one more segment. It shares no memory with others.
func below(segments []string, segment string) []string {
	return append(segments[:len(segments):len(segments)], segment)
}

// freshValue returns value for a path that has no value yet: without the keys it removes, and nil
// if nothing else is left of a map[string]any. List elements begin with their merge keys, as people
// write them; those of [gaby.Entries] in lists without merge keys stay as they are.
func freshValue(value any, keys *configkit.MergeKeyTree, first []string) any {
	switch v := value.(type) {
	case map[string]any, gaby.Entries:
		part, _ := entriesOf(v)
		if entryOf(part, patchDirective) == deleteDirective {
			return nil
		}
		entries := gaby.Entries{}
		add := func(e gaby.Entry) {
			if entry := freshValue(e.Value, keys.Child(e.Key), nil); entry != nil &&
				!isDirective(e.Key) {
				entries = append(entries, gaby.Entry{Key: e.Key, Value: entry})
			}
		}
		for _, key := range first {
			add(gaby.Entry{Key: key, Value: entryOf(part, key)})
		}
		for _, e := range part {
			if !slices.Contains(first, e.Key) {
				add(e)
			}
		}
		if _, dropped := v.(map[string]any); dropped && len(entries) == 0 && len(part) > 0 {
			return nil
		}
		return entries
	case []any:
		var elementKeys []string
		if keys != nil {
			elementKeys = keys.Keys
		}
		items := make([]any, 0, len(v))
		for _, item := range v {
			entries, ordered := item.(gaby.Entries)
			switch how := entryOf(entries, patchDirective); {
			case how == deleteDirective, how != nil && len(entries) == 1: // of the element, of the list
			case ordered && len(elementKeys) == 0:
				items = append(items, item)
			default:
				items = append(items, freshValue(item, keys.Child("*"), elementKeys))
			}
		}
		return items
	}
	return value
}
