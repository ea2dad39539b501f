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

// PlacedConflict is a conflict of values with its positions in the texts of both sides. Where a side has deleted what it is about, Ours is
// where that would be, and Theirs is not known.
type PlacedConflict struct {
	Ours, Theirs gaby.Position

	conflict
	at     mutationPath  // ours, in our text
	in     *gaby.YamlDoc // our resource
	inside bool          // ours is inside of the value
}

// MergePlaced is Merge for the documents of texts, whose lines are ours and theirs: it returns the conflicts with their positions there.
// was is what target is now, in documents of its own. A conflict about something that both sides have deleted is not one. With
// NoSubtraction the conflicts have no positions.
func MergePlaced(base, source, was, target gaby.Container, provider configkit.ResourceProvider, options Options, ours, theirs []string) (gaby.Container, []PlacedConflict, error) {
	m := merger{provider: provider, options: options, restore: options.NoSubtraction}
	once, err := m.units(base, source, was, target)
	if err != nil {
		return nil, nil, err
	}
	once.conflicts.list = slices.DeleteFunc(once.conflicts.list, conflict.isAgreed)
	return once.docs, once.placed(base, provider, ours, theirs), nil
}

// MergeValues is Merge for values alone: it brings no comments along, and has no conflicts to show.
func MergeValues(base, source, was, target gaby.Container, provider configkit.ResourceProvider, options Options) (gaby.Container, error) {
	m := merger{provider: provider, options: options, bare: true, restore: options.NoSubtraction}
	once, err := m.units(base, source, was, target)
	if err != nil {
		return nil, err
	}
	return once.docs, nil
}

