package mutation

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

func pathLines(r *resourceChange) (all []string) {
	for _, p := range r.paths {
		all = append(all, fmt.Sprintf("%s %s %s", p.path, p.op, mutationpath.AppendCanonicalJSON(
			nil, p.value)))
	}
	return all
}

// DiffValues returns the changes between two values, one line each.
func DiffValues(before, after gaby.Value, keys *configkit.MergeKeyTree) []string {
	var r resourceChange
	(&differ{}).diff(&r, before, after, keys)
	return pathLines(&r)
}
