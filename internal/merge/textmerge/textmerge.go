// Package textmerge performs three-way merges of configuration texts. Values are merged with
// package mutation, comments and layout line by line.
//
// # Invariants
//
//   - A text without conflicts has the values that mutation.Merge gives.
//   - No comment is lost without a conflict that says so.
//
// Layer: configkit.
package textmerge

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/lines"
)

// Options says how conflicts are shown.
type Options struct {
	// Markers puts both sides of a conflict into the text, between lines such as <<<<<<<. Otherwise
	// the text has our side, and theirs is only in the list of conflicts.
	Markers bool
	// MarkerSize is the number of characters of a marker; 0 means 7.
	MarkerSize int
	// Ours and Theirs are the labels after the markers.
	Ours, Theirs string
	// Favour takes the value of one side where both changed the same, which is not a conflict then. It
	// is for a text without markers.
	Favour Side
}

// Side is one of the two sides of a merge.
type Side int

// The sides.
const (
	Neither Side = iota
	Ours
	Theirs
)

// Merged is the result of a merge.
type Merged struct {
	Text []byte
	// In the order of the text, as far as they have a position in it.
	Conflicts []Conflict
	// Settled counts the conflicts that Options.Favour has settled.
	Settled int
	// ByLines says why the texts were merged line by line, without regard to their meaning: one of
	// them could not be read, or the result could not be written. It is nil if they were merged by
	// value.
	ByLines error
	// Outdated counts the documents whose MAC of SOPS was made for other values. Only a merge
	// without conflicts can have them.
	Outdated int
}

// Conflict is something that was not merged.
type Conflict struct {
	// Pos is the position in the merged text. Ours is the position in our text, or where it would
	// be inserted. Theirs is the position in their text; its line is 0 if it is not there.
	Pos, Ours, Theirs gaby.Position
	// Value is the change that was not made, for a conflict about a value. Its target is ours.
	Value *api.MutationConflict
	// Lines are their lines, which are in the text only between markers: comments, layout, or any
	// lines if the texts were merged line by line. For a conflict about a value they are the lines
	// of a value too long for one line.
	Lines []string
	// Lost is a comment that one side wrote in something that the other side deleted or replaced.
	Lost string
}

// Merge performs a three-way merge of base, ours and theirs. It changes our text no more than
// necessary:
//
//   - Values are merged as by mutation.Merge. What we changed stays even inside something that they
//     deleted.
//   - Comments, blank lines, the order of keys, quotes, indentation and any other layout come from
//     theirs unless we changed them.
//
// If one side changed nothing, the result is the text of the other side. Nothing is lost: if both
// sides changed the same thing differently, that is a conflict. Texts that cannot be merged by
// value are merged line by line.
//
// First the merged values are written into all three texts. What still differs is only comments and
// layout, which a line merge can handle. A result is accepted only if it has the merged values.
func Merge(
	base, ours, theirs []byte,
	converter configkit.ConfigConverter,
	provider configkit.ResourceProvider,
	options Options,
) *Merged {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return &Merged{Text: ours}
	case bytes.Equal(base, ours):
		return &Merged{Text: theirs}
	case provider.ToolchainType() == api.ToolchainAppConfigText:
		return MergeLines(base, ours, theirs, options)
	}
	// If line ends differ between the texts, merge with plain newlines and restore the right ones
	// at the end.
	if base, ours, theirs, end, ok := sameLineEnds(base, ours, theirs); ok {
		merged := Merge(base, ours, theirs, converter, provider, options)
		merged.Text = bytes.ReplaceAll(merged.Text, []byte("\n"), end)
		return merged
	}
	m := textMerger{
		base: base, ours: ours, theirs: theirs, converter: converter, provider: provider,
		options: options,
	}
	merged, err := m.byValues()
	if err != nil {
		// A text that could be read must remain readable, except for markers. If theirs cannot be
		// read, a clean merge need not be readable either.
		merged = m.byLines()
		clean := len(merged.Conflicts) == 0
		if (clean && m.isSound(theirs) || !clean && !options.Markers) && m.isSound(ours) &&
			!m.isSound(merged.Text) {
			merged = m.apart()
		}
		if len(merged.Conflicts) > 0 {
			if both, ok := m.closeLines(); ok {
				merged = both
			}
		}
		merged.ByLines = err
	}
	return merged
}

