package origin

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// Setter is where a value came from.
type Setter struct {
	Info api.MutationInfo
	// Path is that of the entry: the path of the value or one above it. It is empty for the
	// resource as a whole.
	Path api.ResolvedPath
}

// Nearest returns the source of the value at a path of a resource: that of the nearest entry at or
// above the path says, or else the resource's own entry. It reports false if nothing is recorded.
// path may have indexes or keys for list elements.
func Nearest(
	sources api.ResourceMutationList, about *api.ResourceInfo, path string,
	provider configkit.ResourceProvider,
) (Setter, bool) {
	at := -1
	for i := range sources {
		m := &sources[i]
		if m.Resource.ResourceType != about.ResourceType {
			continue
		}
		if m.Resource.ResourceName == about.ResourceName {
			at = i
			break
		}
		short := provider.RemoveScopeFromResourceName(about.ResourceName)
		if _, ok := m.NamesWithoutScopes()[short]; ok && at < 0 {
			at = i
		} else if m.Resource.ResourceNameWithoutScope == short && at < 0 {
			at = i
		}
	}
	if at < 0 {
		return Setter{}, false
	}
	best := Setter{Info: sources[at].ResourceMutationInfo}
	depth := -1
	wanted := strings.Split(mutation.PlainPath(api.ResolvedPath(path)), ".")
	for entry, info := range sources[at].PathMutationMap {
		if info.MutationType == api.MutationTypeDelete && info.Index == 0 {
			continue
		}
		segments := strings.Split(mutation.PlainPath(entry), ".")
		if len(segments) > len(wanted) || len(segments) <= depth ||
			!slices.Equal(segments, wanted[:len(segments)]) {
			continue
		}
		best, depth = Setter{info, entry}, len(segments)
	}
	return best, true
}
