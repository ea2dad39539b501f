package resolve

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// Symptom is something about a workspace that is probably a mistake.
type Symptom struct {
	ID       string // DottedKey or another of the constants
	Unit     string // space/unit
	Link     string `json:",omitempty"` // space/link
	Resource string `json:",omitempty"`
	Path     string `json:",omitempty"`
	Message  string
	// Command is a command that would help.
	Command string `json:",omitempty"`
	// Position is in the data of the unit.
	Position api.Position `json:",omitzero"`
	UnitID   string       `json:"-"`
}

// The IDs of symptoms.
const (
	DottedKey         = "dotted-key"         // a key with dots was written as nested maps
	MixedNamespaces   = "mixed-namespaces"   // a unit has resources in several namespaces
	NoNamespace       = "no-namespace"       // a resource has no namespace, others of its unit have one
	DanglingBinding   = "dangling-binding"   // one side of a binding is gone
	OneValueTwoLinks  = "two-writers"        // two links write one value
	NeverChanged      = "never-changed"      // a link was resolved and never changed anything
	UnstableContext   = "unstable-context"   // an automatic link writes what differs every time
	EmptyFilter       = "empty-filter"       // WhereResource selects nothing
	UnknownMergeUnit  = "unknown-unit"       // WhereMutation names a unit that does not exist
	LeftPlaceholder   = "left-placeholder"   // no link can fill a placeholder
	UnreadableUpgrade = "missing-merge-base" // the merge base of a link is gone
)

// Doctor finds probable mistakes in units of a workspace and in their links. The error joins those
// of units that cannot be read; the symptoms of the others are returned, too.
func (g *Inspector) Doctor(ctx context.Context, units []*entity.Unit) ([]Symptom, error) {
	d := &doctor{
		graph: g, facts: map[string]*facts{}, from: map[string][]*entity.Link{},
		bases: g.bases(), units: map[string]bool{}, unread: map[string]error{},
	}
	for _, u := range g.Units {
		d.units[u.UnitID], d.units[g.Names(u.UnitID)] = true, true
	}
	for _, l := range g.Links {
		d.from[l.FromUnitID] = append(d.from[l.FromUnitID], l)
	}
	for _, u := range units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		named := limit.Named(ctx, func(err error) error {
			return fmt.Errorf("%s: %w", g.Names(u.UnitID), err)
		})
		// filters match regular expressions
		if err := limit.Timed(named, func(context.Context) { d.unit(u) }); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Names(u.UnitID), err)
		}
	}
	var unread []error
	for _, u := range g.Units {
		unread = append(unread, d.unread[u.UnitID])
	}
	return d.found, errors.Join(unread...)
}

// doctor collects symptoms.
type doctor struct {
	graph  *Inspector
	facts  map[string]*facts         // by unit ID, of the units that were read
	unread map[string]error          // by unit ID, of those that cannot be read
	from   map[string][]*entity.Link // by the ID of the downstream unit
	bases  map[string]bool
	units  map[string]bool // the IDs and the names of all units
	found  []Symptom
}

// unit finds mistakes in a unit and its links.
func (d *doctor) unit(unit *entity.Unit) {
	u := d.read(unit.UnitID)
	if u == nil {
		return
	}
	links := d.from[unit.UnitID]
	for _, l := range links {
		d.read(l.ToUnitID)
	}
	d.dottedKeys(u)
	d.namespaces(u)
	// A unit that cannot be read may fill a placeholder.
	if !slices.ContainsFunc(links, func(l *entity.Link) bool { return d.unread[l.ToUnitID] != nil }) {
		d.placeholders(u)
	}
	d.writers(u)
	for _, l := range links {
		d.link(u, l)
	}
}

// read returns the facts of a unit, nil if there is no such unit or if it cannot be read.
func (d *doctor) read(unitID string) *facts {
	known, ok := d.facts[unitID]
	if ok || !d.units[unitID] {
		return known
	}
	u, err := (&inference{graph: d.graph}).read(unitID)
	if err != nil {
		if _, located := errors.AsType[*entity.Error](err); !located {
			err = fmt.Errorf("%s: %w", d.graph.Names(unitID), err)
		}
		u, d.unread[unitID] = nil, err
	}
	d.facts[unitID] = u
	return u
}

func (d *doctor) add(u *facts, s Symptom) {
	s.Unit, s.UnitID = u.name, u.unit.UnitID
	d.found = append(d.found, s)
}

