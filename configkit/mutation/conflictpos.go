package mutation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
)

// Conflict is a conflict with its positions in the texts of both sides. If our side has
// deleted the value, Ours is where it would be; if theirs has, Theirs is the zero position.
type Conflict struct {
	Ours, Theirs gaby.Position

	conflict
	at     mutationPath  // our path, in our text
	in     *gaby.YamlDoc // our resource
	inside bool          // Ours is inside the value
}

// MergeLocated is Merge for documents parsed from text: it also returns the position of each
// conflict. ours and theirs are the lines of the two texts, and was holds the same documents as
// target, parsed a second time. If both sides deleted a value, that is not a conflict. With
// NoSubtraction the conflicts have no positions.
func MergeLocated(
	base, source, was, target gaby.Container,
	provider configkit.ResourceProvider,
	options Options,
	ours, theirs []string,
) (gaby.Container, []Conflict, error) {
	m := merger{provider: provider, options: options, restore: options.NoSubtraction}
	once, err := m.units(base, source, was, target)
	if err != nil {
		return nil, nil, err
	}
	once.conflicts.list = slices.DeleteFunc(once.conflicts.list, conflict.isAgreed)
	return once.docs, once.placed(base, provider, ours, theirs), nil
}

// MergeValues is Merge without comments and without conflicts.
func MergeValues(
	base, source, was, target gaby.Container, provider configkit.ResourceProvider, options Options,
) (gaby.Container, error) {
	m := merger{provider: provider, options: options, bare: true, restore: options.NoSubtraction}
	once, err := m.units(base, source, was, target)
	if err != nil {
		return nil, err
	}
	return once.docs, nil
}

// placed returns the conflicts with their positions.
func (once *mergedOnce) placed(
	base gaby.Container, provider configkit.ResourceProvider, rows, rowsTheirs []string,
) []Conflict {
	list := make([]Conflict, len(once.conflicts.list))
	type finders struct{ ours, theirs *positionFinder }
	known := map[[2]*gaby.YamlDoc]finders{} // shared by the conflicts of one resource
	for i, c := range once.conflicts.list {
		p := &list[i]
		p.conflict = c
		if once.patcher.restore {
			continue // theirs wins, so the conflict is not reported
		}
		own := once.patcher.own.find(c.of)
		find, ok := known[[2]*gaby.YamlDoc{c.of.before, c.of.after}]
		if !ok {
			keys := provider.MergeKeys(c.resource.ResourceType)
			if c.of.after != nil {
				find.theirs = newPlaceFinder(
					c.of.before.Value(), c.of.after.Value(), keys, c.of.renames,
				)
			}
			if own != nil && own.after != nil {
				find.ours = newPlaceFinder(
					c.of.before.Value(), own.after.Value(), keys, own.renames,
				)
			}
			known[[2]*gaby.YamlDoc{c.of.before, c.of.after}] = find
		}
		if find.theirs != nil {
			place, found := find.theirs.find(c.path, c.element, true)
			if found || c.source.op != api.MutationTypeDelete && place.value.Equal(c.source.value) {
				p.Theirs = place.inText(rowsTheirs, &c.source, c.target)
			}
		}
		if find.ours == nil {
			p.Ours = nextDocument(c.of.before, base, once.patcher.own, len(rows))
			continue
		}
		path := c.path
		if c.mine != nil {
			path = c.mine
		}
		place, found := find.ours.find(path, c.element, c.mine != nil)
		if p.Ours = place.at; found {
			p.at, p.in = place.path, own.after
			p.Ours = place.inText(rows, c.target, &c.source)
			p.inside = p.Ours != place.at
		}
	}
	return list
}

// nextDocument returns where doc, a document of base that we deleted, would be in our text: at the
// next document that is left, or else on the last line. rows is the number of lines.
func nextDocument(doc *gaby.YamlDoc, base gaby.Container, own *ownFinder, rows int) gaby.Position {
	for _, d := range base[slices.Index(base, doc)+1:] {
		if o := own.before[d]; o != nil && o.after != nil {
			return gaby.Position{Line: o.after.FirstLine(), Column: 1}
		}
	}
	return gaby.Position{Line: max(1, rows), Column: 1}
}

// positionFinder finds in the text of one side what the path of a change leads to.
type positionFinder struct {
	base, text gaby.Value // the resource
	keys       *configkit.MergeKeyTree
	renames    []elementRename        // of elements, in this text
	known      map[string]*placeLevel // by path
}

// newPlaceFinder returns a finder for a resource in the text of one side. keys are its merge keys.
func newPlaceFinder(
	base, text gaby.Value, keys *configkit.MergeKeyTree, renames []elementRename,
) *positionFinder {
	return &positionFinder{
		base: base, text: text, keys: keys, renames: renames, known: map[string]*placeLevel{},
	}
}

