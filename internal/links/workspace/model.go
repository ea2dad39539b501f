package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/graph"
)

// Workspace is the entities of a workspace, sorted by space and slug.
type Workspace struct {
	Store       *Store
	Spaces      []*Space
	Units       []*Unit
	Links       []*Link
	Invocations []*Invocation
	Filters     []*Filter
	// Problems are the problems with definitions and with the state recorded about them. An entity
	// that cannot be read is in none of the lists; see Broken.
	Problems entity.Errors

	ends   *linkEnds
	broken map[brokenKey]entity.Errors
	// mistaken are definitions with problems that can be checked further.
	mistaken []*loaded
	spaces   map[string]*Space // by slug
	units    map[string]*Unit  // by space/slug
	links    map[string]*Link
	byID     map[string]any // an entity
}

// Space is a space and where it is defined.
type Space struct {
	*entity.Space
	source
}

// Unit is a unit and where it is defined.
type Unit struct {
	*entity.Unit
	source
	// Edited says that the hash of the working copy is not that of the head revision; see
	// Workspace.Edits.
	Edited bool

	node int // in the graph
}

// Link is a link and where it is defined.
type Link struct {
	*entity.Link
	source
	// From and To are nil if they do not exist.
	From, To *Unit
	// Stated reports whether the definition says AutoUpdate.
	Stated bool

	loaded linkHash      // of the definition as it was loaded
	refs   entity.Errors // problems with the references of the definition
}

// Invocation is a stored invocation and where it is defined.
type Invocation struct {
	*entity.Invocation
	source
}

// Filter is a stored filter and where it is defined.
type Filter struct {
	*entity.Filter
	source
}

// source is where an entity is defined.
type source struct {
	file string // path in the workspace
	hash string // of the file
	// packed is the definition as it was read, for the index, and indexed says that it comes from
	// there.
	packed  string
	indexed bool
}

// File returns the path of the definition in the workspace.
func (s source) File() string { return s.file }

// Name returns "space/slug".
func (u *Unit) Name() string { return u.SpaceSlug + "/" + u.Slug }

// Name returns "space/slug".
func (l *Link) Name() string { return l.SpaceSlug + "/" + l.Slug }

// DataFile returns the path of the working copy in the workspace.
func (u *Unit) DataFile() string { return dataFile(u.SpaceSlug, u.Slug, u.ToolchainType) }

// bySlug is the order of the entities of a kind.
func bySlug(a, b entity.Common) int {
	return cmp.Or(cmp.Compare(a.SpaceSlug, b.SpaceSlug), cmp.Compare(a.Slug, b.Slug))
}

// addUnit adds a unit. Making all indexes again would take long for each of many units.
func (w *Workspace) addUnit(u *Unit) {
	at, _ := slices.BinarySearchFunc(w.Units, u, func(a, b *Unit) int {
		return bySlug(a.Common, b.Common)
	})
	w.Units = slices.Insert(w.Units, at, u)
	for i := at; i < len(w.Units); i++ {
		w.Units[i].node = i
	}
	w.units[u.Name()], w.byID[u.UnitID] = u, u
}

// dropUnits removes units.
func (w *Workspace) dropUnits(gone map[*Unit]bool) {
	w.Units = slices.DeleteFunc(w.Units, func(u *Unit) bool { return gone[u] })
	for i, u := range w.Units {
		u.node = i
	}
	for u := range gone {
		delete(w.units, u.Name())
		delete(w.byID, u.UnitID)
	}
}

// dropLinks removes links.
func (w *Workspace) dropLinks(gone map[*Link]bool) {
	w.ends = nil
	w.Links = slices.DeleteFunc(w.Links, func(l *Link) bool { return gone[l] })
	for l := range gone {
		delete(w.links, l.Name())
		delete(w.byID, l.LinkID)
	}
}

// addLink adds a link.
func (w *Workspace) addLink(l *Link) {
	w.Links = insertLink(w.Links, l)
	w.links[l.Name()], w.byID[l.LinkID] = l, l
	if w.ends != nil {
		w.ends.from[l.From] = insertLink(w.ends.from[l.From], l)
		w.ends.to[l.To] = insertLink(w.ends.to[l.To], l)
	}
}

// insertLink inserts a link into a sorted list.
func insertLink(list []*Link, l *Link) []*Link {
	at, _ := slices.BinarySearchFunc(list, l, func(a, b *Link) int {
		return bySlug(a.Common, b.Common)
	})
	return slices.Insert(list, at, l)
}

