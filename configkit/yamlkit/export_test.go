package yamlkit

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// DiffLines are the entries of a diff before they are made mutations, one line each: resource, path, operation, value.
func DiffLines(before, after gaby.Container, provider configkit.ResourceProvider) ([]string, error) {
	changes, err := diffUnits(before, after, provider, diffOptions{unchanged: true})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, r := range changes {
		name := string(r.resource.ResourceType) + " " + string(r.resource.ResourceName)
		all = append(all, fmt.Sprintf("%s %s", name, r.op))
		for _, p := range r.paths {
			all = append(all, fmt.Sprintf("%s %s %s %s", name, p.path, p.op, appendCanonicalJSON(nil, p.value)))
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