// isSound reports whether a text can be read and has no duplicate keys.
func (m *textMerger) isSound(text []byte) bool {
	docs, err := m.converter.NativeToDocuments(text)
	return err == nil && !slices.ContainsFunc(docs, func(d *gaby.YamlDoc) bool {
		return d.Check() != nil || d.HasDuplicateKeys()
	})
}

// apart merges texts whose line merge is clean but not readable: every change of theirs becomes a
// conflict.
func (m *textMerger) apart() *Merged {
	base, ours, theirs := lines.Split(string(m.base)), lines.Split(string(m.ours)),
		lines.Split(string(m.theirs))
	merged := &Merged{Text: m.ours}
	for _, c := range differences(base, ours, theirs) {
		t := Conflict{
			Lines: c.theirs, Ours: positionIn(ours, c.line),
			Theirs: positionIn(theirs, c.lineTheirs),
		}
		t.Pos = t.Ours
		merged.Conflicts = append(merged.Conflicts, t)
	}
	if m.options.Markers {
		m.mark(merged, string(m.ours), string(m.theirs))
	}
	return merged
}

// textMerger holds the arguments of a merge.
type textMerger struct {
	base, ours, theirs []byte
	converter          configkit.ConfigConverter
	provider           configkit.ResourceProvider
	options            Options
}

// side is a merge with all conflicts settled one way: ours stays, or theirs is taken.
type side struct {
	text      string
	conflicts []mutation.Conflict // about values
	clashes   []clash             // about everything else
	// The lines of both texts with the values of the side. The line numbers of clashes refer to
	// them.
	ours   []string
	theirs []string
}

// clash is a conflict between changes that do not count as values.
type clash struct {
	line         int // in the text, from 0
	ours, theirs []string
	// Indexes in the lines of the side.
	lineOurs   int
	lineTheirs int
}

// byValues merges by value, and comments and layout by line. It returns an error if a text cannot
// be read or the result cannot be written.
func (m *textMerger) byValues() (*Merged, error) {
	ours, err := m.side(mutation.Options{KeepChanged: true, FindRenames: true})
	if err != nil {
		return nil, err
	}
	lost := m.lostComments(ours)
	if len(ours.conflicts)+len(ours.clashes)+len(lost) == 0 {
		return &Merged{Text: []byte(ours.text)}, nil
	}
	merged := &Merged{Text: []byte(ours.text)}
	if merged.Conflicts, err = m.conflicts(ours, lost); err != nil {
		return nil, err
	}
	switch m.options.Favour {
	case Ours:
		return &Merged{Text: merged.Text, Settled: len(merged.Conflicts)}, nil
	case Theirs:
		theirs, err := m.side(mutation.Options{NoSubtraction: true, FindRenames: true})
		if err != nil || slices.ContainsFunc(theirs.conflicts, mutation.Conflict.IsMissing) {
			return merged, err // lines cannot tell which values are theirs
		}
		return &Merged{Text: []byte(theirs.text), Settled: len(merged.Conflicts)}, nil
	}
	if !m.options.Markers {
		all := lines.Split(ours.text)
		for i := range merged.Conflicts {
			if p := &merged.Conflicts[i].Pos; p.Line > len(all) {
				*p = positionIn(all, p.Line)
			}
		}
		return merged, nil
	}
	// Markers need the other side of each conflict: the same merge with theirs winning.
	theirs, err := m.side(mutation.Options{NoSubtraction: true, FindRenames: true})
	if err != nil || len(lost) > 0 ||
		slices.ContainsFunc(theirs.conflicts, mutation.Conflict.IsMissing) {
		// A line merge can show what values cannot, and loses nothing.
		if byLines := m.byLines(); len(byLines.Conflicts)+len(lost) > 0 {
			m.addConflicts(byLines, merged.Conflicts)
			return byLines, nil
		}
	}
	if err == nil {
		m.mark(merged, ours.text, theirs.text)
	}
	return merged, nil
}

