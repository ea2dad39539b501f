// Package textmerge merges three texts of a configuration: by their values first, with package mutation, and by lines where only comments
// and layout differ.
//
// # Invariants
//
//   - A text without conflicts has the values that mutation.Merge gives.
//   - No comment is lost without a conflict that says so.
package textmerge

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// Options say how a merge of texts shows conflicts.
type Options struct {
	// Markers puts both sides of a conflict into the text, between lines such as <<<<<<<. Otherwise ours stands there, and theirs is in
	// the list of conflicts only.
	Markers bool
	// MarkerSize is how many characters markers have; 0 is 7.
	MarkerSize int
	// Ours and Theirs are what is written behind the markers.
	Ours, Theirs string
}

// Merged is what a merge of texts has made.
type Merged struct {
	Text      []byte
	Conflicts []Conflict // in the order of the text, as far as they have a place in it
	// ByLines tells why the texts were merged line by line, as texts that mean nothing: one of them could not be read, or what was
	// to be written could not be. nil when they were merged by their values.
	ByLines error
}

// Conflict is something that was not merged.
type Conflict struct {
	// Pos is where it is in the merged text, Ours in our text: where what it is about stands, or would stand if it is not there. Theirs is
	// where that is in their text; the line is 0 when it is not there.
	Pos, Ours, Theirs gaby.Position
	// Value is what was to be done with a value. The target is ours.
	Value *api.MutationConflict
	// Lines are lines of theirs that stand in the text between markers only: comments, layout, or any when the texts were merged
	// line by line. Of a conflict about a value they are what the value does not tell on one line.
	Lines []string
	// Lost is a comment that one side has written in what the other one has deleted or replaced.
	Lost string
}

