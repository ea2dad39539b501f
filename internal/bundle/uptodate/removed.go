package uptodate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// lastApplied is the annotation in which kubectl apply keeps the applied object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// serverSideManager is the manager of fields that kubectl apply --server-side applied.
const serverSideManager = "kubectl"

// findRemoved finds what was removed from the Bundle since the observed object was applied. The
// object itself says what was: in an annotation, or, if a server applied it, in its managed fields.
// What others added to it is in neither.
func (c *comparison) findRemoved(rendered, actual gaby.Value, skip func(path string) bool) {
	metadata := actual.Get("metadata")
	var applied []gaby.Value
	text := metadata.Get("annotations").Get(lastApplied).Text()
	if doc, err := gaby.ParseYAML([]byte(text)); err == nil {
		applied = append(applied, doc.Value())
	}
	for _, entry := range metadata.Get("managedFields").All() {
		fields := entry.Get("fieldsV1")
		if entry.Get("manager").Text() != serverSideManager || !fields.First().Exists() ||
			entry.Get("operation").Text() != "Apply" || entry.Get("subresource").Text() != "" {
			continue
		}
		part, _ := owned(fields, actual).(map[string]any)
		doc, err := gaby.ParseYAML([]byte("\n"))
		if err == nil && doc.SetData(part) == nil { // in the order of keys
			applied = append(applied, doc.Value())
		}
	}
	for _, was := range applied {
		c.dropped(was, rendered, actual, "", skip)
	}
}

// owned returns the part of a value that managed fields say a manager owns: a map, a list, or a
// value that has no fields.
func owned(fields, actual gaby.Value) any {
	switch first := fields.First(); {
	case !first.Exists():
	case actual.Kind() == gaby.Map:
		m := map[string]any{}
		for f := first; f.Exists(); f = f.Next() {
			key, ok := strings.CutPrefix(f.Key(), "f:")
			if v := actual.Get(key); ok && v.Exists() {
				m[key] = owned(f, v)
			}
		}
		return m
	case actual.Kind() == gaby.List:
		return ownedItems(fields, actual)
	}
	return actual.Data()
}

// ownedItems returns the parts of the items of a list that a manager owns. An item of maps is found
// by its keys, as in k:{"name":"web"}, another one by its value.
func ownedItems(fields, list gaby.Value) []any {
	byKeys := map[string]gaby.Value{} // the entries of managed fields
	var keys []string
	for _, f := range fields.All() {
		kind, text, _ := strings.Cut(f.Key(), ":")
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil || kind != "k" && kind != "v" {
			continue
		}
		if v := doc.Value(); kind == "k" {
			keys = keys[:0]
			for _, key := range v.All() {
				keys = append(keys, key.Key())
			}
			byKeys[identityOfItem(v, keys)] = f
		} else {
			byKeys[v.Text()] = f
		}
	}
	items := []any{}
	for _, item := range list.All() {
		f, ok := byKeys[identityOfItem(item, keys)]
		if !ok {
			continue
		}
		part := owned(f, item)
		if m, ok := part.(map[string]any); ok && slices.Contains(keys, "name") {
			m["name"] = item.Get("name").Data()
		}
		items = append(items, part)
	}
	return items
}

// identityOfItem returns the values of the keys by which an item of a list is known, or the value
// of one that is not a map.
func identityOfItem(item gaby.Value, keys []string) string {
	if item.Kind() != gaby.Map {
		return item.Text()
	}
	var id strings.Builder
	for _, key := range keys {
		id.WriteString(strconv.Quote(item.Get(key).Text()))
	}
	return id.String()
}

// dropped finds what was applied, is not rendered any more, and still exists. rendered may be
// missing.
func (c *comparison) dropped(applied, rendered, actual gaby.Value, path string,
	skip func(path string) bool,
) {
	isMap := rendered.Kind() == gaby.Map || isMissing(rendered)
	switch {
	case applied.Kind() == gaby.Map && isMap && actual.Kind() == gaby.Map:
		for _, was := range applied.All() {
			at := strings.TrimPrefix(path+"."+escaped(was.Key()), ".")
			now, exists := rendered.Get(was.Key()), actual.Get(was.Key())
			switch {
			case skip(at) || !remains(was, exists):
			case isMissing(now) && isWhole(was, exists):
				c.add(at)
			default:
				c.dropped(was, now, exists, at, skip)
			}
		}
	case applied.Kind() == gaby.List && rendered.Kind() == gaby.List &&
		actual.Kind() == gaby.List && rendered.Len() == actual.Len():
		c.droppedItems(applied, rendered, actual, path, skip)
	}
}

// droppedItems looks into the items of lists as [comparison.lists] pairs them.
func (c *comparison) droppedItems(applied, rendered, actual gaby.Value, path string,
	skip func(path string) bool,
) {
	was, exists := byName(applied), byName(actual)
	isPaired := applied.Len() == rendered.Len()
	before, other := applied.First(), actual.First()
	i := 0
	for v := rendered.First(); v.Exists(); v, other = v.Next(), other.Next() {
		name := v.Get("name").Text()
		at := path + "." + strconv.Itoa(i)
		switch {
		case was != nil && exists != nil:
			c.dropped(was[name], v, exists[name], at, skip)
		case isPaired:
			c.dropped(before, v, other, at, skip)
		}
		before = before.Next()
		i++
	}
}

// remains reports whether something of what was applied exists.
func remains(applied, actual gaby.Value) bool {
	if applied.IsNull() || isMissing(actual) {
		return false
	}
	if applied.Kind() != gaby.Map || actual.Kind() != gaby.Map {
		return true
	}
	for _, v := range applied.All() {
		if remains(v, actual.Get(v.Key())) {
			return true
		}
	}
	return false
}

func isMissing(v gaby.Value) bool { return !v.Exists() || v.IsNull() }

// isWhole reports whether nobody added an entry to what was applied.
func isWhole(applied, actual gaby.Value) bool {
	for v := actual.First(); v.Exists() && actual.Kind() == gaby.Map; v = v.Next() {
		if !applied.Get(v.Key()).Exists() {
			return false
		}
	}
	return true
}

// byName returns the items of a list by their names, nil unless all have different ones.
func byName(list gaby.Value) map[string]gaby.Value {
	named := map[string]gaby.Value{}
	for _, v := range list.All() {
		if name, ok := v.Get("name").Data().(string); ok {
			named[name] = v
		}
	}
	if len(named) != list.Len() {
		return nil
	}
	return named
}

// isCompared reports whether a field of the rendered object is compared with the observed one: what
// identifies the object is the same, and other metadata is the business of controllers.
func isCompared(path string, owners bool) bool {
	first, rest, _ := strings.Cut(path, ".")
	switch first {
	case "apiVersion", "kind", "status":
		return false
	case "metadata":
		field, _, _ := strings.Cut(rest, ".")
		return slices.Contains([]string{"", "labels", "annotations"}, field) ||
			owners && field == "ownerReferences"
	}
	return true
}
