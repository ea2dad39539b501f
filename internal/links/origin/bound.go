package origin

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Bound returns a function that reports whether a binding of a link has written the value at a path.
// After a merge that git brought, the sources of a unit do not say so. The namespace of a resource may
// be such a value.
func Bound(links []*entity.Link) func(r *api.ResourceInfo, path string) bool {
	key := func(r *api.ResourceInfo, path string) [3]string {
		return [3]string{string(r.ResourceType), string(r.ResourceNameWithoutScope), path}
	}
	bound := map[[3]string]bool{}
	for _, l := range links {
		for _, b := range l.Bindings {
			if b.AutoUpdate && b.OriginalValue != nil && b.NeededResource != nil {
				bound[key(b.NeededResource, b.NeededPath)] = true
			}
		}
	}
	return func(r *api.ResourceInfo, path string) bool { return bound[key(r, path)] }
}
