package references

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

//go:embed provided.txt
var providedText string

// provided returns the patterns of provided.txt, NAMESPACE/NAME, by kind.
var provided = sync.OnceValue(func() map[string][]string { //nolint:gochecknoglobals // never changed
	patterns := map[string][]string{}
	for line := range strings.Lines(providedText) {
		if words := strings.Fields(line); len(words) == 2 && words[0] != "#" {
			patterns[words[0]] = append(patterns[words[0]], words[1])
		}
	}
	return patterns
})

// isProvided reports whether clusters have a resource that is in no file. A namespace that is not
// known may be that of a pattern, unless any name would do.
func isProvided(t api.ResourceType, namespace, name string) bool {
	for _, pattern := range provided()[configkit.GroupKind(t)] {
		in := namespace
		if of, name, _ := strings.Cut(pattern, "/"); in == "" && name != "*" {
			in = of
		}
		if ok, err := path.Match(pattern, in+"/"+name); ok && err == nil {
			return true
		}
	}
	return false
}