// linkEnds are the links by their units.
type linkEnds struct{ from, to linksOf }

// linksOf are the links at each unit, sorted.
type linksOf map[*Unit][]*Link

// move moves a link from one unit to another.
func (of linksOf) move(l *Link, from, to *Unit) {
	if from == to {
		return
	}
	of[from] = slices.DeleteFunc(of[from], func(other *Link) bool { return other == l })
	of[to] = insertLink(of[to], l)
}

// linkEnds returns the links by their units. They are kept until a link changes.
func (w *Workspace) linkEnds() *linkEnds {
	if w.ends == nil {
		w.ends = &linkEnds{from: linksOf{}, to: linksOf{}}
		for _, l := range w.Links {
			w.ends.from[l.From] = append(w.ends.from[l.From], l)
			w.ends.to[l.To] = append(w.ends.to[l.To], l)
		}
	}
	return w.ends
}

// index makes the maps and sorts the lists.
func (w *Workspace) index() {
	w.ends = nil
	slices.SortFunc(w.Spaces, func(a, b *Space) int { return cmp.Compare(a.Slug, b.Slug) })
	slices.SortFunc(w.Units, func(a, b *Unit) int { return bySlug(a.Common, b.Common) })
	slices.SortFunc(w.Links, func(a, b *Link) int { return bySlug(a.Common, b.Common) })
	slices.SortFunc(w.Invocations, func(a, b *Invocation) int { return bySlug(a.Common, b.Common) })
	slices.SortFunc(w.Filters, func(a, b *Filter) int { return bySlug(a.Common, b.Common) })
	w.spaces = make(map[string]*Space, len(w.Spaces))
	w.units = make(map[string]*Unit, len(w.Units))
	w.links = make(map[string]*Link, len(w.Links))
	w.byID = make(map[string]any, len(w.Units)+len(w.Links))
	for _, s := range w.Spaces {
		w.spaces[s.Slug] = s
		w.byID[s.SpaceID] = s
	}
	for i, u := range w.Units {
		u.node = i
		w.units[u.Name()] = u
		w.byID[u.UnitID] = u
	}
	for _, l := range w.Links {
		w.links[l.Name()] = l
		w.byID[l.LinkID] = l
	}
	for _, i := range w.Invocations {
		w.byID[i.InvocationID] = i
	}
	for _, f := range w.Filters {
		w.byID[f.FilterID] = f
	}
}

// brokenKey names an entity that cannot be read: a space by its slug, others by space/slug.
type brokenKey struct {
	kind entity.Kind
	name string
}

// Broken returns why an entity cannot be read, nil if it can or if there is none. The name is that
// of a space, or space/slug.
func (w *Workspace) Broken(kind entity.Kind, name string) error {
	return w.broken[brokenKey{kind, name}].Err()
}

// Ends returns why a link lacks one of its units, nil if it has both.
func (w *Workspace) Ends(l *Link) error {
	if l.From != nil && l.To != nil {
		return nil
	}
	return cmp.Or(w.Broken(entity.KindUnit, qualified(l.SpaceSlug, l.FromUnit)),
		w.Broken(entity.KindUnit, qualified(cmp.Or(l.ToSpace, l.SpaceSlug), l.ToUnit)),
		l.refs.Err(), error(&entity.Error{
			Code: entity.CodeUnitNotFound, Space: l.SpaceSlug, Link: l.Slug,
			Message: "a unit of the link " + l.Slug + " does not exist",
		}))
}

// BrokenIn returns why entities of a kind cannot be read, of those in spaces that in selects.
func (w *Workspace) BrokenIn(kind entity.Kind, in func(space string) bool) error {
	var all entity.Errors
	for key, errs := range w.broken {
		space, _, _ := strings.Cut(key.name, "/")
		if key.kind == kind && in(space) {
			all = append(all, errs...)
		}
	}
	slices.SortFunc(all, func(a, b *entity.Error) int {
		return strings.Compare(a.Error(), b.Error())
	})
	return all.Err()
}

// setBroken notes that an entity cannot be read. Whatever is wrong, commands about it have input that
// they cannot use.
func (w *Workspace) setBroken(kind entity.Kind, name string, errs entity.Errors) {
	all := make(entity.Errors, len(errs))
	for i, e := range errs {
		problem := *e
		problem.Class = api.FailureInput
		all[i] = &problem
	}
	if w.broken == nil {
		w.broken = map[brokenKey]entity.Errors{}
	}
	w.broken[brokenKey{kind, name}] = all
}

