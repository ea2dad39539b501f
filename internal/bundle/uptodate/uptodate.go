// Package uptodate compares observed objects with rendered ones, to find those that a controller or
// kubectl apply would write.
//
// Invariants: what an API server or a controller adds does not count; the order of the paths is
// that of the rendered object.
//
// Layer: systems.
package uptodate

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// maxShownPaths bounds the paths that a message shows.
const maxShownPaths = 3

// comparison finds where an observed object is not as it was rendered. What the API server or a
// controller added does not count: only fields that are rendered, or that were, are compared.
type comparison struct {
	// whole says that the observed object comes from a cluster, which has a uid. Of another one,
	// which somebody wrote, only the fields that it has are compared.
	whole bool
	paths []string
	found map[string]bool // those in paths
}

func (c *comparison) add(path string) {
	if !c.found[path] {
		c.paths, c.found[path] = append(c.paths, path), true
	}
}

// Rendering is an object as it was rendered and as it was observed.
type Rendering struct {
	GVK              plugin.GroupVersionKind
	Rendered, Actual gaby.Value
	// Owners says that owner references are rendered.
	Owners bool
	// Scaled says that something else decides the replicas.
	Scaled bool
}

// Differences returns the paths at which an observed object is not as it was rendered, in the order
// of the rendered object, and then those that were removed from the Bundle. A controller would write
// the object.
func (o Rendering) Differences() []string {
	rendered, actual := o.Rendered, o.Actual
	c := &comparison{
		whole: actual.Get("metadata").Get("uid").Text() != "", found: map[string]bool{},
	}
	entries := DataFields(o.GVK)
	isSecret := slices.Contains(entries, "stringData")
	for _, field := range rendered.All() {
		switch key := field.Key(); {
		case !isCompared(key, o.Owners):
		case key == "metadata":
			c.metadata(field, actual.Get(key), o.Owners)
		case isSecret && slices.Contains(entries, key):
			c.secret(rendered, actual, key)
		default:
			c.compare(field, actual.Get(key), key)
		}
	}
	switch {
	case !isSecret:
		for _, key := range entries {
			c.removed(actual.Get(key), key, rendered.Get(key))
		}
	case rendered.Get("type").Text() != TokenSecret:
		c.removed(actual.Get("data"), "data", rendered.Get("data"), rendered.Get("stringData"))
	}
	c.findRemoved(rendered, actual, func(path string) bool {
		return !isCompared(path, o.Owners) || slices.Contains(entries, path) ||
			o.Scaled && path == "spec.replicas"
	})
	return c.paths
}

// DataFields returns the fields of a type whose entries only the Bundle decides: the data of
// ConfigMaps and Secrets.
func DataFields(gvk plugin.GroupVersionKind) []string {
	switch {
	case gvk.Group == "" && gvk.Kind == "Secret":
		return []string{"data", "stringData"}
	case gvk.Group == "" && gvk.Kind == "ConfigMap":
		return []string{"data", "binaryData"}
	}
	return nil
}

// TokenSecret is the type of Secrets that a controller fills.
const TokenSecret = "kubernetes.io/service-account-token"

// metadata compares what a Bundle decides. Finalizers are removed by controllers.
func (c *comparison) metadata(rendered, actual gaby.Value, owners bool) {
	for _, field := range rendered.All() {
		if path := "metadata." + field.Key(); isCompared(path, owners) {
			c.compare(field, actual.Get(field.Key()), path)
		}
	}
}

// secret compares one field of a Secret. The API server moves stringData to data.
func (c *comparison) secret(rendered, actual gaby.Value, field string) {
	for _, v := range rendered.Get(field).All() {
		key := v.Key()
		path := field + "." + escaped(key)
		data, text := actual.Get("data").Get(key), actual.Get("stringData").Get(key)
		switch {
		case field == "data" && rendered.Get("stringData").Get(key).Exists():
		case field == "stringData" && data.Exists() && !text.Exists():
			if data.Text() != base64.StdEncoding.EncodeToString([]byte(v.Text())) {
				c.add(path)
			}
		case field == "stringData":
			c.compare(v, text, path)
		case text.Exists():
			if v.Text() != base64.StdEncoding.EncodeToString([]byte(text.Text())) {
				c.add(path)
			}
		default:
			c.compare(v, data, path)
		}
	}
}

// removed finds entries of an observed map that were not rendered. No controller adds entries to
// the data of a ConfigMap or Secret that a Bundle has.
func (c *comparison) removed(actual gaby.Value, path string, rendered ...gaby.Value) {
	if !c.whole {
		return
	}
	for _, v := range actual.All() {
		if !slices.ContainsFunc(rendered, func(r gaby.Value) bool {
			r = r.Get(v.Key())
			return r.Exists() && !r.IsNull()
		}) {
			c.add(path + "." + escaped(v.Key()))
		}
	}
}

