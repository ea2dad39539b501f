package workspace

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/graph"
	"github.com/fctl-dev/fctl/internal/links/rules"
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
	broken map[entityKey]entity.Errors
	// mistaken are definitions with problems that can be checked further.
	mistaken []Entity
	named    map[entityKey]Entity
	byID     map[string]Entity
}

// entityKey names an entity: a space by its slug, others by space/slug.
type entityKey struct {
	kind entity.Kind
	name string
}

// Entity is an entity and where it is defined.
type Entity interface {
	entity.Entity
	from() *definedAt
}

// Space is a space and where it is defined.
type Space struct {
	*entity.Space
	definedAt
}

// Unit is a unit and where it is defined.
type Unit struct {
	*entity.Unit
	definedAt
	node int // in the graph
}

// Link is a link and where it is defined.
type Link struct {
	*entity.Link
	definedAt
	// From and To are nil if they do not exist.
	From, To *Unit

	loaded linkHash // of the definition as it was loaded
	// keepsOwn says that the definition leaves WhereMutation to MergedFrom, until To is known.
	keepsOwn bool
	refs     entity.Errors // problems with the references of the definition
}

// Invocation is a stored invocation and where it is defined.
type Invocation struct {
	*entity.Invocation
	definedAt
}

// Filter is a stored filter and where it is defined.
type Filter struct {
	*entity.Filter
	definedAt
}

// Of returns an entity that is in no file yet.
func Of(e entity.Entity) Entity {
	switch e := e.(type) {
	case *entity.Space:
		return &Space{Space: e}
	case *entity.Unit:
		return &Unit{Unit: e}
	case *entity.Link:
		return &Link{Link: e}
	case *entity.Invocation:
		return &Invocation{Invocation: e}
	case *entity.Filter:
		return &Filter{Filter: e}
	}
	return nil
}

// definedAt is where an entity is defined.
type definedAt struct {
	file string // path in the workspace
	hash string // of the file
	// packed is the definition as it was read, for the index, and indexed says that it comes from
	// there.
	packed  string
	indexed bool
	// inline says that the definition has no file of its own: file is the data of a unit, or the
	// links of a space, with the link in a line. hash and packed are the text then.
	inline bool
	line   int
}

func (s *definedAt) from() *definedAt { return s }

// DataFile returns the path of the working copy in the workspace.
func (u *Unit) DataFile() string {
	base := unitBase(u.SpaceSlug, u.Slug)
	if u.file == base+"/unit.yaml" {
		base += "/data"
	}
	return base + "." + rules.Extension(u.ToolchainType)
}

// bySlug is the order of the entities of a kind.
func bySlug[T Entity](a, b T) int {
	x, y := a.Base(), b.Base()
	return cmp.Or(cmp.Compare(x.SpaceSlug, y.SpaceSlug), cmp.Compare(x.Slug, y.Slug))
}

// insert inserts an entity into a sorted list.
func insert[T Entity](list []T, e T) []T {
	at, _ := slices.BinarySearchFunc(list, e, bySlug)
	return slices.Insert(list, at, e)
}

// All iterates over all entities.
func (w *Workspace) All() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		_ = each(w.Spaces, yield) && each(w.Units, yield) && each(w.Links, yield) &&
			each(w.Invocations, yield) && each(w.Filters, yield)
	}
}

// List returns the entities of a type.
func List[T Entity](w *Workspace) []T {
	var list []T
	for e := range w.All() {
		if one, ok := e.(T); ok {
			list = append(list, one)
		}
	}
	return list
}

func each[T Entity](list []T, yield func(Entity) bool) bool {
	for _, e := range list {
		if !yield(e) {
			return false
		}
	}
	return true
}

// collect appends an entity to the list of its kind.
func (w *Workspace) collect(e Entity) {
	switch e := e.(type) {
	case *Space:
		w.Spaces = append(w.Spaces, e)
	case *Unit:
		w.Units = append(w.Units, e)
	case *Link:
		w.Links = append(w.Links, e)
	case *Invocation:
		w.Invocations = append(w.Invocations, e)
	case *Filter:
		w.Filters = append(w.Filters, e)
	}
}

// add adds an entity. Making all indexes again would take long for each of many units.
func (w *Workspace) add(e Entity) {
	switch e := e.(type) {
	case *Unit:
		at, _ := slices.BinarySearchFunc(w.Units, e, bySlug)
		w.Units = slices.Insert(w.Units, at, e)
		w.number(at)
	case *Link:
		w.Links = insert(w.Links, e)
		if w.ends != nil {
			w.ends.from[e.From] = insert(w.ends.from[e.From], e)
			w.ends.to[e.To] = insert(w.ends.to[e.To], e)
		}
	default:
		w.collect(e)
		w.index()
	}
	w.named[entityKey{e.Kind(), e.Name()}], w.byID[*e.Ident()] = e, e
}

// number numbers the units from one on. They are the nodes of the graph.
func (w *Workspace) number(from int) {
	for i := from; i < len(w.Units); i++ {
		w.Units[i].node = i
	}
}

// keep removes the entities of which keep does not hold.
func (w *Workspace) keep(keep func(Entity) bool) {
	w.ends = nil
	w.Spaces = kept(w.Spaces, keep)
	w.Units = kept(w.Units, keep)
	w.Links = kept(w.Links, keep)
	w.Invocations = kept(w.Invocations, keep)
	w.Filters = kept(w.Filters, keep)
	w.number(0)
}

func kept[T Entity](list []T, keep func(Entity) bool) []T {
	return slices.DeleteFunc(list, func(e T) bool { return !keep(e) })
}

