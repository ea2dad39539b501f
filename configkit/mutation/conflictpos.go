package mutation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/lines"
)

// Conflict is a conflict with its positions in the texts of both sides. If our side has
// deleted the value, Ours is where it would be; if theirs has, Theirs is the zero position.
type Conflict struct {
	Ours, Theirs gaby.Position

	conflict
	at     mutationpath.Path // the path in our text
	in     *gaby.YamlDoc     // our resource
	inside bool              // Ours is inside the value
}

// MergeLocated is Merge for documents parsed from text: it also returns the position of each
// conflict. ours and theirs are the lines of the two texts, and was holds the same documents as
// target, parsed a second time. If both sides deleted a value, that is not a conflict. With
// NoSubtraction the conflicts have no positions, and with Bare there are none.
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
	if options.Bare {
		return once.docs, nil, nil
	}
	once.conflicts.list = slices.DeleteFunc(once.conflicts.list, conflict.isAgreed)
	return once.docs, once.located(base, provider, ours, theirs), nil
}

// located returns the conflicts with their positions.
func (once *mergedOnce) located(
	base gaby.Container, provider configkit.ResourceProvider, rows, rowsTheirs []string,
) []Conflict {
	list := make([]Conflict, len(once.conflicts.list))
	var next map[*gaby.YamlDoc]gaby.Position // computed on first use
	type sides struct{ ours, theirs *follower }
	known := map[[2]*gaby.YamlDoc]sides{} // shared by the conflicts of one resource
	for i, c := range once.conflicts.list {
		p := &list[i]
		p.conflict = c
		if once.patcher.restore {
			continue // theirs wins, so the conflict is not reported
		}
		own := once.patcher.own.find(c.of)
		docs := [2]*gaby.YamlDoc{c.of.before, c.of.after}
		follow, ok := known[docs]
		if !ok {
			keys := provider.MergeKeys(c.resource.ResourceType)
			if c.of.after != nil {
				follow.theirs = newFollower(c.of.before, c.of.after, keys, c.of.renames)
			}
			if own != nil && own.after != nil {
				follow.ours = newFollower(c.of.before, own.after, keys, own.renames)
			}
			known[docs] = follow
		}
		if follow.theirs != nil {
			m, found := follow.theirs.find(c.path, c.element, true)
			if found || c.source.op != api.MutationTypeDelete && m.value.Equal(c.source.value) {
				p.Theirs = m.inText(rowsTheirs, &c.source, c.target)
			}
		}
		if follow.ours == nil {
			if next == nil {
				next = nextDocuments(base, once.patcher.own, len(rows))
			}
			p.Ours = next[c.of.before]
			continue
		}
		path := c.path
		if c.mine != nil {
			path = c.mine
		}
		m, found := follow.ours.find(path, c.element, c.mine != nil)
		if p.Ours = m.at; found {
			p.at, p.in = m.path, own.after
			p.Ours = m.inText(rows, c.target, &c.source)
			p.inside = p.Ours != m.at
		}
	}
	return list
}

// nextDocuments returns where each document of base would be in our text if we deleted it: at the
// next document that is left, or else on the last line. rows is the number of lines.
func nextDocuments(
	base gaby.Container, own *resourceIndex, rows int,
) map[*gaby.YamlDoc]gaby.Position {
	at := gaby.Position{Line: max(1, rows), Column: 1}
	next := map[*gaby.YamlDoc]gaby.Position{nil: at}
	for _, d := range slices.Backward(base) {
		next[d] = at
		if o := own.before[d]; o != nil && o.after != nil {
			at = gaby.Position{Line: o.after.FirstLine(), Column: 1}
		}
	}
	if len(base) > 0 {
		next[nil] = at
	}
	return next
}

// inText returns the position of p, a value that both sides changed. For a block of several lines
// it is the first line that both changed. rows are the lines of the text, mine is the change that
// side made and other that of the other side; both have the new value. The line merge of the value
// has the first conflict at that line.
func (p *match) inText(rows []string, mine, other *change) gaby.Position {
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
	known, err := Documents(docs, docs, provider)
	if err != nil {
		return nil, err
	}
	find := newDocumentFinder(known, provider)
	followers := map[int]*follower{}
	positions := make([]gaby.Position, len(conflicts))
	for i := range conflicts {
		c := &conflicts[i]
		at := find.Find(&c.resource, c.of.names)
		if at < 0 || c.in == nil || c.inside {
			continue
		}
		if followers[at] == nil {
			followers[at] = newFollower(
				c.in, known[at].YamlDoc, provider.MergeKeys(c.resource.ResourceType), c.of.renames,
			)
		}
		if m, found := followers[at].find(c.at, "", false); found {
			positions[i] = m.at
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
func (c Conflict) IsMissing() bool { return c.reason == api.ConflictUnresolvedPath }

// Lines returns the lines of the value to be set if it does not fit on one line, or, for a conflict
// about a whole resource, the lines that the source added.
func (c *conflict) Lines() []string {
	switch {
	case c.source.op == api.MutationTypeDelete:
		return nil
	case len(c.path) > 0 || c.source.op != api.MutationTypeUpdate:
		text := c.of.text(c.source.value)
		if shown := c.source.infoOf(text, false); shown.Fits() {
			return nil
		}
		if isString(c.source.value) {
			text = c.source.value.Text()
		}
		return lines.Split(text)
	case c.of.before != nil && c.of.after != nil:
		return lines.Added(lines.Split(c.of.before.String()), lines.Split(c.of.after.String()))
	}
	return nil
}
