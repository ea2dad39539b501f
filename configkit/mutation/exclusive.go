package mutation

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// exclusiveFields holds the mutually exclusive fields of a type, by path of their map.
type exclusiveFields map[string][]configkit.ExclusiveFields

// exclusiveFieldsOf returns the exclusive fields of a type, cached.
func (p *patcher) exclusiveFieldsOf(t api.ResourceType) exclusiveFields {
	known, ok := p.exclusive[t]
	if !ok {
		known = exclusiveFields{}
		for _, x := range p.provider.ExclusiveFields(t) {
			known[string(x.Path)] = append(known[string(x.Path)], x)
		}
		p.exclusive[t] = known
	}
	return known
}

// choice is a map in which changes set some of several mutually exclusive fields.
type choice struct {
	fields  configkit.ExclusiveFields
	path    mutationPath // of the map
	members []string     // fields that are set
	changes []*pathChange
	decides *pathChange // the change of the discriminator
}

// exclusives handles changes that set one of several mutually exclusive fields. If the target has
// another one, that field is removed, unless the target chose it itself: then the changes are
// withheld. exclusives returns the remaining changes.
func (w *resourcePatch) exclusives(paths []*pathChange) []*pathChange {
	known := w.exclusiveFieldsOf(w.change.resource.ResourceType)
	if len(known) == 0 {
		return paths
	}
	withheld := map[*pathChange]bool{}
	for _, c := range choices(paths, known) {
		p := w.find(c.path)
		if p.missing > 0 || p.value.Kind() != gaby.Map {
			continue
		}
		w.choose(c, p, withheld)
	}
	return slices.DeleteFunc(slices.Clone(paths), func(e *pathChange) bool { return withheld[e] })
}

// choices groups the changes of mutually exclusive fields by map.
func choices(paths []*pathChange, known exclusiveFields) []*choice {
	var all []*choice
	at := map[string]*choice{}
	for _, e := range paths {
		if e.op == api.MutationTypeDelete || e.op == api.MutationTypeNone {
			continue
		}
		var normalized strings.Builder
		for i, s := range e.path {
			for k, fields := range known[normalized.String()] {
				field := s.asKey()
				isMember, isDiscriminator := slices.Contains(fields.Members, field),
					field == fields.Discriminator && i == len(e.path)-1
				if s.isElement() || !isMember && !isDiscriminator {
					continue
				}
				// A map may have several groups of exclusive fields.
				name := e.path[:i].canonical() + "\x00" + string(rune('0'+k))
				c := at[name]
				if c == nil {
					c = &choice{fields: fields, path: e.path[:i]}
					at[name] = c
					all = append(all, c)
				}
				if isDiscriminator {
					c.decides = e
					continue
				}
				c.changes = append(c.changes, e)
				if !slices.Contains(c.members, field) {
					c.members = append(c.members, field)
				}
			}
			if i > 0 {
				normalized.WriteByte('.')
			}
			if s.isElement() || isIndex(s.text) {
				normalized.WriteByte('*')
			} else {
				normalized.WriteString(yamlpath.Escape(s.text))
			}
		}
	}
	return all
}

func isIndex(text string) bool {
	_, ok := parseIndex(text)
	return ok
}

// choose decides about the fields of one map.
func (w *resourcePatch) choose(c *choice, p mutationPlace, withheld map[*pathChange]bool) {
	// No change sets the discriminator, so its present value decides which member is allowed.
	if decided := p.value.Get(c.fields.Discriminator); c.decides == nil &&
		c.fields.Discriminator != "" && decided.Exists() {
		w.decided(c, decided, withheld)
		return
	}
	var others []string // existing fields that exclude the new ones
	for _, member := range c.fields.Members {
		if p.value.Get(member).Exists() && !slices.Contains(c.members, member) &&
			w.excludes(c, p.value, member) {
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
		own := w.chosen(c.path.child(mutationSegment{text: member, index: -1}))
		if own == nil {
			continue
		}
		for _, e := range changes {
			if !withheld[e] {
				withheld[e] = true
				w.conflicts.add(api.ConflictExclusiveWithheld, w.change, e.path, e.change, own)
			}
		}
		return
	}
	for _, member := range others {
		place := c.path.child(mutationSegment{text: member, index: -1})
		had := change{op: api.MutationTypeAdd, value: p.value.Get(member)}
		w.conflicts.add(api.ConflictExclusiveCleared, w.change, place, changes[0].change, &had)
		if err := w.delete(&pathChange{
			path: place, change: change{op: api.MutationTypeDelete},
		}); err != nil {
			w.problems = append(w.problems, yamlpath.Locate(err, &w.change.resource))
		}
	}
}

// decided withholds fields that the target's own discriminator rules out.
func (w *resourcePatch) decided(c *choice, by gaby.Value, withheld map[*pathChange]bool) {
	own := w.chosen(c.path.child(mutationSegment{text: c.fields.Discriminator, index: -1}))
	if own == nil {
		return
	}
	for _, e := range c.changes {
		if c.fields.AllowedMember[by.Text()] != e.path[len(c.path)].asKey() {
			withheld[e] = true
			w.conflicts.add(api.ConflictExclusiveWithheld, w.change, e.path, e.change, own)
		}
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
func (w *resourcePatch) chosen(path mutationPath) *change {
	if w.ownPaths == nil {
		return nil
	}
	node, covering := w.ownPaths.find(path)
	if covering != nil && covering.op != api.MutationTypeDelete {
		return &covering.change
	}
	for _, e := range node.all(nil) {
		if e.op != api.MutationTypeDelete {
			return &e.change
		}
	}
	return nil
}
