package mutation

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// Equal reports whether two states of a unit have the same resources with the same values.
func Equal(a, b gaby.Container, provider configkit.ResourceProvider) (bool, error) {
	changes, err := diffUnits(a, b, provider, diffOptions{})
	return len(changes) == 0, err
}

// Entries returns the changes between two states of a unit as text, keyed by resource and path.
// Equal changes have equal text. The key of a change begins with the keys of the changes around it.
func Entries(
	before, after gaby.Container, provider configkit.ResourceProvider,
) (map[string]string, error) {
	changes, err := diffUnits(before, after, provider, diffOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, r := range changes {
		resource := string(r.resource.ResourceType) + "#" + string(r.resource.ResourceName) + "\x00"
		if r.op != api.MutationTypeUpdate {
			all[resource] = string(r.op) + string(mutationpath.AppendCanonicalJSON(nil, r.value))
		}
		for _, e := range r.paths {
			text := string(e.op)
			if e.op != api.MutationTypeDelete {
				text += string(mutationpath.AppendCanonicalJSON(nil, e.value))
			}
			all[resource+e.path.Canonical()+"."] = text
		}
		for _, o := range r.orders {
			all[resource+o.path.Canonical()+".#"] = strings.Join(o.keys, "\x00")
		}
		for _, o := range r.renames {
			all[resource+o.path.Canonical()+".?"+o.old] = o.now
		}
	}
	return all, nil
}