// addConflicts adds to a line merge the conflicts that lines do not show.
func (m *textMerger) addConflicts(byLines *Merged, conflicts []Conflict) {
	to := newLineMap(lines.Split(string(m.ours)), lines.Split(string(byLines.Text)))
	shown := map[int]int{} // the lines of conflicts in our text and in the merged one
	for _, s := range slices.Backward(byLines.Conflicts) {
		shown[s.Ours.Line] = s.Pos.Line
	}
	for _, c := range conflicts {
		// The line merge shows conflicts of lines itself.
		if c.Value == nil && c.Lost == "" {
			continue
		}
		c.Pos = gaby.Position{Line: to.at(c.Ours.Line-1) + 1, Column: c.Ours.Column}
		if line, ok := shown[c.Ours.Line]; ok {
			c.Pos.Line = line
		}
		byLines.Conflicts = append(byLines.Conflicts, c)
	}
}

// side merges and settles conflicts as options say.
func (m *textMerger) side(options mutation.Options) (*side, error) {
	merged, conflicts, err := m.values(m.base, m.theirs, m.ours, options, false)
	if err != nil {
		return nil, err
	}
	s := &side{text: string(merged), conflicts: conflicts}
	return s, m.layout(s, len(conflicts) == 0, options)
}

// layout merges comments and layout into a side whose text has the right values. clean means that
// there were no conflicts about them.
func (m *textMerger) layout(s *side, clean bool, options mutation.Options) error {
	if clean {
		// Prefer the line merge that version control would make, if it is right.
		if text, clean := lines.MergeText(
			string(m.base), string(m.ours), string(m.theirs),
		); clean && m.sameValues([]byte(s.text), []byte(text)) {
			s.text = text
			return nil
		}
	}
	return m.rest(s, options)
}

// Layout gives merged, what mutation.Merge with the options values has made of three texts, the
// comments and the layout that Merge would give it. clean means that there were no conflicts about
// values. kept counts the places where both sides changed comments or layout, so that ours stay, and
// the comments that one side wrote in what the other deleted.
func Layout(
	base, ours, theirs, merged []byte, clean bool, converter configkit.ConfigConverter,
	provider configkit.ResourceProvider, values mutation.Options,
) (text []byte, kept int) {
	if bytes.Equal(base, theirs) || bytes.Equal(ours, theirs) ||
		provider.ToolchainType() == api.ToolchainAppConfigText {
		return merged, 0
	}
	if base, ours, theirs, end, ok := sameLineEnds(base, ours, theirs); ok {
		plain := bytes.ReplaceAll(merged, []byte("\r\n"), []byte("\n"))
		text, kept := Layout(base, ours, theirs, plain, clean, converter, provider, values)
		return bytes.ReplaceAll(text, []byte("\n"), end), kept
	}
	m := textMerger{base: base, ours: ours, theirs: theirs, converter: converter, provider: provider}
	s := &side{text: string(merged)}
	if err := m.layout(s, clean, values); err != nil {
		// Aliases can keep the base or theirs from being written.
		if both, ok := m.closeLines(); ok && m.sameValues(merged, both.Text) {
			return both.Text, 0
		}
		return merged, 1
	}
	return []byte(s.text), len(s.clashes) + len(m.lostComments(s))
}

// mostRespelled is the number of conflicting lines above which spelling is unlikely to be the cause.
const mostRespelled = 100