// placeLevel pairs the children of a map or list in the base with those in the text.
type placeLevel struct {
	base, text   []gaby.Value
	atBase, at   map[string]int // indexes by key, or by element ID
	textOf       []int          // for each child of the base, its index in the text or -1
	keyed, isMap bool
}

// level returns the children at path. Each level is computed once.
func (f *positionFinder) level(
	path mutationPath, p valuePlace, keys *configkit.MergeKeyTree,
) *placeLevel {
	name := path.String() // with indexes, because the paths of texts have no digests
	if l := f.known[name]; l != nil {
		return l
	}
	l := &placeLevel{
		text: elements(p.value), isMap: p.value.Kind() == gaby.Map, atBase: map[string]int{},
		at: map[string]int{},
	}
	f.known[name] = l
	if p.value.Kind() == p.base.Kind() {
		l.base = elements(p.base)
	}
	if l.base != nil && !l.isMap {
		_, l.keyed = keyedIDs(keys, p.base, p.value)
	}
	switch {
	case l.isMap:
		for i, c := range l.base {
			l.atBase[c.Key()] = i
		}
		for i, c := range l.text {
			l.at[c.Key()] = i
		}
	case keys != nil && len(keys.Keys) > 0:
		number(l.atBase, l.base, keys)
		number(l.at, l.text, keys)
	}
	// Elements without merge keys are matched by alignment, as in the merge itself.
	if !l.isMap && !l.keyed && l.base != nil {
		l.textOf = placesIn(p.base, p.value, keys)
		return l
	}
	l.textOf = make([]int, len(l.base))
	for i := range l.textOf {
		l.textOf[i] = -1
	}
	for name, i := range l.atBase {
		if j, ok := l.at[name]; ok {
			l.textOf[i] = j
		}
	}
	return l
}

// number maps element IDs to indexes. The first element with an ID wins.
func number(at map[string]int, list []gaby.Value, keys *configkit.MergeKeyTree) {
	for i, e := range list {
		if id := elementID(e, keys.Keys, keys.Defaults); id != "" && !has(at, id) {
			at[id] = i
		}
	}
}

// valuePlace is a value and its position.
type valuePlace struct {
	value, base gaby.Value
	at          gaby.Position
	path        mutationPath // to the value, in its text
}

// find follows path as far as possible and reports whether it reached the end. If element is not
// empty, find goes on to the element of that name (its name in the base) in the list at path. news
// says whether new list elements in path are new in this text rather than in the other one.
func (f *positionFinder) find(
	path mutationPath, element string, news bool,
) (p valuePlace, found bool) {
	p = valuePlace{value: f.text, base: f.base, at: f.text.Position()}
	keys := f.keys
	for i, s := range path {
		if p.value.Kind() == gaby.Scalar {
			return p, false
		}
		l := f.level(path[:i], p, keys)
		was, is := l.follow(s, f.renamed(path[:i], s.name()), news)
		if is < 0 {
			if near := l.near(was, s, news); near >= 0 {
				p.at = keyPosition(l.text[near])
			}
			return p, false
		}
		below := childKeys(keys, p.value, s)
		if !l.isMap {
			s = l.element(is, keys)
		}
		keys = below
		p = valuePlace{value: l.text[is], at: keyPosition(l.text[is]), path: p.path.child(s)}
		if was >= 0 {
			p.base = l.base[was]
		}
	}
	if element != "" && keys != nil {
		for e := p.value.First(); e.Exists(); e = e.Next() {
			if name := elementName(e, keys.Keys, keys.Defaults); name == f.renamed(path, element) {
				id := elementID(e, keys.Keys, keys.Defaults)
				return valuePlace{
					value: e, at: keyPosition(e),
					path: p.path.child(mutationSegment{kind: elementByKey, text: id, index: -1}),
				}, true
			}
		}
		return p, false
	}
	return p, true
}

// element returns the segment that leads to element i of the text.
func (l *placeLevel) element(i int, keys *configkit.MergeKeyTree) mutationSegment {
	if l.keyed {
		return mutationSegment{
			kind: elementByKey, text: elementID(l.text[i], keys.Keys, keys.Defaults), index: i,
		}
	}
	return mutationSegment{kind: elementByDigest, index: i}
}

// follow returns the indexes of segment s among the base's and the text's children, or -1. now is
// the name that an element with a merge key has in the text.
func (l *placeLevel) follow(s mutationSegment, now string, news bool) (was, is int) {
	is = -1
	switch {
	case l.isMap:
		was = index(l.atBase, s.asKey())
		is = index(l.at, s.asKey())
	case s.kind == newElement:
		if news && s.index < len(l.text) {
			is = s.index
		}
		return -1, is
	case s.kind == elementByDigest && !l.keyed:
		if was = s.index; was < 0 || was >= len(l.textOf) {
			return -1, -1
		}
		is = l.textOf[was]
	case s.kind == elementByKey:
		was = index(l.atBase, s.text)
		if is = index(l.at, s.renamed(now)); is < 0 {
			is = index(l.at, s.text)
		}
	default:
		i, ok := parseIndex(s.text)
		if was = -1; ok && i < len(l.text) {
			is = i
		}
	}
	return was, is
}

