package mutationpath

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Plain returns the text of a path as messages show it: elements of a list with a merge key by that
// key, others by their index.
func Plain(path string) string {
	segments := strings.Split(path, ".")
	for i, s := range segments {
		at := strings.LastIndex(s, ";@")
		switch {
		case at < 0 || s[0] != '?':
		case strings.HasPrefix(s, "?~h="):
			segments[i] = s[at+len(";@"):]
		default:
			segments[i] = s[:at]
		}
	}
	return strings.Join(segments, ".")
}

// To returns the path of the value to which segments lead: elements of a list with merge keys by
// these keys. It ends at a segment that is not an index of the list there.
func To(root gaby.Value, segments []string, keys *configkit.MergeKeyTree) (path Path) {
	for _, s := range segments {
		next := Key(s)
		if root.Kind() == gaby.List {
			i, err := strconv.Atoi(s)
			if err != nil {
				return path.Child(next)
			}
			root = root.Index(i)
			if HasKeys(keys) {
				if id := ElementID(root, keys); id != "" {
					next = Element(id, i)
				}
			}
			keys = keys.Child("*")
		} else {
			root, keys = root.Get(s), keys.Child(s)
		}
		path = path.Child(next)
	}
	return path
}