// drop removes entities.
func (w *Workspace) drop(gone map[Entity]bool) {
	w.keep(func(e Entity) bool { return !gone[e] })
	for e := range gone {
		delete(w.named, entityKey{e.Kind(), e.Name()})
		delete(w.byID, *e.Ident())
	}
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
	of[to] = insert(of[to], l)
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
	slices.SortFunc(w.Spaces, bySlug)
	slices.SortFunc(w.Units, bySlug)
	slices.SortFunc(w.Links, bySlug)
	slices.SortFunc(w.Invocations, bySlug)
	slices.SortFunc(w.Filters, bySlug)
	w.number(0)
	n := len(w.Units) + len(w.Links)
	w.named, w.byID = make(map[entityKey]Entity, n), make(map[string]Entity, n)
	for e := range w.All() {
		w.named[entityKey{e.Kind(), e.Name()}], w.byID[*e.Ident()] = e, e
	}
}

// space returns the space with a slug, nil if there is none.
func (w *Workspace) space(slug string) *Space {
	s, _ := w.named[entityKey{entity.KindSpace, slug}].(*Space)
	return s
}

// unit returns the unit with a name, nil if there is none.
func (w *Workspace) unit(name string) *Unit {
	u, _ := w.named[entityKey{entity.KindUnit, name}].(*Unit)
	return u
}

// link returns the link with a name, nil if there is none.
func (w *Workspace) link(name string) *Link {
	l, _ := w.named[entityKey{entity.KindLink, name}].(*Link)
	return l
}

// Broken returns why an entity cannot be read, nil if it can or if there is none. The name is that
// of a space, or space/slug.
func (w *Workspace) Broken(kind entity.Kind, name string) error {
	return w.broken[entityKey{kind, name}].Err()
}

// Ends returns why a link lacks one of its units, nil if it has both.
func (w *Workspace) Ends(l *Link) error {
	if l.From != nil && l.To != nil {
		return nil
	}
	return cmp.Or(w.Broken(entity.KindUnit, qualified(l.SpaceSlug, l.FromUnit)),
		w.Broken(entity.KindUnit, qualified(cmp.Or(l.ToSpace, l.SpaceSlug), l.ToUnit)),
		l.refs.Err(),
		error(w.fail(l, entity.CodeUnitNotFound, "a unit of the link %s does not exist", l.Slug)))
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
		w.broken = map[entityKey]entity.Errors{}
	}
	w.broken[entityKey{kind, name}] = all
}

// Lookup returns the entity of a kind with a reference: a slug in space, "space/slug" or an ID.
func Lookup[T Entity](w *Workspace, kind entity.Kind, space, ref string) (T, error) {
	if e, ok := w.byID[ref].(T); ok {
		return e, nil
	}
	name := ref
	if kind != entity.KindSpace {
		name = qualified(space, ref)
	}
	var none T
	if err := w.Broken(kind, name); err != nil {
		return none, err
	}
	if e, ok := w.named[entityKey{kind, name}].(T); ok {
		return e, nil
	}
	var names, elsewhere []string
	for _, e := range List[T](w) {
		c := e.Base()
		if kind == entity.KindSpace || c.SpaceSlug == space {
			names = append(names, c.Slug)
		}
		if strings.Contains(ref, "/") {
			names = append(names, c.Name())
		}
		if c.Slug == ref {
			elsewhere = append(elsewhere, c.Name())
		}
	}
	code := entity.CodeNotFound
	if kind == entity.KindUnit {
		code = entity.CodeUnitNotFound
	}
	err := notFound(code, string(kind), name, names)
	if len(elsewhere) > 0 {
		err.Hint = configkit.DidYouMean("", elsewhere[:min(len(elsewhere), 3)])
	}
	return none, err
}

// Space returns the space with a slug or an ID.
func (w *Workspace) Space(ref string) (*Space, error) {
	return Lookup[*Space](w, entity.KindSpace, "", ref)
}

// Unit returns the unit with a reference: a slug in space, "space/slug" or an ID.
func (w *Workspace) Unit(space, ref string) (*Unit, error) {
	return Lookup[*Unit](w, entity.KindUnit, space, ref)
}

// Link returns the link with a reference.
func (w *Workspace) Link(space, ref string) (*Link, error) {
	return Lookup[*Link](w, entity.KindLink, space, ref)
}

// Invocation returns the stored invocation with a reference.
func (w *Workspace) Invocation(space, ref string) (*Invocation, error) {
	return Lookup[*Invocation](w, entity.KindInvocation, space, ref)
}

// Filter returns the stored filter with a reference.
func (w *Workspace) Filter(space, ref string) (*Filter, error) {
	return Lookup[*Filter](w, entity.KindFilter, space, ref)
}

// Existing returns the entity of a kind with a name, nil if there is none.
func (w *Workspace) Existing(kind entity.Kind, name string) entity.Entity {
	if e := w.named[entityKey{kind, name}]; e != nil {
		return e.Self()
	}
	return nil
}

// HasLink reports whether there is a link with a name, space/slug, also one that cannot be read.
func (w *Workspace) HasLink(name string) bool {
	return w.link(name) != nil || w.Broken(entity.KindLink, name) != nil
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

// Slug returns the slug of the entity with an ID, "" if it does not exist.
func (w *Workspace) Slug(id string) string {
	if e := w.byID[id]; e != nil {
		return e.Base().Slug
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
		e := w.fail(l, entity.CodeLinkCycle, "the links form a cycle: %s", w.cycleText(cycle))
		e.Space, e.Link = l.SpaceSlug, l.Slug
		errs = append(errs, e.WithHint("delete or turn round one of them"))
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
	return entity.Errors{l.Fail(entity.CodeLinkCycle, "the link would close a cycle: %s -[%s %s]-> %s",
		l.From.Name(), l.Slug, l.Type(), w.cycleText(path))}
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
