package yamlkit

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Cursor is the present position of a walk over a document. It is reused: copy whatever is
// kept.
type Cursor struct {
	Value    gaby.Value
	Segments []string // keys and indexes
	// Keys are the merge keys of the value, if it is a list with merge keys, and of the values
	// below it.
	Keys *configkit.MergeKeyTree

	// Segments as results report them: escaped, with ?key=value if the list has a merge key
	keyed []string
}

// IndexPath returns the path with list elements addressed by index.
func (w *Cursor) IndexPath() api.ResolvedPath { return yamlpath.Join(w.Segments) }

// Path returns the path with list elements addressed as in results: by their merge key, if their
// list has one and it leads back to them.
func (w *Cursor) Path() api.ResolvedPath {
	return api.ResolvedPath(strings.Join(w.keyed, "."))
}

// KeyedSegments returns the segments of Path, escaped.
func (w *Cursor) KeyedSegments() []string { return w.keyed }

// Row returns the result for the value; a map or list is its YAML text.
func (w *Cursor) Row(resource *api.ResourceInfo, path api.ResolvedPath,
	name api.AttributeName,
) api.AttributeValue {
	scalar, ok := yamlpath.Scalar(w.Value)
	value, t, _ := typed(w.Value, scalar, ok)
	row := api.AttributeValue{Value: value, Comment: commentText(w.Value.Comments())}
	row.ResourceInfo, row.Path, row.AttributeName, row.DataType = *resource, path, name, t
	if pos := w.Value.Position(); pos.Line > 0 {
		row.Position = &pos
	}
	return row
}

// Walk visits the values below root in document order, each map or list before its contents. visit
// reports whether to descend. keys are the merge keys of root's resource type; they may be nil.
func Walk(root gaby.Value, keys *configkit.MergeKeyTree, visit func(*Cursor) (down bool)) {
	w := Cursor{}
	w.walk(root, keys, visit)
}

// walk visits the entries of v.
func (w *Cursor) walk(v gaby.Value, keys *configkit.MergeKeyTree,
	visit func(*Cursor) bool,
) {
	switch v.Kind() {
	case gaby.Map:
		for _, c := range v.All() {
			key := c.Key()
			w.entry(c, key, yamlpath.Escape(key), keys.Child(key), visit)
		}
	case gaby.List:
		// values of the merge key; later elements with the same one cannot be found by it
		var seen map[string]bool
		for i, c := range v.All() {
			segment := strconv.Itoa(i)
			keyed := segment
			if text, ok := yamlpath.KeyOfElement(c, keys); ok && !seen[text] {
				if seen == nil {
					seen = map[string]bool{}
				}
				seen[text] = true
				keyed = "?" + yamlpath.Escape(keys.Keys[0]) + "=" + yamlpath.Escape(text)
			}
			w.entry(c, segment, keyed, keys.Child("*"), visit)
		}
	}
}

// entry visits c, the entry segment of its collection, and the values below it.
func (w *Cursor) entry(c gaby.Value, segment, keyed string, keys *configkit.MergeKeyTree,
	visit func(*Cursor) bool,
) {
	w.Segments, w.keyed = append(w.Segments, segment), append(w.keyed, keyed)
	w.Value, w.Keys = c, keys
	if visit(w) {
		w.walk(c, keys, visit)
	}
	w.Segments, w.keyed = w.Segments[:len(w.Segments)-1], w.keyed[:len(w.keyed)-1]
}

// RegisteredName returns the attribute name that results report for a path.
func RegisteredName(provider configkit.ResourceProvider, t api.ResourceType,
	path api.ResolvedPath,
) api.AttributeName {
	if info := provider.PathInfo(t, api.UnresolvedPath(path)); info != nil {
		return info.AttributeName
	}
	return api.AttributeNameNone
}
