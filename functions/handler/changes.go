package handler

import (
	"bytes"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// Changes are the changes that a chain made to some data.
type Changes struct {
	Resources int // that were changed, added or removed
	Values    int // scalars in them that were
	// Present are the resources that are new or have another text, in the order of the data. Gone
	// are those that were removed. Both are known if the options ask for them.
	Present, Gone []api.ResourceInfo
}

// add adds the changes of another part of the data.
func (c *Changes) add(other *Changes) {
	c.Resources += other.Resources
	c.Values += other.Values
	c.Present, c.Gone = append(c.Present, other.Present...), append(c.Gone, other.Gone...)
}

// edits counts the changes of documents that were only edited, which their journals have.
func edits(documents gaby.Container) *Changes {
	c := &Changes{}
	for _, doc := range documents {
		if values, changed := doc.CountChanges(); changed {
			c.Resources++
			c.Values += values
		}
	}
	return c
}

// compare compares two states of some documents. A resource of which there are several with its
// type and name is distinguished by its number among them.
func compare(before, after gaby.Container, provider configkit.ResourceProvider) (*Changes, error) {
	old, err := named(before, provider)
	if err != nil {
		return nil, err
	}
	now, err := named(after, provider)
	if err != nil {
		return nil, err
	}
	was := make(map[string]resource, len(old))
	for _, r := range old {
		was[r.key] = r
	}
	c := &Changes{}
	for _, r := range now {
		other, known := was[r.key]
		delete(was, r.key)
		switch {
		case known && (other.doc == r.doc || bytes.Equal(other.doc.Bytes(), r.doc.Bytes())):
			continue
		case !known:
			c.Values += r.doc.Value().Leaves()
		default:
			c.Values += differences(other.doc.Value(), r.doc.Value())
		}
		c.Resources++
		c.Present = append(c.Present, r.info)
	}
	for _, r := range old {
		if _, gone := was[r.key]; gone {
			c.Resources++
			c.Values += r.doc.Value().Leaves()
			c.Gone = append(c.Gone, r.info)
		}
	}
	return c, nil
}

// resource is a document with its unique key: its type and name and, if these are not unique, a
// number.
type resource struct {
	doc  *gaby.YamlDoc
	info api.ResourceInfo
	key  string
}

func named(docs gaby.Container, provider configkit.ResourceProvider) (all []resource, err error) {
	seen := map[string]int{}
	err = yamlkit.EachResource(docs, provider, func(i int, info api.ResourceInfo) {
		key := info.String()
		if seen[key]++; seen[key] > 1 {
			key = fmt.Sprint(key, " #", seen[key])
		}
		all = append(all, resource{docs[i], info, key})
	})
	return all, err
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
