package yamlkit

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// WalkedValue is where a walk over a document has come to. It is reused; what is kept must be copied.
type WalkedValue struct {
	Value    gaby.Value
	Segments []string // keys and indexes
	// Keys are the merge keys of the value, if it is a list that has some, and of what is below it.
	Keys *configkit.MergeKeyTree

	keyed []string // the same as results report them: escaped, ?key=value where a list has a merge key
}

// IndexPath calls list elements by their index.
func (w *WalkedValue) IndexPath() api.ResolvedPath { return yamlpath.Join(w.Segments) }

// Path calls list elements as results do: by their merge key, where their list has one and it leads back to them.
func (w *WalkedValue) Path() api.ResolvedPath { return api.ResolvedPath(strings.Join(w.keyed, ".")) }

// KeyedSegments are the segments of Path, escaped.
func (w *WalkedValue) KeyedSegments() []string { return w.keyed }

// Row is the result for the value. A map or list is its YAML text.
func (w *WalkedValue) Row(resource *api.ResourceInfo, path api.ResolvedPath, name api.AttributeName) api.AttributeValue {
	p := place{resource: resource, path: &compiledPath{path: &yamlpath.Path{}}, match: &yamlpath.Match{Segments: w.Segments, Value: w.Value}}
	value, t, _ := p.any()
	row := api.AttributeValue{Value: value, Comment: commentText(w.Value.Comments())}
	row.ResourceInfo, row.Path, row.AttributeName, row.DataType = *resource, path, name, t
	if pos := w.Value.Position(); pos.Line > 0 {
		row.Position = &pos
	}
	return row
}

// Walk visits the values below root in document order, a map or list before what it holds. The visitor tells whether to go
// down. The merge keys are those of root's resource type; they may be nil.
func Walk(root gaby.Value, keys *configkit.MergeKeyTree, visit func(*WalkedValue) (down bool)) {
	w := WalkedValue{}
	w.walk(root, keys, visit)
}

func (w *WalkedValue) walk(v gaby.Value, keys *configkit.MergeKeyTree, visit func(*WalkedValue) bool) {
	switch v.Kind() {
	case gaby.Map:
		for c := v.First(); c.Exists(); c = c.Next() {
			key := c.Key()
			w.entry(c, key, yamlpath.Escape(key), keys.Child(key), visit)
		}
	case gaby.List:
		var seen map[string]bool // texts of the merge key; a later element with the same one cannot be found by it
		index := 0
		for c := v.First(); c.Exists(); c = c.Next() {
			segment := strconv.Itoa(index)
			keyed := segment
			if text, ok := yamlpath.KeyOfElement(c, keys); ok {
				if !seen[text] {
					if seen == nil {
						seen = map[string]bool{}
					}
					seen[text] = true
					keyed = "?" + yamlpath.Escape(keys.Keys[0]) + "=" + yamlpath.Escape(text)
				}
			}
			w.entry(c, segment, keyed, keys.Child("*"), visit)
			index++
		}
	}
}

func (w *WalkedValue) entry(c gaby.Value, segment, keyed string, keys *configkit.MergeKeyTree, visit func(*WalkedValue) bool) {
	w.Segments, w.keyed = append(w.Segments, segment), append(w.keyed, keyed)
	w.Value, w.Keys = c, keys
	if visit(w) {
		w.walk(c, keys, visit)
	}
	w.Segments, w.keyed = w.Segments[:len(w.Segments)-1], w.keyed[:len(w.keyed)-1]
}

// RegisteredName is the attribute that results report for a path.
func RegisteredName(provider configkit.ResourceProvider, t api.ResourceType, path api.ResolvedPath) api.AttributeName {
	if info := provider.PathInfo(t, api.UnresolvedPath(path)); info != nil {
		return info.AttributeName
	}
	return api.AttributeNameNone
}
