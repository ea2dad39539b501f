package yamlkit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
	"github.com/fctl-dev/fctl/functions/api"
)

// placedConflict is a conflict of values with its places in the texts of both sides. Where a side has deleted what it is about, ours is
// where that would be, and theirs is not known.
type placedConflict struct {
	conflict
	ours, theirs gaby.Position
	inside       bool            // ours is inside of the value
	renames      []elementRename // of our elements
}

// inMerged finds places in the merged resource.
func (c *placedConflict) inMerged(v gaby.Value, provider configkit.ResourceProvider) placeFinder {
	return placeFinder{base: c.of.before.Value(), text: v, keys: provider.MergeKeys(c.resource.ResourceType), renames: slices.Concat(c.renames, c.of.renames)}
}

// placed finds the places of conflicts. The container is base; ours is the text before the merge.
func (m *textMerger) placed(once *mergedOnce, base, ours gaby.Container) []placedConflict {
	list := make([]placedConflict, len(once.conflicts.list))
	for i, c := range once.conflicts.list {
		p := &list[i]
		p.conflict = c
		f := placeFinder{base: c.of.before.Value(), keys: m.provider.MergeKeys(c.resource.ResourceType)}
		if c.of.after != nil {
			f.text, f.renames, f.news = c.of.after.Value(), c.of.renames, true
			if place, found := f.find(c.path, c.element); found || c.source.op != api.MutationTypeDelete && place.value.Equal(c.source.value) {
				p.theirs = place.inText(lines.Split(string(m.theirs)), &c.source, c.target)
			}
		}
		own := once.patcher.own.find(c.of)
		if own == nil || own.after == nil {
			p.ours = nextDocument(c.of.before, base, once.patcher.own, ours)
			continue
		}
		p.renames = own.renames
		f.text, f.renames, f.news = own.after.Value(), own.renames, c.mine != nil
		path := c.path
		if c.mine != nil {
			path = c.mine
		}
		place, found := f.find(path, c.element)
		if p.ours = place.at; found {
			p.ours = place.inText(lines.Split(string(m.ours)), c.target, &c.source)
			p.inside = p.ours != place.at
		}
	}
	return list
}

// nextDocument is where a document of the base that we have deleted would stand in our text: at the next one, or at the end.
func nextDocument(doc *gaby.YamlDoc, base gaby.Container, own *ownFinder, ours gaby.Container) gaby.Position {
	for _, d := range base[slices.Index(base, doc)+1:] {
		if o := own.before[d]; o != nil && o.after != nil {
			return gaby.Position{Line: o.after.FirstLine(), Column: 1}
		}
	}
	return gaby.Position{Line: max(1, strings.Count(strings.TrimSuffix(ours.String(), "\n"), "\n")+1), Column: 1}
}

// placeFinder finds what paths of changes lead to in the text of one side.
type placeFinder struct {
	base, text gaby.Value // the resource
	keys       *configkit.MergeKeyTree
	renames    []elementRename // of elements, in this text
	news       bool            // new elements of lists without merge keys are those of this text
}

// valuePlace is a value and where it is.
type valuePlace struct {
	value, base gaby.Value
	at          gaby.Position
}

// find follows a path as far as it leads anywhere, and reports whether that is all of it. An element is one of the list there, by the name it
// has in base.
func (f *placeFinder) find(path mutationPath, element string) (p valuePlace, found bool) {
	p = valuePlace{value: f.text, base: f.base, at: f.text.Position()}
	keys := f.keys
	for i, s := range path {
		next, near := f.child(p, path[:i], s, keys)
		below := findChild(p.base, s)
		if p.base.Kind() == gaby.List {
			at := s.index
			if s.kind == elementByKey {
				at = findElement(p.base, s, keys)
			}
			below = p.base.Index(at)
		}
		keys = childKeys(keys, p.value, s)
		if !next.Exists() {
			if near.Exists() {
				p.at = keyPosition(near)
			}
			return p, false
		}
		p = valuePlace{value: next, base: below, at: keyPosition(next)}
	}
	if element != "" && keys != nil {
		for e := p.value.First(); e.Exists(); e = e.Next() {
			if name := elementName(e, keys.Keys, keys.Defaults); name == f.renamed(path, element) {
				return valuePlace{value: e, at: keyPosition(e)}, true
			}
		}
		return p, false
	}
	return p, true
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

// child is what a segment leads to, else what is next to the place where that would be.
func (f *placeFinder) child(p valuePlace, path mutationPath, s mutationSegment, keys *configkit.MergeKeyTree) (v, near gaby.Value) {
	list, base := elements(p.value), elements(p.base)
	if p.value.Kind() != p.base.Kind() {
		base = nil
	}
	was := -1        // which of those of the base it is
	at := []int(nil) // of each of them, which it is in the text
	switch {
	case p.value.Kind() == gaby.Map:
		if v = p.value.Get(s.asKey()); v.Exists() {
			return v, v
		}
		was = slices.IndexFunc(base, func(c gaby.Value) bool { return c.Key() == s.asKey() })
		for _, c := range base {
			at = append(at, slices.IndexFunc(list, func(o gaby.Value) bool { return o.Key() == c.Key() }))
		}
	case p.value.Kind() != gaby.List:
		return gaby.Value{}, gaby.Value{}
	case s.kind == newElement && f.news:
		return p.value.Index(s.index), gaby.Value{}
	case s.kind == newElement:
		return gaby.Value{}, p.value.Index(min(s.index, len(list)-1))
	case s.kind == elementByDigest:
		was = s.index
		if base != nil {
			at = placesIn(p.base, p.value, keys)
		}
	default:
		s.text = cmp.Or(s.renamed(f.renamed(path, s.name())), s.text)
		if v = p.value.Index(findElement(p.value, s, keys)); v.Exists() {
			return v, v
		}
		was = findElement(p.base, s, keys)
		if ids, ok := keyedIDs(keys, p.base, p.value); ok && base != nil {
			for _, id := range ids[0] {
				at = append(at, slices.Index(ids[1], id))
			}
		}
	}
	if was >= 0 && was < len(at) && at[was] >= 0 {
		return list[at[was]], gaby.Value{}
	}
	for i := was + 1; i < len(at) && was >= 0; i++ {
		if at[i] >= 0 {
			return gaby.Value{}, list[at[i]]
		}
	}
	if len(list) > 0 {
		near = list[len(list)-1]
	}
	return gaby.Value{}, near
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
