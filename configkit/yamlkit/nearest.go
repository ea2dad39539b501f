package yamlkit

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// maxNearest is the maximum number of documents that Nearest looks at: a run that matches nothing
// shall not take much longer than one that matches.
const maxNearest = 200

// Nearest returns the path that leads to a value and most resembles one of the paths of each
// resource's type, which match nothing. If the paths have keys, it returns the key that is meant
// instead. It returns "" without one.
func Nearest(
	docs gaby.Container, source configkit.PathSource, keys []any,
	provider configkit.ResourceProvider,
) string {
	args := make([]string, len(keys))
	for i, key := range keys {
		args[i] = fmt.Sprint(key)
	}
	best, most := "", -1
	for _, doc := range docs[:min(len(docs), maxNearest)] {
		t, err := provider.ResourceTypeGetter(doc)
		if err != nil || doc.Check() != nil {
			continue
		}
		for _, info := range source.PathsOf(t) {
			path, err := yamlpath.CompilerOf(provider).CompilePath(string(info.Path))
			if err == nil {
				path, err = path.Bind(args)
			}
			if err != nil {
				return ""
			}
			if near, common := yamlpath.Nearest(path, doc.Value()); near != "" && common > most {
				if best, most = near, common; len(keys) > 0 {
					best = path.OtherName(near)
				}
			}
		}
	}
	return best
}