// Space returns the space with a slug or an ID.
func (w *Workspace) Space(ref string) (*Space, error) {
	if err := w.Broken(entity.KindSpace, ref); err != nil {
		return nil, err
	}
	if s, ok := w.spaces[ref]; ok {
		return s, nil
	}
	if s, ok := w.byID[ref].(*Space); ok {
		return s, nil
	}
	var names []string
	for _, s := range w.Spaces {
		names = append(names, s.Slug)
	}
	return nil, notFound(entity.CodeNotFound, "space", ref, names)
}

// Unit returns the unit with a reference: a slug in space, "space/slug" or an ID.
func (w *Workspace) Unit(space, ref string) (*Unit, error) {
	if u, ok := w.byID[ref].(*Unit); ok {
		return u, nil
	}
	name := qualified(space, ref)
	if u, ok := w.units[name]; ok {
		return u, nil
	}
	if err := w.Broken(entity.KindUnit, name); err != nil {
		return nil, err
	}
	var names, elsewhere []string
	for _, u := range w.Units {
		if u.SpaceSlug == space {
			names = append(names, u.Slug)
		}
		if strings.Contains(ref, "/") {
			names = append(names, u.Name())
		}
		if u.Slug == ref {
			elsewhere = append(elsewhere, u.Name())
		}
	}
	err := notFound(entity.CodeUnitNotFound, "unit", name, names)
	if len(elsewhere) > 0 {
		err.Hint = configkit.DidYouMean("", elsewhere[:min(len(elsewhere), 3)])
	}
	return nil, err
}

// Link returns the link with a reference: a slug in space, "space/slug" or an ID.
func (w *Workspace) Link(space, ref string) (*Link, error) {
	if l, ok := w.byID[ref].(*Link); ok {
		return l, nil
	}
	name := qualified(space, ref)
	if l, ok := w.links[name]; ok {
		return l, nil
	}
	if err := w.Broken(entity.KindLink, name); err != nil {
		return nil, err
	}
	var names []string
	for _, l := range w.Links {
		if l.SpaceSlug == space {
			names = append(names, l.Slug)
		}
	}
	return nil, notFound(entity.CodeNotFound, "link", name, names)
}

// HasLink reports whether there is a link with a name, space/slug, also one that cannot be read.
func (w *Workspace) HasLink(name string) bool {
	return w.links[name] != nil || w.Broken(entity.KindLink, name) != nil
}

// Invocation returns the stored invocation with a reference.
func (w *Workspace) Invocation(space, ref string) (*Invocation, error) {
	name := qualified(space, ref)
	var names []string
	for _, i := range w.Invocations {
		if i.InvocationID == ref || i.SpaceSlug+"/"+i.Slug == name {
			return i, nil
		}
		names = append(names, i.Slug)
	}
	if err := w.Broken(entity.KindInvocation, name); err != nil {
		return nil, err
	}
	return nil, notFound(entity.CodeNotFound, "invocation", name, names)
}

// Filter returns the stored filter with a reference.
func (w *Workspace) Filter(space, ref string) (*Filter, error) {
	name := qualified(space, ref)
	var names []string
	for _, f := range w.Filters {
		if f.FilterID == ref || f.SpaceSlug+"/"+f.Slug == name {
			return f, nil
		}
		names = append(names, f.Slug)
	}
	if err := w.Broken(entity.KindFilter, name); err != nil {
		return nil, err
	}
	return nil, notFound(entity.CodeNotFound, "filter", name, names)
}

func qualified(space, ref string) string {
	if strings.Contains(ref, "/") {
		return ref
	}
	return space + "/" + ref
}

// UnitName returns "space/slug" of the unit with an ID, "" if it does not exist.
func (w *Workspace) UnitName(id string) string {
	if u, ok := w.byID[id].(*Unit); ok {
		return u.Name()
	}
	return ""
}

// LinkSlug returns the slug of the link with an ID, "" if it does not exist.
func (w *Workspace) LinkSlug(id string) string {
	if l, ok := w.byID[id].(*Link); ok {
		return l.Slug
	}
	return ""
}

// InvocationSlug returns the slug of the invocation with an ID, "" if it does not exist.
func (w *Workspace) InvocationSlug(id string) string {
	if i, ok := w.byID[id].(*Invocation); ok {
		return i.Slug
	}
	return ""
}