// dottedKeys finds labels and annotations that are maps.
func (d *doctor) dottedKeys(u *facts) {
	for i := range u.resources {
		r := &u.resources[i]
		for _, field := range []string{"labels", "annotations"} {
			values := r.doc.Search("metadata", field).Value()
			for _, v := range values.All() {
				if v.Kind() != gaby.Map {
					continue
				}
				path := []string{v.Key()}
				at := v
				for at.Kind() == gaby.Map && at.Len() == 1 {
					at = at.First()
					path = append(path, at.Key())
				}
				d.add(u, Symptom{
					ID: DottedKey, Resource: r.info.String(), Position: v.KeyPosition(),
					Path: "metadata." + field + "." + v.Key(),
					Message: fmt.Sprintf(
						"%s has a map; the key %s was probably meant, which is written %s in paths",
						v.Key(), strings.Join(path, "."), strings.Join(path, "~1"),
					),
					Command: fmt.Sprintf(
						"fctl unit do %s delete-path %s metadata.%s.%s", u.name,
						r.info.ResourceType, field, v.Key(),
					),
				})
			}
		}
	}
}

// namespaces finds units with resources in several namespaces, and resources without one beside others
// that have one.
func (d *doctor) namespaces(u *facts) {
	var order []string
	for i := range u.resources {
		if in := scope(&u.resources[i].info); in != "" && !slices.Contains(order, in) {
			order = append(order, in)
		}
	}
	for i := range u.resources {
		if r := &u.resources[i]; len(order) > 0 && r.lacksNamespace() {
			d.add(u, Symptom{
				ID: NoNamespace, Resource: r.info.String(), Path: "metadata.namespace",
				Message: "it has no namespace, others of the unit are in " + order[0],
				Command: fmt.Sprintf("fctl unit do %s set-string-path %s metadata.namespace %s",
					u.name, r.info.ResourceType, order[0]),
				Position: r.doc.Value().Position(),
			})
		}
	}
	if len(order) < 2 {
		return
	}
	d.add(u, Symptom{
		ID: MixedNamespaces, Path: "metadata.namespace",
		Message: "resources are in the namespaces " + strings.Join(order, ", "),
		Command: fmt.Sprintf("fctl unit do %s set-namespace %s", u.name, order[0]),
	})
}

// placeholders finds needs that no link of the unit can fill. The placeholders of a unit that is
// merged into others are for these.
func (d *doctor) placeholders(u *facts) {
	if u.unit.ToolchainType != api.ToolchainKubernetesYAML || d.bases[u.unit.UnitID] {
		return
	}
	for _, n := range u.needs {
		if !n.open() || d.canFill(u, n) {
			continue
		}
		d.add(u, Symptom{
			ID: LeftPlaceholder, Resource: n.info.String(), Path: n.path,
			Message:  fmt.Sprintf("%s is a placeholder that no link can fill", n.path),
			Command:  "fctl link infer",
			Position: n.doc.Search(n.segments...).Value().Position(),
		})
	}
}

// bases returns the IDs of the units that are merged into others.
func (g *Inspector) bases() map[string]bool {
	all := map[string]bool{}
	for _, l := range g.Links {
		if l.Merges() {
			all[l.ToUnitID] = true
		}
	}
	return all
}

// canFill reports whether the unit itself or a link of it can fill a need.
func (d *doctor) canFill(u *facts, n *need) bool {
	provides := func(of *facts) bool {
		return of != nil && slices.ContainsFunc(of.provisions, func(p *provision) bool {
			return p.satisfies(n)
		})
	}
	return provides(u) || slices.ContainsFunc(d.from[u.unit.UnitID], func(l *entity.Link) bool {
		if l.Type() == entity.UpdateNeedsProvides && provides(d.facts[l.ToUnitID]) {
			return true
		}
		return slices.ContainsFunc(statedWrites(l), func(w statedWrite) bool {
			return w.path == n.path && n.is(w.resource)
		})
	})
}

// statedWrite is a value that a link says it writes.
type statedWrite struct {
	resource entity.ResourceReference
	path     string
}

// statedWrites returns the values that a link says it writes.
func statedWrites(l *entity.Link) []statedWrite {
	var all []statedWrite
	for i := range l.DownstreamPaths {
		all = append(all, statedWrite{l.DownstreamPaths[i].Resource, l.DownstreamPaths[i].Path})
	}
	for i := range l.Bindings {
		if b := &l.Bindings[i]; b.NeededResource != nil {
			all = append(all, statedWrite{referenceTo(b.NeededResource), b.NeededPath})
		}
	}
	return all
}

// writers finds values that two links of a unit write.
func (d *doctor) writers(u *facts) {
	by := map[string]string{}
	for _, l := range d.from[u.unit.UnitID] {
		for _, w := range statedWrites(l) {
			for _, r := range selectResources(u.resources, w.resource) {
				key := valueKey(&r.info, w.path)
				if other := by[key]; other != "" && other != l.Slug {
					d.add(u, Symptom{
						ID: OneValueTwoLinks, Link: l.SpaceSlug + "/" + l.Slug,
						Resource: r.info.String(), Path: w.path,
						Message: fmt.Sprintf("the links %s and %s both write %s", other, l.Slug,
							w.path),
						Command: "fctl link get " + l.Slug + " --space " + l.SpaceSlug,
					})
				}
				by[key] = l.Slug
			}
		}
	}
}