// Merge merges what two people, us and them, made of one text. Our text is changed, and no more than it has to be:
//
//   - Values are merged as Merge does it; what we have changed stays also in what they have deleted.
//   - Comments, blank lines, the order of keys, quotes, indentation, what else there is to a text: where they have changed something
//     there and we have not, theirs is taken.
//
// Where one side has changed nothing, the result is the other side's text. Nothing of either is lost: where both sides have changed the
// same, in different ways, there is a conflict. What cannot be merged so is merged line by line.
//
// It works by making the other two texts say what the merged one says, each by edits of its own: then all differences that are left are
// such that do not count as values, and a merge of lines can have them. What it makes is accepted when it has the values it should have.
func Merge(base, ours, theirs []byte, converter configkit.ConfigConverter, provider configkit.ResourceProvider, options Options) *Merged {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return &Merged{Text: ours}
	case bytes.Equal(base, ours):
		return &Merged{Text: theirs}
	case provider.ToolchainType() == api.ToolchainAppConfigText:
		return MergeLines(base, ours, theirs, options)
	}
	if base, ours, theirs, end, ok := sameLineEnds(base, ours, theirs); ok {
		merged := Merge(base, ours, theirs, converter, provider, options)
		merged.Text = bytes.ReplaceAll(merged.Text, []byte("\n"), end)
		return merged
	}
	m := textMerger{base: base, ours: ours, theirs: theirs, converter: converter, provider: provider, options: options}
	merged, err := m.byValues()
	if err != nil {
		// What can be read stays so, but for markers. Where theirs cannot be read, a text that is clean can be as they have it.
		merged = m.byLines()
		clean := len(merged.Conflicts) == 0
		if (clean && m.isSound(theirs) || !clean && !options.Markers) && m.isSound(ours) && !m.isSound(merged.Text) {
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

// isSound tells whether a text can be read, and repeats no keys.
func (m *textMerger) isSound(text []byte) bool {
	docs, err := m.converter.NativeToDocuments(text)
	return err == nil && !slices.ContainsFunc(docs, func(d *gaby.YamlDoc) bool { return d.Check() != nil || d.Value().MayRepeatKeys() })
}

// apart is a merge of texts whose lines do not go together, although none meet: all they have changed is in conflict where it is not ours.
func (m *textMerger) apart() *Merged {
	base, ours, theirs := lines.Split(string(m.base)), lines.Split(string(m.ours)), lines.Split(string(m.theirs))
	merged := &Merged{Text: m.ours}
	for _, c := range differences(base, ours, theirs) {
		t := Conflict{Lines: c.theirs, Ours: positionIn(ours, c.line), Theirs: positionIn(theirs, c.lineTheirs)}
		t.Pos = t.Ours
		merged.Conflicts = append(merged.Conflicts, t)
	}
	if m.options.Markers {
		m.mark(merged, string(m.ours), string(m.theirs))
	}
	return merged
}

type textMerger struct {
	base, ours, theirs []byte
	converter          configkit.ConfigConverter
	provider           configkit.ResourceProvider
	options            Options
}

// side is one way to settle all conflicts: so that ours stays, or so that theirs is taken.
type side struct {
	text      string
	conflicts []mutation.PlacedConflict // of values
	clashes   []clash                   // of everything else
	ours      []string                  // our lines with the values of the side, which those of clashes are
	theirs    []string                  // theirs
}

// clash is a place where both sides have changed what does not count as a value.
type clash struct {
	line         int // in the text, from 0
	ours, theirs []string
	lineOurs     int // in the lines of the side
	lineTheirs   int
}

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
	if merged.Conflicts, err = m.told(ours, lost); err != nil {
		return nil, err
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
	theirs, err := m.side(mutation.Options{NoSubtraction: true, FindRenames: true})
	if err != nil || len(lost) > 0 || theirs.isMissing() {
		// Lines show what values cannot, and lose nothing.
		if byLines := m.byLines(); len(byLines.Conflicts)+len(lost) > 0 {
			m.tellMore(byLines, merged.Conflicts)
			return byLines, nil
		}
	}
	if err == nil {
		m.mark(merged, ours.text, theirs.text)
	}
	return merged, nil
}

// tellMore adds to what was merged line by line the conflicts that lines do not show.
func (m *textMerger) tellMore(byLines *Merged, conflicts []Conflict) {
	to := newLineMap(lines.Split(string(m.ours)), lines.Split(string(byLines.Text)))
	shown := byLines.Conflicts
	for _, c := range conflicts {
		if c.Value == nil && c.Lost == "" {
			continue
		}
		c.Pos = gaby.Position{Line: to.at(c.Ours.Line-1) + 1, Column: c.Ours.Column}
		if i := slices.IndexFunc(shown, func(s Conflict) bool { return s.Ours.Line == c.Ours.Line }); i >= 0 {
			c.Pos.Line = shown[i].Pos.Line
		}
		byLines.Conflicts = append(byLines.Conflicts, c)
	}
}

// isMissing tells whether there is something in theirs that the text has no place for.
func (s *side) isMissing() bool {
	for _, c := range s.conflicts {
		if c.IsMissing() {
			return true
		}
	}
	return false
}

// side merges.
func (m *textMerger) side(options mutation.Options) (*side, error) {
	merged, conflicts, err := m.values(m.base, m.theirs, m.ours, options, false)
	if err != nil {
		return nil, err
	}
	s := &side{text: string(merged), conflicts: conflicts}
	if len(conflicts) == 0 {
		// As everybody knows it from version control, as long as that is right.
		if text, clean := lines.MergeText(string(m.base), string(m.ours), string(m.theirs)); clean && m.sameValues(merged, []byte(text)) {
			s.text = text
			return s, nil
		}
	}
	return s, m.rest(s, options)
}

// rest merges all that does not count as a value into a side whose text has the right values.
func (m *textMerger) rest(s *side, options mutation.Options) error {
	ours, _, err := m.values(m.base, m.theirs, m.ours, options, true)
	if err != nil {
		return err
	}
	// The base gets what both have changed, the other texts what the other one has changed.
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
	for _, arranged := range []bool{false, true} {
		texts := as
		if arranged {
			if len(m.base) == 0 {
				break
			}
			texts = m.inOneOrder(as)
		}
		for _, try := range texts.tries(len(m.base) == 0) {
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
	s.ours, s.theirs = lines.Split(s.text), lines.Split(string(theirs))
	s.clashes = differences(lines.Split(string(base)), s.ours, s.theirs)
	if options.NoSubtraction {
		s.text = string(theirs)
	}
	return nil
}

// values merges three texts by their values alone and prints the result: the target with edits. Bare edits bring no comments along.
func (m *textMerger) values(base, source, target []byte, options mutation.Options, bare bool) ([]byte, []mutation.PlacedConflict, error) {
	var docs [4]gaby.Container
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
	var merged gaby.Container
	var conflicts []mutation.PlacedConflict
	var err error
	if bare {
		merged, err = mutation.MergeValues(docs[0], docs[1], docs[2], docs[3], m.provider, options)
	} else {
		merged, conflicts, err = mutation.MergePlaced(docs[0], docs[1], docs[2], docs[3], m.provider, options, lines.Split(string(m.ours)), lines.Split(string(m.theirs)))
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := m.converter.DocumentsToNative(merged)
	return text, conflicts, err
}

// errPlainText tells that a document is no configuration: whatever is text is YAML, too.
var errPlainText = errors.New("this is plain text")

// sameValues tells whether a text can be read and says what another one says.
func (m *textMerger) sameValues(want, text []byte) bool {
	if bytes.Equal(want, text) {
		return true
	}
	a, err := m.converter.NativeToDocuments(want)
	b, errB := m.converter.NativeToDocuments(text)
	if err != nil || errB != nil {
		return false
	}
	repeats := false
	for _, doc := range a {
		repeats = repeats || doc.Value().MayRepeatKeys()
	}
	for _, doc := range b {
		if doc.Check() != nil || doc.Value().MayRepeatKeys() && !repeats {
			return false
		}
	}
	same, err := mutation.Equal(a, b, m.provider)
	return err == nil && same
}

// lostComments are comments that one side has written in what the other has deleted or replaced.
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
				kept[comment] = true // once is enough
				lost = append(lost, comment)
			}
		}
	}
	return lost
}

// commentIn is what looks like a comment on a line, "" when nothing does. Formats have different marks at the beginning of a line.
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

// told are the conflicts of a side with their places.
func (m *textMerger) told(s *side, lost []string) ([]Conflict, error) {
	docs, err := m.converter.NativeToDocuments([]byte(s.text))
	if err != nil {
		return nil, err
	}
	positions, err := mutation.PositionsIn(docs, s.conflicts, m.provider)
	if err != nil {
		return nil, err
	}
	merged, ours, theirs := lines.Split(s.text), lines.Split(string(m.ours)), lines.Split(string(m.theirs))
	toMerged := newLineMap(ours, merged)
	moved := func(p gaby.Position) gaby.Position {
		row := max(0, min(p.Line, len(ours))-1)
		return gaby.Position{Line: nearest(merged, ours[row:min(row+1, len(ours))], toMerged.at(row)) + 1, Column: p.Column}
	}
	var told []Conflict
	for i := range s.conflicts {
		c := &s.conflicts[i]
		value := c.Mutation()
		t := Conflict{Value: &value, Lines: c.Lines(), Ours: c.Ours, Theirs: c.Theirs, Pos: positions[i]}
		if t.Pos.Line == 0 {
			t.Pos = moved(c.Ours)
		}
		told = append(told, t)
	}
	toOurs, toTheirs := newLineMap(s.ours, ours), newLineMap(s.theirs, theirs)
	for _, c := range s.clashes {
		told = append(told, Conflict{
			Lines: c.theirs, Pos: linePosition(c.line),
			Ours:   linePosition(nearest(ours, c.ours, toOurs.at(c.lineOurs))),
			Theirs: linePosition(nearest(theirs, c.theirs, toTheirs.at(c.lineTheirs))),
		})
	}
	between := newLineMap(theirs, ours)
	for _, comment := range lost {
		t := Conflict{Lost: comment}
		if line := lineWith(ours, comment); line >= 0 {
			t.Ours = linePosition(line)
		} else {
			line = lineWith(theirs, comment)
			t.Theirs, t.Ours = linePosition(line), linePosition(between.at(line))
		}
		t.Pos = moved(t.Ours)
		told = append(told, t)
	}
	return told, nil
}

// lineWith is the first line with a comment, -1 when there is none.
func lineWith(text []string, comment string) int {
	return slices.IndexFunc(text, func(l string) bool { return commentIn(l) == comment })
}