// Graph returns the graph of the units and their links. Node i is Units[i]. The ID of an edge is
// the index of the link in Links.
func (w *Workspace) Graph() *graph.Graph {
	edges := make([]graph.Edge, 0, len(w.Links))
	for i, l := range w.Links {
		if l.From != nil && l.To != nil {
			edges = append(edges, graph.Edge{From: l.From.node, To: l.To.node, ID: i})
		}
	}
	return graph.New(len(w.Units), edges)
}

// CheckCycles returns an error for each cycle of links.
func (w *Workspace) CheckCycles() error {
	var errs entity.Errors
	for _, cycle := range w.Graph().Cycles() {
		l := w.Links[cycle[0].ID]
		errs = append(errs, &entity.Error{
			Code: entity.CodeLinkCycle, Pos: w.Store.position(l.file), Space: l.SpaceSlug,
			Link: l.Slug, Message: "the links form a cycle: " + w.cycleText(cycle),
			Hint: "delete or turn round one of them",
		})
	}
	return errs.Err()
}

// cycleText returns a cycle as dev/a -[a-b None]-> dev/b -[b-a Upsert]-> dev/a.
func (w *Workspace) cycleText(cycle []graph.Edge) string {
	var b strings.Builder
	b.WriteString(w.Units[cycle[0].From].Name())
	for _, e := range cycle {
		l := w.Links[e.ID]
		b.WriteString(" -[" + l.Slug + " " + string(l.Type()) + "]-> " + w.Units[e.To].Name())
	}
	return b.String()
}

// LinksFrom returns the links of a downstream unit, sorted by slug.
func (w *Workspace) LinksFrom(u *Unit) []*Link { return slices.Clip(w.linkEnds().from[u]) }

// LinksTo returns the links to an upstream unit.
func (w *Workspace) LinksTo(u *Unit) []*Link { return slices.Clip(w.linkEnds().to[u]) }

// LinkCycle returns the error if a link, which need not be of the workspace yet, closes a cycle.
func (w *Workspace) LinkCycle(l *Link) entity.Errors {
	if !w.reaches(l) {
		return nil
	}
	edges := make([]graph.Edge, 0, len(w.Links)+1)
	for i, other := range w.Links {
		if other.From != nil && other.To != nil && other.LinkID != l.LinkID {
			edges = append(edges, graph.Edge{From: other.From.node, To: other.To.node, ID: i})
		}
	}
	path := graph.New(len(w.Units), edges).Path(l.To.node, l.From.node)
	if path == nil {
		return nil // the link leads from a unit to itself
	}
	var b strings.Builder
	b.WriteString(l.From.Name() + " -[" + l.Slug + " " + string(l.Type()) + "]-> ")
	b.WriteString(w.cycleText(path))
	return entity.Errors{{
		Code: entity.CodeLinkCycle, Space: l.SpaceSlug, Link: l.Slug,
		Message: "the link would close a cycle: " + b.String(),
	}}
}

// reaches reports whether other links lead from the upstream unit of a link to its downstream unit.
func (w *Workspace) reaches(l *Link) bool {
	seen := map[*Unit]bool{l.To: true}
	for queue := []*Unit{l.To}; len(queue) > 0; {
		u := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if u == l.From {
			return true
		}
		for _, next := range w.LinksFrom(u) {
			if next.LinkID != l.LinkID && next.To != nil && !seen[next.To] {
				seen[next.To] = true
				queue = append(queue, next.To)
			}
		}
	}
	return false
}

// LinkCycles returns the error if one of several links of the workspace is on a cycle. It looks at
// all links once if none is.
func (w *Workspace) LinkCycles(links []*Link) entity.Errors {
	if _, ok := w.Graph().Levels(); ok {
		return nil
	}
	for _, l := range links {
		if errs := w.LinkCycle(l); errs != nil {
			return errs
		}
	}
	return nil
}

// Levels returns the level of each unit: 0 without upstreams, otherwise one more than the highest
// level of an upstream. The error is about cycles.
func (w *Workspace) Levels() (map[*Unit]int, error) {
	levels, ok := w.Graph().Levels()
	if !ok {
		return nil, w.CheckCycles()
	}
	all := make(map[*Unit]int, len(levels))
	for i, u := range w.Units {
		all[u] = levels[i]
	}
	return all, nil
}

// Connected returns units and everything that they depend on or, without upstream, everything that
// depends on them.
func (w *Workspace) Connected(units []*Unit, upstream bool) []*Unit {
	from := make([]int, len(units))
	for i, u := range units {
		from[i] = u.node
	}
	var all []*Unit
	for i, reached := range w.Graph().Reach(from, upstream) {
		if reached {
			all = append(all, w.Units[i])
		}
	}
	return all
}
