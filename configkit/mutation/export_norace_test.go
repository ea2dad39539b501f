//go:build !race

package mutation

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// DiffLines returns the changes between two units, one line each: resource, path, operation, value.
func DiffLines(
	before, after gaby.Container, provider configkit.ResourceProvider,
) ([]string, error) {
	changes, err := diffUnits(before, after, provider, diffOptions{unchanged: true})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, r := range changes {
		name := string(r.resource.ResourceType) + " " + string(r.resource.ResourceName)
		all = append(all, fmt.Sprintf("%s %s", name, r.op))
		for _, line := range pathLines(r) {
			all = append(all, name+" "+line)
		}
		for _, o := range r.orders {
			all = append(all, fmt.Sprintf("%s %s order %q", name, o.path, o.keys))
		}
		for _, e := range r.renames {
			all = append(all, fmt.Sprintf("%s %s renamed %s %s", name, e.path, e.old, e.now))
		}
	}
	return all, nil
}
