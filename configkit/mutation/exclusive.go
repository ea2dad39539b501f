package mutation

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// choice is a map in which changes set some of several mutually exclusive fields.
type choice struct {
	fields  configkit.ExclusiveFields
	path    mutationpath.Path // of the map
	members []string          // fields that are set
	changes []*pathChange
	decides *pathChange // the change of the discriminator
}

// exclusives handles changes that set one of several mutually exclusive fields. If the target has
// another one, that field is removed, unless the target chose it itself: then the changes are
// withheld. exclusives returns the remaining changes.
//
// For example, a volume has exactly one source. If the source of a merge sets configMap where the
// target still has the emptyDir of the base, emptyDir is removed. If the target itself replaced
// emptyDir by a secret, it keeps the secret and the configMap is withheld. Some groups also have a
// discriminator, a field that names the member in use, such as the type of a strategy.
func (w *resourcePatch) exclusives(paths []*pathChange) []*pathChange {
	known := map[string][]configkit.ExclusiveFields{} // by path of their map
	for _, x := range w.provider.ExclusiveFields(w.change.resource.ResourceType) {
		known[string(x.Path)] = append(known[string(x.Path)], x)
	}
	if len(known) == 0 {
		return paths
	}
	withheld := map[*pathChange]bool{}
	for _, c := range choices(paths, known) {
		if p := w.find(c.path); p.missing == 0 && p.value.Kind() == gaby.Map {
			w.choose(c, p.value, withheld)
		}
	}
	return slices.DeleteFunc(slices.Clone(paths), func(e *pathChange) bool { return withheld[e] })
}

// choices groups the changes of mutually exclusive fields by map and group of fields.
func choices(paths []*pathChange, groups map[string][]configkit.ExclusiveFields) []*choice {
	var all []*choice
	known := map[string]*choice{} // by path and fields
	find := func(fields configkit.ExclusiveFields, path mutationpath.Path) *choice {
		key := path.Canonical() + "\x00" + strings.Join(fields.Members, "\x00")
		if known[key] == nil {
			known[key] = &choice{fields: fields, path: path}
			all = append(all, known[key])
		}
		return known[key]
	}
	for _, e := range paths {
		if e.op == api.MutationTypeDelete || e.op == api.MutationTypeNone {
			continue
		}
		var pattern []string // the path so far, with * for elements
		for i, s := range e.path {
			if _, isIndex := parseIndex(s.Text); s.IsElement() || isIndex {
				pattern = append(pattern, "*")
				continue
			}
			for _, fields := range groups[strings.Join(pattern, ".")] {
				field := s.AsKey()
				if slices.Contains(fields.Members, field) {
					c := find(fields, e.path[:i])
					c.changes = append(c.changes, e)
					if !slices.Contains(c.members, field) {
						c.members = append(c.members, field)
					}
				} else if field == fields.Discriminator && i == len(e.path)-1 {
					find(fields, e.path[:i]).decides = e
				}
			}
			pattern = append(pattern, yamlpath.Escape(s.Text))
		}
	}
	return all
}

// choose decides about the fields of one map.
func (w *resourcePatch) choose(c *choice, in gaby.Value, withheld map[*pathChange]bool) {
	// No change sets the discriminator, so its present value decides which member is allowed.
	if decided := in.Get(c.fields.Discriminator); c.decides == nil &&
		c.fields.Discriminator != "" && decided.Exists() {
		w.decided(c, decided, withheld)
		return
	}
	var others []string // existing fields that exclude the new ones
	for _, member := range c.fields.Members {
		if in.Get(member).Exists() && !slices.Contains(c.members, member) &&
			w.excludes(c, in, member) {
			others = append(others, member)
		}
	}
	if len(others) == 0 {
		return
	}
	changes := c.changes
	if c.decides != nil {
		changes = append(slices.Clone(changes), c.decides)
	}
	// If the target itself chose another member, its choice wins.
	for _, member := range others {
		if own := w.chosen(c.path.Child(mutationpath.Key(member))); own != nil {
			for _, e := range changes {
				w.withhold(e, own, withheld)
			}
			return
		}
	}
	for _, member := range others {
		path := c.path.Child(mutationpath.Key(member))
		had := change{op: api.MutationTypeAdd, value: in.Get(member)}
		w.conflicts.add(api.ConflictExclusiveCleared, w.change, path, changes[0].change, &had)
		if err := w.deleteAll([]*pathChange{{
			path: path, change: change{op: api.MutationTypeDelete},
		}}); err != nil {
			w.problems = append(w.problems, yamlpath.Locate(err, &w.change.resource))
		}
	}
}

// decided withholds fields that the target's own discriminator rules out.
func (w *resourcePatch) decided(c *choice, by gaby.Value, withheld map[*pathChange]bool) {
	own := w.chosen(c.path.Child(mutationpath.Key(c.fields.Discriminator)))
	if own == nil {
		return
	}
	for _, e := range c.changes {
		if c.fields.AllowedMember[by.Text()] != e.path[len(c.path)].AsKey() {
			w.withhold(e, own, withheld)
		}
	}
}

// withhold reports that the target's choice own excludes e.
func (w *resourcePatch) withhold(e *pathChange, own *change, withheld map[*pathChange]bool) {
	if !withheld[e] {
		withheld[e] = true
		w.conflicts.add(api.ConflictExclusiveWithheld, w.change, e.path, e.change, own)
	}
}

// excludes reports whether the existing field member must be removed: because a new field is set,
// or because the new discriminator does not allow it.
func (w *resourcePatch) excludes(c *choice, in gaby.Value, member string) bool {
	if c.decides != nil {
		return c.fields.AllowedMember[c.decides.value.Text()] != member
	}
	return slices.ContainsFunc(c.members, func(set string) bool { return !in.Get(set).Exists() })
}

// chosen returns what the target itself did at or below path, or nil.
func (w *resourcePatch) chosen(path mutationpath.Path) *change {
	if w.ownPaths == nil {
		return nil
	}
	node, covering := w.ownPaths.Find(path)
	if covering != nil && covering.op != api.MutationTypeDelete {
		return &covering.change
	}
	for _, e := range node.Below(nil) {
		if e.op != api.MutationTypeDelete {
			return &e.change
		}
	}
	return nil
}