// escaped returns a key as a segment of a dotted path.
func escaped(key string) string { return strings.ReplaceAll(key, ".", `\.`) }

// compare compares a rendered value with the observed one.
func (c *comparison) compare(rendered, actual gaby.Value, path string) {
	switch {
	case rendered.IsNull(): // as if it was left out
	case !actual.Exists() || actual.IsNull():
		if c.whole && !isEmpty(rendered, path) {
			c.add(path)
		}
	case rendered.Kind() == gaby.Map && actual.Kind() == gaby.Map:
		for _, v := range rendered.All() {
			c.compare(v, actual.Get(v.Key()), path+"."+escaped(v.Key()))
		}
	case rendered.Kind() == gaby.List && actual.Kind() == gaby.List:
		c.lists(rendered, actual, path)
	case !rendered.Equal(actual) && !sameAmount(rendered, actual, path) &&
		!samePort(rendered, actual, path):
		c.add(path)
	}
}

// lists compares lists: by the names of items, if all have one, as the API server may return them
// in another order; else item by item.
func (c *comparison) lists(rendered, actual gaby.Value, path string) {
	if rendered.Len() != actual.Len() {
		c.add(path)
		return
	}
	named := byName(actual)
	for v := rendered.First(); v.Exists() && named != nil; v = v.Next() {
		if !named[v.Get("name").Text()].Exists() {
			named = nil
		}
	}
	other := actual.First()
	i := 0
	for v := rendered.First(); v.Exists(); v, other = v.Next(), other.Next() {
		against := other
		if named != nil {
			against = named[v.Get("name").Text()]
		}
		c.compare(v, against, path+"."+strconv.Itoa(i))
		i++
	}
}

// isEntry reports whether a path leads to an entry of a map with keys of the user. The API server
// keeps empty ones. In the selector of a workload, matchLabels is that map, and not the selector.
func isEntry(path string) bool {
	names := strings.Split(strings.ReplaceAll(path, `\.`, ""), ".")
	last := len(names) - 1
	return last > 0 && names[last] != "matchLabels" && names[last] != "matchExpressions" &&
		slices.Contains([]string{
			"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector",
			"parameters", "selector", "stringData",
		}, names[last-1])
}

// isEmpty reports whether the API server may leave out the value at a path: null, false, zero, an
// empty text, or a collection of such values.
func isEmpty(v gaby.Value, path string) bool {
	switch {
	case v.IsNull():
		return true
	case isEntry(path):
		return false
	case v.Kind() == gaby.Map, v.Kind() == gaby.List:
		for _, child := range v.All() {
			if !isEmpty(child, path+"."+escaped(child.Key())) {
				return false
			}
		}
		return true
	}
	switch data := v.Data().(type) {
	case string:
		return data == ""
	case bool:
		return !data
	case int:
		return data == 0
	}
	return false
}

// sameAmount reports whether two scalars are the same number, or the same quantity at a path of
// quantities: the API server writes 1000m as "1".
func sameAmount(a, b gaby.Value, path string) bool {
	if a.Kind() != gaby.Scalar || b.Kind() != gaby.Scalar {
		return false
	}
	areNumbers := isNumber(a) && isNumber(b)
	segments := strings.Split(path, ".")
	areQuantities := slices.ContainsFunc(segments, func(s string) bool {
		return slices.Contains([]string{
			"limits", "requests", "capacity", "allocatable", "hard", "sizeLimit", "overhead",
		}, s)
	})
	if !areNumbers && !areQuantities {
		return false
	}
	x, ok := quantity.Parse(a.Text())
	y, also := quantity.Parse(b.Text())
	return ok && also && x.Compare(y) == 0
}

// samePort reports whether two scalars are the same number, one as text, at the path of a field that
// may have either.
func samePort(a, b gaby.Value, path string) bool {
	return slices.Contains([]string{
		"targetPort", "port", "servicePort", "maxSurge", "maxUnavailable", "minAvailable",
	}, path[strings.LastIndexByte(path, '.')+1:]) &&
		(isNumber(a) || isNumber(b)) && a.Kind() == b.Kind() && a.Text() == b.Text()
}

func isNumber(v gaby.Value) bool { return v.Tag() == "!!int" || v.Tag() == "!!float" }

// Message says where an object is not up to date.
func Message(paths []string) string {
	shown := strings.Join(paths[:min(len(paths), maxShownPaths)], ", ")
	if more := len(paths) - maxShownPaths; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return "not up to date: " + shown
}
