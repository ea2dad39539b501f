package yamlkit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
)

// placedConflict is a conflict of values with its places in the texts of both sides. Where a side has deleted what it is about, ours is
// where that would be, and theirs is not known.
type placedConflict struct {
	conflict
	ours, theirs gaby.Position
	at           mutationPath  // ours, in our text
	in           *gaby.YamlDoc // our resource
	inside       bool          // ours is inside of the value
}

// placed finds the places of conflicts.
func (m *textMerger) placed(once *mergedOnce, base gaby.Container) []placedConflict {
	list := make([]placedConflict, len(once.conflicts.list))
	rows, rowsTheirs := lines.Split(string(m.ours)), lines.Split(string(m.theirs))
	type finders struct{ ours, theirs *placeFinder }
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
			keys := m.provider.MergeKeys(c.resource.ResourceType)
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
				p.theirs = place.inText(rowsTheirs, &c.source, c.target)
			}
		}
		if find.ours == nil {
			p.ours = nextDocument(c.of.before, base, once.patcher.own, len(rows))
			continue
		}
		path := c.path
		if c.mine != nil {
			path = c.mine
		}
		place, found := find.ours.find(path, c.element, c.mine != nil)
		if p.ours = place.at; found {
			p.at, p.in = place.path, own.after
			p.ours = place.inText(rows, c.target, &c.source)
			p.inside = p.ours != place.at
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
	return linePosition(max(0, rows-1))
}

// placeFinder finds what paths of changes lead to in the text of one side.
type placeFinder struct {
	base, text gaby.Value // the resource
	keys       *configkit.MergeKeyTree
	renames    []elementRename        // of elements, in this text
	known      map[string]*placeLevel // by paths
}

func newPlaceFinder(base, text gaby.Value, keys *configkit.MergeKeyTree, renames []elementRename) *placeFinder {
	return &placeFinder{base: base, text: text, keys: keys, renames: renames, known: map[string]*placeLevel{}}
}

// placeLevel is a map or list of both.
type placeLevel struct {
	base, text   []gaby.Value
	atBase, at   map[string]int // by keys of maps, or IDs of elements
	textOf       []int          // for those of the base, which they are in the text
	keyed, isMap bool
}

// level looks at what is at a path, once.
func (f *placeFinder) level(path mutationPath, p valuePlace, keys *configkit.MergeKeyTree) *placeLevel {
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
func (f *placeFinder) find(path mutationPath, element string, news bool) (p valuePlace, found bool) {
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
func (f *placeFinder) renamed(list mutationPath, name string) string {
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
	return gaby.Position{Line: line + 1, Column: indentation(rows[line]) + 1}
}

// lineMap tells for the lines of one text which of another one they are.
type lineMap struct {
	hunks []lines.Hunk
	end   int // number of lines of the other
}

func newLineMap(from, to []string) lineMap { return lineMap{lines.Diff(from, to), len(to)} }

// at is the line, from 0, that a line is, or stands in the place of.
func (m lineMap) at(line int) int {
	moved := 0
	for _, h := range m.hunks {
		if line < h.From {
			break
		}
		if line < h.To {
			return m.bounded(min(h.NewFrom+line-h.From, max(h.NewTo-1, h.NewFrom)))
		}
		moved = h.NewTo - h.To
	}
	return m.bounded(line + moved)
}

func (m lineMap) bounded(line int) int { return max(0, min(line, m.end-1)) }

// nearest is the place of some lines in a text that is next to another place, which it is where the lines are not in the text: documents
// may have changed places.
func nearest(text, part []string, at int) int {
	best := -1
	for i := 0; len(part) > 0 && i+len(part) <= len(text); i++ {
		if slices.Equal(text[i:i+len(part)], part) && (best < 0 || abs(i-at) < abs(best-at)) {
			best = i
		}
	}
	if best < 0 {
		return at
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// linePosition is the beginning of a line, which is counted from 0.
func linePosition(line int) gaby.Position { return gaby.Position{Line: line + 1, Column: 1} }

// positionIn is the beginning of a line of a text, of the last one for what is behind it.
func positionIn(text []string, line int) gaby.Position {
	return linePosition(max(0, min(line, len(text)-1)))
}
