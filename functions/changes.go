package functions

import (
	"bytes"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// CountChanges compares the unit with an earlier state of it. It returns the number of resources
// that were changed, added or removed, and the number of scalar values in them that were.
func (u *Unit) CountChanges(before *Unit) (resources, values int, err error) {
	old, oldNames, err := before.named()
	if err != nil {
		return 0, 0, err
	}
	now, nowNames, err := u.named()
	if err != nil {
		return 0, 0, err
	}
	was := make(map[string]*gaby.YamlDoc, len(old))
	for i, doc := range old {
		was[oldNames[i]] = doc
	}
	for i, doc := range now {
		other, known := was[nowNames[i]]
		delete(was, nowNames[i])
		if known && bytes.Equal(other.Bytes(), doc.Bytes()) {
			continue
		}
		resources++
		if known {
			values += differences(other.Value(), doc.Value())
		} else {
			values += doc.Value().Leaves()
		}
	}
	for _, doc := range was {
		resources++
		values += doc.Value().Leaves()
	}
	return resources, values, nil
}

// named returns the resources of the unit, each with a unique name: its type and name, followed by
// a number if these are not unique.
func (u *Unit) named() (documents gaby.Container, names []string, err error) {
	seen := map[string]int{}
	err = yamlkit.EachResource(u.documents, u.provider, func(i int, info api.ResourceInfo) {
		name := info.String()
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprint(name, " #", seen[name])
		}
		documents, names = append(documents, u.documents[i]), append(names, name)
	})
	return documents, names, err
}

// differences counts the scalar values in which a and b differ.
func differences(a, b gaby.Value) int {
	switch {
	case a.Kind() != b.Kind():
		return max(a.Leaves(), b.Leaves())
	case a.IsAliased() || b.IsAliased():
		return 0 // counted at the anchor
	}
	n := 0
	switch a.Kind() {
	case gaby.Map:
		for v := a.First(); v.Exists(); v = v.Next() {
			if other := b.Get(v.Key()); other.Exists() {
				n += differences(v, other)
			} else {
				n += v.Leaves()
			}
		}
		for v := b.First(); v.Exists(); v = v.Next() {
			if !a.Get(v.Key()).Exists() {
				n += v.Leaves()
			}
		}
	case gaby.List:
		return listDifferences(a, b)
	default:
		if a.Text() != b.Text() || a.Tag() != b.Tag() {
			return 1
		}
	}
	return n
}

// listDifferences skips the common prefix and suffix of the lists, so that an inserted item counts
// as one difference.
func listDifferences(a, b gaby.Value) int {
	old, now := itemsOf(a), itemsOf(b)
	for len(old) > 0 && len(now) > 0 && old[0].Equal(now[0]) {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1].Equal(now[len(now)-1]) {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	n := 0
	for i := range max(len(old), len(now)) {
		switch {
		case i >= len(old):
			n += now[i].Leaves()
		case i >= len(now):
			n += old[i].Leaves()
		default:
			n += differences(old[i], now[i])
		}
	}
	return n
}

// itemsOf returns the items of a list.
func itemsOf(list gaby.Value) []gaby.Value {
	var items []gaby.Value
	for v := list.First(); v.Exists(); v = v.Next() {
		items = append(items, v)
	}
	return items
}