// placed finds the positions of conflicts.
func (once *mergedOnce) placed(base gaby.Container, provider configkit.ResourceProvider, rows, rowsTheirs []string) []PlacedConflict {
	list := make([]PlacedConflict, len(once.conflicts.list))
	type finders struct{ ours, theirs *positionFinder }
	known := map[[2]*gaby.YamlDoc]finders{} // conflicts of one resource share them
	for i, c := range once.conflicts.list {
		p := &list[i]
		p.conflict = c
		if once.patcher.restore {
			continue // it is about theirs, which nobody is told
		}
		own := once.patcher.own.find(c.of)
		find, ok := known[[2]*gaby.YamlDoc{c.of.before, c.of.after}]
		if !ok {
			keys := provider.MergeKeys(c.resource.ResourceType)
			if c.of.after != nil {
				find.theirs = newPlaceFinder(c.of.before.Value(), c.of.after.Value(), keys, c.of.renames)
			}
			if own != nil && own.after != nil {
				find.ours = newPlaceFinder(c.of.before.Value(), own.after.Value(), keys, own.renames)
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

// nextDocument is where a document of the base that we have deleted would stand in our text: at the next one, or at the last of its lines.
func nextDocument(doc *gaby.YamlDoc, base gaby.Container, own *ownFinder, rows int) gaby.Position {
	for _, d := range base[slices.Index(base, doc)+1:] {
		if o := own.before[d]; o != nil && o.after != nil {
			return gaby.Position{Line: o.after.FirstLine(), Column: 1}
		}
	}
	return gaby.Position{Line: max(1, rows), Column: 1}
}

// positionFinder finds what paths of changes lead to in the text of one side.
type positionFinder struct {
	base, text gaby.Value // the resource
	keys       *configkit.MergeKeyTree
	renames    []elementRename        // of elements, in this text
	known      map[string]*placeLevel // by paths
}

func newPlaceFinder(base, text gaby.Value, keys *configkit.MergeKeyTree, renames []elementRename) *positionFinder {
	return &positionFinder{base: base, text: text, keys: keys, renames: renames, known: map[string]*placeLevel{}}
}

// placeLevel is a map or list of both.
type placeLevel struct {
	base, text   []gaby.Value
	atBase, at   map[string]int // by keys of maps, or IDs of elements
	textOf       []int          // for those of the base, which they are in the text
	keyed, isMap bool
}

// level looks at what is at a path, once.
func (f *positionFinder) level(path mutationPath, p valuePlace, keys *configkit.MergeKeyTree) *placeLevel {
	name := path.String() // with indexes: paths in texts have no digests
	if l := f.known[name]; l != nil {
		return l
	}
	l := &placeLevel{text: elements(p.value), isMap: p.value.Kind() == gaby.Map, atBase: map[string]int{}, at: map[string]int{}}
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

// number remembers the elements of a list by their IDs; the first of those with one ID counts.
func number(at map[string]int, list []gaby.Value, keys *configkit.MergeKeyTree) {
	for i, e := range list {
		if id := elementID(e, keys.Keys, keys.Defaults); id != "" && !has(at, id) {
			at[id] = i
		}
	}
}

// valuePlace is a value and where it is.
type valuePlace struct {
	value, base gaby.Value
	at          gaby.Position
	path        mutationPath // to the value, in its text
}

// find follows a path as far as it leads anywhere, and reports whether that is all of it. An element is one of the list there, by the name it
// has in base. Elements that are new in lists without merge keys are so in this text, or in another one.
func (f *positionFinder) find(path mutationPath, element string, news bool) (p valuePlace, found bool) {
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
				return valuePlace{value: e, at: keyPosition(e), path: p.path.child(mutationSegment{kind: elementByKey, text: id, index: -1})}, true
			}
		}
		return p, false
	}
	return p, true
}

// element is the segment that leads to an element of the text.
func (l *placeLevel) element(i int, keys *configkit.MergeKeyTree) mutationSegment {
	if l.keyed {
		return mutationSegment{kind: elementByKey, text: elementID(l.text[i], keys.Keys, keys.Defaults), index: i}
	}
	return mutationSegment{kind: elementByDigest, index: i}
}

// follow is which of those of the base and which of the text a segment leads to, -1 for none. now is what an element with a merge key is
// called in the text.
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

// near is which one of the text is next to the place where what is missing would be, -1 when there is none.
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

func index(of map[string]int, name string) int {
	if i, ok := of[name]; ok {
		return i
	}
	return -1
}

// renamed is what an element of a list, as it is called in base, is called in the text.
func (f *positionFinder) renamed(list mutationPath, name string) string {
	for _, r := range f.renames {
		if r.old == name && r.path.canonical() == list.canonical() {
			return r.now
		}
	}
	return name
}

func keyPosition(v gaby.Value) gaby.Position {
	if pos := v.KeyPosition(); pos.Line > 0 {
		return pos
	}
	return v.Position()
}

// inText is the place of a value, which one side has changed and the other one, too. Of a text that is written line by line it is that
// of the first line both have changed.
func (p *valuePlace) inText(rows []string, mine, other *change) gaby.Position {
	if mine == nil || other == nil || !isString(mine.value) || !isString(other.value) || !p.value.Equal(mine.value) || !hasLines(mine.value.Text()) {
		return p.at
	}
	base := ""
	if old := cmp.Or(mine.base(), other.base()); isString(old) {
		base = old.Text()
	}
	all := lines.Split(mine.value.Text())
	first := -1
	for _, c := range lines.Merge(lines.Split(base), all, lines.Split(other.value.Text())) {
		if c.Conflict {
			first = min(c.FromOurs, len(all)-1)
			break
		}
	}
	if first < 0 {
		return p.at // one side has deleted it
	}
	line := p.value.Position().Line + first // below that of the header
	if line >= len(rows) || strings.TrimSpace(rows[line]) != strings.TrimSpace(all[first]) {
		return p.at
	}
	return gaby.Position{Line: line + 1, Column: lines.Indentation(rows[line]) + 1}
}

// PositionsIn returns where conflicts are in other documents, such as those that a merge has made; the zero position where that is not known.
func PositionsIn(docs gaby.Container, conflicts []PlacedConflict, provider configkit.ResourceProvider) ([]gaby.Position, error) {
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
			f = newPlaceFinder(c.in.Value(), known[at].Value(), provider.MergeKeys(c.resource.ResourceType), c.of.renames)
			finders[at] = f
		}
		if place, found := f.find(c.at, "", false); found {
			positions[i] = place.at
		}
	}
	return positions, nil
}

// isAgreed tells of a conflict that it is none for people: both sides have deleted something, one of them with what is around it.
func (c conflict) isAgreed() bool {
	return c.source.op == api.MutationTypeDelete && c.target != nil && c.target.op == api.MutationTypeDelete
}

// IsMissing reports whether the target has no place for what was to be set.
func (c *conflict) IsMissing() bool { return c.reason == api.ConflictUnresolvedPath }

// Mutation is the conflict as it travels.
func (c *conflict) Mutation() api.MutationConflict {
	return (&conflicts{list: []conflict{*c}}).mutations()[0]
}

// Lines are those of what was to be set, where it is more than is told on one line or about what was changed in a resource.
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