// rest merges comments and layout into a side after the line merge has failed.
func (m *textMerger) rest(s *side, options mutation.Options) error {
	ours, _, err := m.values(m.base, m.theirs, m.ours, options, true)
	if err != nil {
		return err
	}
	// The base gets the changes of both sides, and each side those of the other. Then all three
	// have the same values.
	base, _, err := m.values(m.base, m.theirs, m.base, mutation.Options{}, true)
	if err != nil {
		return err
	}
	if base, _, err = m.values(base, ours, base, mutation.Options{}, true); err != nil {
		return err
	}
	theirs, _, err := m.values(m.theirs, ours, m.theirs, mutation.Options{}, true)
	if err != nil {
		return err
	}
	as := threeTexts{base, ours, theirs}
	best := -1
	// Try the ways to merge the layout. Take the first without conflicts, else the one with the
	// fewest conflicting lines.
	for _, way := range []struct{ respelled, arranged bool }{
		{false, false}, {false, true}, {true, false}, {true, true},
	} {
		texts := as
		if way.respelled {
			if best < 0 || best > mostRespelled {
				break
			}
			texts = m.respelled(as)
		}
		if way.arranged {
			if len(m.base) == 0 {
				continue
			}
			var ok bool
			if texts, ok = m.inOneOrder(texts); !ok {
				continue
			}
		}
		for _, try := range texts.tries(len(m.base) == 0) {
			if way.respelled {
				try.both = m.oursIfBare
			}
			text, clashes := try.settle(options.NoSubtraction)
			if n := linesOf(clashes); (best < 0 || n < best) && m.sameValues(ours, []byte(text)) {
				best = n
				s.text, s.clashes, s.ours, s.theirs = text, clashes, try.ours, try.theirs
			}
			if best == 0 {
				return nil
			}
		}
	}
	if best > 0 {
		return nil
	}
	// No way gave the right values. Keep our layout, and report their differences as conflicts.
	s.ours, s.theirs = lines.Split(s.text), lines.Split(string(theirs))
	s.clashes = differences(lines.Split(string(base)), s.ours, s.theirs)
	if options.NoSubtraction {
		s.text = string(theirs)
	}
	return nil
}

// values merges three texts by value and returns the edited target. A bare merge leaves out
// comments and conflicts.
func (m *textMerger) values(
	base, source, target []byte, options mutation.Options, bare bool,
) ([]byte, []mutation.Conflict, error) {
	var docs [4]gaby.Container
	// The target is parsed twice: one copy is edited, the other one is compared with the base.
	for i, text := range [][]byte{base, source, target, target} {
		var err error
		if docs[i], err = m.converter.NativeToDocuments(text); err != nil {
			return nil, nil, err
		}
		for _, doc := range docs[i] {
			if err := doc.Check(); err != nil {
				return nil, nil, err
			}
			if v := doc.Value(); v.Kind() == gaby.Scalar && v.Tag() == "!!str" {
				return nil, nil, errPlainText
			}
		}
	}
	options.Bare = bare
	merged, conflicts, err := mutation.MergeLocated(
		docs[0], docs[1], docs[2], docs[3], m.provider, options, lines.Split(string(m.ours)),
		lines.Split(string(m.theirs)),
	)
	if err != nil {
		return nil, nil, err
	}
	text, err := m.converter.DocumentsToNative(merged)
	return text, conflicts, err
}

// errPlainText reports that a document is not a configuration: any plain text is also YAML.
var errPlainText = errors.New("this is plain text")

// sameValues reports whether text can be read and has the same values as want.
func (m *textMerger) sameValues(want, text []byte) bool {
	if bytes.Equal(want, text) {
		return true
	}
	a, err := m.converter.NativeToDocuments(want)
	b, errB := m.converter.NativeToDocuments(text)
	if err != nil || errB != nil {
		return false
	}
	// A merge must not introduce duplicate keys: readers see only one of them.
	repeats := slices.ContainsFunc(a, (*gaby.YamlDoc).HasDuplicateKeys)
	for _, doc := range b {
		if doc.Check() != nil || doc.HasDuplicateKeys() && !repeats {
			return false
		}
	}
	same, err := mutation.Equal(a, b, m.provider)
	return err == nil && same
}