// namedUnit finds what WhereMutation compares with units.
var namedUnit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(MergeSourceID|MergeSource)\s*=\s*'([^']*)'`)
})

// link finds what is wrong with one link.
func (d *doctor) link(u *facts, l *entity.Link) {
	name := l.SpaceSlug + "/" + l.Slug
	add := func(s Symptom) {
		s.Link = name
		d.add(u, s)
	}
	up := d.facts[l.ToUnitID]
	if l.Type() != entity.UpdateNone && l.ResolvedHash != "" &&
		l.DownstreamLastMergedRevisionNum == 0 && !l.MadeCurrent {
		add(Symptom{
			ID: NeverChanged, Message: "the link was resolved and has never changed anything",
			Command: fmt.Sprintf("fctl link get %s --space %s", l.Slug, l.SpaceSlug),
		})
	}
	for _, found := range namedUnit().FindAllStringSubmatch(l.WhereMutation, -1) {
		if !d.units[found[2]] {
			add(Symptom{
				ID: UnknownMergeUnit, Message: "WhereMutation names " + found[2] +
					", which is not a unit: no value can be overwritten",
				Command: fmt.Sprintf(
					"fctl link update --patch %s --space %s --where-mutation ''", l.Slug,
					l.SpaceSlug,
				),
			})
		}
	}
	if up == nil {
		return
	}
	if filter, err := where.Parse(l.WhereResource); err == nil && l.WhereResource != "" {
		if !slices.ContainsFunc(up.resources, func(r resource) bool {
			ok, err := filter.MatchResource(up.provider, r.doc)
			return ok && err == nil
		}) {
			add(Symptom{
				ID: EmptyFilter, Message: "WhereResource selects no resource of " + up.name,
				Command: "fctl unit data " + up.name,
			})
		}
	}
	if l.AutoUpdate {
		_, warnings := Check(
			d.graph.Executor, l, u.unit.HeadUnit.Unit, up.unit.HeadUnit.Unit, nil,
		)
		for _, w := range warnings {
			if w.Code == entity.WarnUnstableContext {
				add(Symptom{ID: UnstableContext, Message: w.Message})
			}
		}
	}
	d.bindings(u, up, l, add)
	if l.Merges() {
		d.base(u, up, l, add)
	}
}

// base finds a merge base that is missing.
func (d *doctor) base(u, up *facts, l *entity.Link, add func(Symptom)) {
	missing := l.BaseUnknown && mayHaveMerged(l, u.resources, up.resources)
	if n := l.UpstreamLastMergedRevisionNum; n > 0 && up.unit.At != nil {
		base, err := up.unit.At(n, l.UseLiveState)
		missing = err != nil || !l.HasMerged(base)
	}
	if missing {
		add(Symptom{
			ID: UnreadableUpgrade, Message: "the state of " + up.name +
				" that was merged last is missing, so nothing can be merged",
			Command: fmt.Sprintf(
				"fctl link update --patch %s --space %s --make-current", l.Slug, l.SpaceSlug,
			),
		})
	}
}

// bindings finds bindings with a side that does not exist.
func (d *doctor) bindings(u, up *facts, l *entity.Link, add func(Symptom)) {
	if l.UseLiveState {
		return // the provided values are not in the data
	}
	exists := func(of *facts, info *api.ResourceInfo, path string) bool {
		return slices.ContainsFunc(selectResources(of.resources, referenceTo(info)),
			func(r resource) bool {
				_, found, err := r.read(path)
				return found && err == nil
			})
	}
	for i := range l.Bindings {
		b := &l.Bindings[i]
		if b.ProvidedResource != nil && !exists(up, b.ProvidedResource, b.ProvidedPath) {
			add(Symptom{
				ID: DanglingBinding, Path: b.ProvidedPath, Resource: b.ProvidedResource.String(),
				Message: fmt.Sprintf("%s has no %s in %s any more", b.ProvidedResource,
					b.ProvidedPath, up.name),
				Command: fmt.Sprintf("fctl link resolve %s --space %s", l.Slug, l.SpaceSlug),
			})
		}
		if b.NeededResource != nil && b.AutoUpdate &&
			!exists(u, b.NeededResource, b.NeededPath) {
			add(Symptom{
				ID: DanglingBinding, Path: b.NeededPath, Resource: b.NeededResource.String(),
				Message: fmt.Sprintf("%s has no %s any more", b.NeededResource, b.NeededPath),
				Command: fmt.Sprintf("fctl link resolve %s --space %s", l.Slug, l.SpaceSlug),
			})
		}
	}
}
