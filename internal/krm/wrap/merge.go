package wrap

import (
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// resourceMerger merges a generated resource into the existing document (X4): what is generated
// wins, what only the document has stays, null removes. Lists with merge keys are merged by them,
// other lists are replaced.
type resourceMerger struct{ doc *gaby.YamlDoc }

// value merges generated into the value old at path.
func (m *resourceMerger) value(
	path []string,
	old, generated gaby.Value,
	keys *configkit.MergeKeyTree,
) error {
	switch {
	case generated.IsNull():
		if !old.Exists() {
			return nil
		}
		return m.doc.Delete(path...)
	case old.Kind() == gaby.Map && generated.Kind() == gaby.Map:
		return m.mapping(path, old, generated, keys)
	case old.Kind() == gaby.List && generated.Kind() == gaby.List && keys != nil &&
		len(keys.Keys) > 0 && hasKeys(generated, keys):
		return m.list(path, old, generated, keys)
	case old.Exists() && old.Equal(generated):
		return nil
	}
	// An existing value keeps its comment.
	_, err := m.doc.Set(gaby.WithOwnComments(generated), path...)
	return err
}

// mapping merges maps. A new key comes after the one that it follows in what was generated.
func (m *resourceMerger) mapping(
	path []string,
	old, generated gaby.Value,
	keys *configkit.MergeKeyTree,
) error {
	before := ""
	for _, c := range generated.All() {
		at := append(path[:len(path):len(path)], c.Key())
		had := old.Get(c.Key())
		if err := m.value(at, had, c, keys.Child(c.Key())); err != nil {
			return err
		}
		if c.IsNull() {
			continue
		}
		if !had.Exists() && before != "" {
			if err := m.doc.MoveKeyAfter(before, at...); err != nil {
				return err
			}
		}
		before = c.Key()
	}
	return nil
}

// list merges lists by their merge keys. New elements are appended.
func (m *resourceMerger) list(
	path []string,
	old, generated gaby.Value,
	keys *configkit.MergeKeyTree,
) error {
	have := slices.Collect(old.Entries())
	for _, g := range generated.All() {
		i := slices.IndexFunc(have, func(v gaby.Value) bool { return sameKeys(v, g, keys) })
		segment, was := "-", gaby.Value{}
		if i >= 0 {
			segment, was = strconv.Itoa(i), have[i]
		}
		err := m.value(append(path[:len(path):len(path)], segment), was, g, keys.Child("*"))
		if err != nil {
			return err
		}
	}
	return nil
}

// hasKeys reports whether all elements of a list have the first merge key.
func hasKeys(list gaby.Value, keys *configkit.MergeKeyTree) bool {
	for _, c := range list.All() {
		if c.Get(keys.Keys[0]).Kind() != gaby.Scalar {
			return false
		}
	}
	return true
}

// sameKeys reports whether two elements have the same merge keys.
func sameKeys(a, b gaby.Value, keys *configkit.MergeKeyTree) bool {
	text := func(v gaby.Value, key string) string {
		if field := v.Get(key); field.Exists() {
			return field.Text()
		}
		return keys.Defaults[key]
	}
	return !slices.ContainsFunc(keys.Keys, func(key string) bool {
		return text(a, key) != text(b, key)
	})
}