// near returns the index of the child of the text closest to where the missing child would be, or
// -1 if there are no children.
func (l *placeLevel) near(was int, s mutationSegment, news bool) int {
	if s.kind == newElement && !news {
		return min(s.index, len(l.text)-1)
	}
	for i := was + 1; was >= 0 && i < len(l.textOf); i++ {
		if l.textOf[i] >= 0 {
			return l.textOf[i]
		}
	}
	return len(l.text) - 1
}

// index returns the index of name, or -1.
func index(of map[string]int, name string) int {
	if i, ok := of[name]; ok {
		return i
	}
	return -1
}

// renamed returns the name in the text of the element called name in the base.
func (f *positionFinder) renamed(list mutationPath, name string) string {
	for _, r := range f.renames {
		if r.old == name && r.path.canonical() == list.canonical() {
			return r.now
		}
	}
	return name
}

// keyPosition returns the position of the key of a map entry, or else of the value.
func keyPosition(v gaby.Value) gaby.Position {
	if pos := v.KeyPosition(); pos.Line > 0 {
		return pos
	}
	return v.Position()
}

// inText returns the position of p, a value that both sides changed. For a block of several lines
// it is the first line that both changed.
func (p *valuePlace) inText(rows []string, mine, other *change) gaby.Position {
	if mine == nil || other == nil || !isString(mine.value) || !isString(other.value) ||
		!p.value.Equal(mine.value) || !hasLines(mine.value.Text()) {
		return p.at
	}
	base := ""
	if old := cmp.Or(mine.base(), other.base()); isString(old) {
		base = old.Text()
	}
	// Find the first line of the text that both sides changed. Its position is below the header of
	// a block scalar; scalars of other styles fail the check of the line's content.
	all := lines.Split(mine.value.Text())
	first := -1
	for _, c := range lines.Merge(lines.Split(base), all, lines.Split(other.value.Text())) {
		if c.Conflict {
			first = min(c.FromOurs, len(all)-1)
			break
		}
	}
	if first < 0 {
		return p.at // one side deleted it
	}
	line := p.value.Position().Line + first // the text begins below the header
	if line >= len(rows) || strings.TrimSpace(rows[line]) != strings.TrimSpace(all[first]) {
		return p.at
	}
	return gaby.Position{Line: line + 1, Column: lines.Indentation(rows[line]) + 1}
}

// PositionsIn returns the positions of conflicts in other documents, such as the result of a merge.
// A position that is not known is zero.
func PositionsIn(
	docs gaby.Container, conflicts []Conflict, provider configkit.ResourceProvider,
) ([]gaby.Position, error) {
	known, err := UnitDocuments(docs, docs, provider)
	if err != nil {
		return nil, err
	}
	find := newFinder(known, provider,
		func(d UnitDocument) *api.ResourceInfo { return &d.Info },
		func(UnitDocument) []api.ResourceName { return nil })
	finders := map[int]*positionFinder{}
	positions := make([]gaby.Position, len(conflicts))
	for i := range conflicts {
		c := &conflicts[i]
		at := find.find(&c.resource, c.of.names)
		if at < 0 || c.in == nil || c.inside {
			continue
		}
		f := finders[at]
		if f == nil {
			f = newPlaceFinder(
				c.in.Value(), known[at].Value(), provider.MergeKeys(c.resource.ResourceType),
				c.of.renames,
			)
			finders[at] = f
		}
		if place, found := f.find(c.at, "", false); found {
			positions[i] = place.at
		}
	}
	return positions, nil
}

// isAgreed reports whether both sides deleted something, one of them together with what surrounds
// it. Users need not see such a conflict.
func (c conflict) isAgreed() bool {
	return c.source.op == api.MutationTypeDelete && c.target != nil &&
		c.target.op == api.MutationTypeDelete
}

// IsMissing reports whether the target has nowhere to put the value.
func (c *conflict) IsMissing() bool { return c.reason == api.ConflictUnresolvedPath }

// Mutation returns the conflict in its API form.
func (c *conflict) Mutation() api.MutationConflict {
	return (&conflicts{list: []conflict{*c}}).mutations()[0]
}

// Lines returns the lines of the value to be set if it does not fit on one line, or, for a conflict
// about a whole resource, the lines that the source added.
func (c *conflict) Lines() []string {
	switch {
	case c.source.op == api.MutationTypeDelete:
		return nil
	case len(c.path) > 0 || c.source.op != api.MutationTypeUpdate:
		text := valueText(c.source.value)
		if isString(c.source.value) {
			text = c.source.value.Text()
		}
		if shown := c.source.info(false); !shown.Fits() {
			return lines.Split(text)
		}
	case c.of.before != nil && c.of.after != nil:
		return lines.Added(lines.Split(c.of.before.String()), lines.Split(c.of.after.String()))
	}
	return nil
}