// lostComments returns the comments that one side wrote in something that the other side deleted or
// replaced.
func (m *textMerger) lostComments(s *side) []string {
	kept := map[string]bool{}
	keep := func(text string) {
		for l := range strings.Lines(text) {
			kept[commentIn(l)] = true
		}
	}
	keep(string(m.base))
	keep(s.text)
	for _, c := range s.clashes {
		keep(strings.Join(c.ours, ""))
		keep(strings.Join(c.theirs, ""))
	}
	var lost []string
	for _, text := range [][]byte{m.ours, m.theirs} {
		for l := range strings.Lines(string(text)) {
			if comment := commentIn(l); comment != "" && !kept[comment] {
				kept[comment] = true // report it once
				lost = append(lost, comment)
			}
		}
	}
	return lost
}

// commentIn returns what looks like a comment in a line, or "". Comment marks of all formats count
// at the beginning of a line, # also after a blank.
func commentIn(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"#", "//", ";", "!", "/*"} {
		if strings.HasPrefix(line, mark) {
			return line
		}
	}
	if i := strings.Index(line, " #"); i >= 0 {
		return line[i+1:]
	}
	return ""
}

// conflicts returns the conflicts of a side with their positions.
func (m *textMerger) conflicts(s *side, lost []string) ([]Conflict, error) {
	docs, err := m.converter.NativeToDocuments([]byte(s.text))
	if err != nil {
		return nil, err
	}
	positions, err := mutation.PositionsIn(docs, s.conflicts, m.provider)
	if err != nil {
		return nil, err
	}
	merged, ours, theirs := lines.Split(s.text), lines.Split(string(m.ours)),
		lines.Split(string(m.theirs))
	// Positions that are known only in our text are mapped by comparing lines.
	toMerged, inMerged := newLineMap(ours, merged), newLineIndex(merged)
	moved := func(p gaby.Position) gaby.Position {
		row := max(0, min(p.Line, len(ours))-1)
		return gaby.Position{
			Line:   inMerged.nearest(ours[row:min(row+1, len(ours))], toMerged.at(row)) + 1,
			Column: p.Column,
		}
	}
	var all []Conflict
	for i := range s.conflicts {
		c := &s.conflicts[i]
		value := c.Mutation()
		t := Conflict{
			Value: &value, Lines: c.Lines(), Ours: c.Ours, Theirs: c.Theirs, Pos: positions[i],
		}
		if t.Pos.Line == 0 {
			t.Pos = moved(c.Ours)
		}
		all = append(all, t)
	}
	toOurs, toTheirs := newLineMap(s.ours, ours), newLineMap(s.theirs, theirs)
	inOurs, inTheirs := newLineIndex(ours), newLineIndex(theirs)
	for _, c := range s.clashes {
		all = append(all, Conflict{
			Lines: c.theirs, Pos: linePosition(c.line),
			Ours:   linePosition(inOurs.nearest(c.ours, toOurs.at(c.lineOurs))),
			Theirs: linePosition(inTheirs.nearest(c.theirs, toTheirs.at(c.lineTheirs))),
		})
	}
	between := newLineMap(theirs, ours)
	commentsOurs, commentsTheirs := commentLines(ours), commentLines(theirs)
	for _, comment := range lost {
		t := Conflict{Lost: comment}
		if line, ok := commentsOurs[comment]; ok {
			t.Ours = linePosition(line)
		} else {
			line = commentsTheirs[comment]
			t.Theirs, t.Ours = linePosition(line), linePosition(between.at(line))
		}
		t.Pos = moved(t.Ours)
		all = append(all, t)
	}
	return all, nil
}

// commentLines returns the index of the first line with each comment.
func commentLines(text []string) map[string]int {
	at := map[string]int{}
	for i, l := range slices.Backward(text) {
		at[commentIn(l)] = i
	}
	return at
}
