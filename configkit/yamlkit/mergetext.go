package yamlkit

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
	"github.com/fctl-dev/fctl/functions/api"
)

// MergeTextOptions say how a merge of texts shows conflicts.
type MergeTextOptions struct {
	// Markers puts both sides of a conflict into the text, between lines such as <<<<<<<. Otherwise ours stands there, and theirs is in
	// the list of conflicts only.
	Markers bool
	// MarkerSize is how many characters markers have; 0 is 7.
	MarkerSize int
	// Ours and Theirs are what is written behind the markers.
	Ours, Theirs string
}

// MergedText is what a merge of texts has made.
type MergedText struct {
	Text      []byte
	Conflicts []TextConflict // in the order of the text, as far as they have a place in it
	// ByLines tells why the texts were merged line by line, as texts that mean nothing: one of them could not be read, or what was
	// to be written could not be. nil when they were merged by their values.
	ByLines error
}

// TextConflict is something that was not merged.
type TextConflict struct {
	// Pos is where it is in the merged text; the line is 0 when there is no such place.
	Pos gaby.Position
	// Value is what was to be done with a value. The target is ours.
	Value *api.MutationConflict
	// Lines are lines of theirs that stand in the text between markers only: comments, layout, or any when the texts were merged
	// line by line. Of a conflict about a value there are none.
	Lines []string
	// Lost is a comment that one side has written in what the other one has deleted or replaced.
	Lost string
}

// MergeTexts merges what two people, us and them, made of one text. Our text is changed, and no more than it has to be:
//
//   - Values are merged as MergeUnits does it; what we have changed stays also in what they have deleted.
//   - Comments, blank lines, the order of keys, quotes, indentation, what else there is to a text: where they have changed something
//     there and we have not, theirs is taken.
//
// Where one side has changed nothing, the result is the other side's text. Nothing of either is lost: where both sides have changed the
// same, in different ways, there is a conflict. What cannot be merged so is merged line by line.
//
// It works by making the other two texts say what the merged one says, each by edits of its own: then all differences that are left are
// such that do not count as values, and a merge of lines can have them. What it makes is accepted when it has the values it should have.
func MergeTexts(base, ours, theirs []byte, converter configkit.ConfigConverter, provider configkit.ResourceProvider, options MergeTextOptions) *MergedText {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return &MergedText{Text: ours}
	case bytes.Equal(base, ours):
		return &MergedText{Text: theirs}
	case provider.ToolchainType() == api.ToolchainAppConfigText:
		return MergeLines(base, ours, theirs, options)
	}
	m := textMerger{base: base, ours: ours, theirs: theirs, converter: converter, provider: provider, options: options}
	merged, err := m.byValues()
	if err != nil {
		merged = m.byLines()
		merged.ByLines = err
	}
	return merged
}

type textMerger struct {
	base, ours, theirs []byte
	converter          configkit.ConfigConverter
	provider           configkit.ResourceProvider
	options            MergeTextOptions
}

// side is one way to settle all conflicts: so that ours stays, or so that theirs is taken.
type side struct {
	text      string
	conflicts []conflict // of values
	clashes   []clash    // of everything else
}

// clash is a place where both sides have changed what does not count as a value.
type clash struct {
	line          int // in the text, from 0
	ours, theirs  []string
	withoutPlaces bool // it is about the whole text
}

func (m *textMerger) byValues() (*MergedText, error) {
	ours, err := m.side(MergeOptions{KeepChanged: true})
	if err != nil {
		return nil, err
	}
	lost := m.lostComments(ours)
	if len(ours.conflicts)+len(ours.clashes)+len(lost) == 0 {
		return &MergedText{Text: []byte(ours.text)}, nil
	}
	merged := &MergedText{Text: []byte(ours.text)}
	if merged.Conflicts, err = m.told(ours, lost); err != nil {
		return nil, err
	}
	if !m.options.Markers {
		return merged, nil
	}
	theirs, err := m.side(MergeOptions{NoSubtraction: true})
	if err != nil || len(lost) > 0 || theirs.isMissing() {
		// Lines show what values cannot.
		if byLines := m.byLines(); len(byLines.Conflicts) > 0 {
			for _, c := range merged.Conflicts {
				if c.Value != nil || c.Lost != "" {
					c.Pos = gaby.Position{} // it was another text
					byLines.Conflicts = append(byLines.Conflicts, c)
				}
			}
			return byLines, nil
		}
	}
	if err != nil {
		return nil, err
	}
	m.mark(merged, ours.text, theirs.text)
	return merged, nil
}

// isMissing tells whether there is something in theirs that the text has no place for.
func (s *side) isMissing() bool {
	for _, c := range s.conflicts {
		if c.reason == api.ConflictUnresolvedPath {
			return true
		}
	}
	return false
}

// side merges.
func (m *textMerger) side(options MergeOptions) (*side, error) {
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
func (m *textMerger) rest(s *side, options MergeOptions) error {
	ours, _, err := m.values(m.base, m.theirs, m.ours, options, true)
	if err != nil {
		return err
	}
	// The base with our and their values. Theirs come first, as they do in theirs: so what both have added stands in the same order.
	base, _, err := m.values(m.base, m.theirs, m.base, MergeOptions{}, true)
	if err != nil {
		return err
	}
	if base, _, err = m.values(base, ours, base, MergeOptions{}, true); err != nil {
		return err
	}
	theirs, _, err := m.values(m.theirs, ours, m.theirs, MergeOptions{}, true)
	if err != nil {
		return err
	}
	b, o, t := lines.Split(string(base)), lines.Split(string(ours)), lines.Split(string(theirs))
	chunks := lines.Merge(b, o, t)
	for _, both := range []func(lines.Chunk) ([]string, bool){bothLines, neither} {
		text, clashes := settle(chunks, both, options.NoSubtraction)
		if m.sameValues(ours, []byte(text)) {
			s.text, s.clashes = text, clashes
			return nil
		}
	}
	s.clashes = []clash{{ours: o, theirs: t, withoutPlaces: true}}
	if options.NoSubtraction {
		s.text = string(theirs)
	}
	return nil
}

// settle puts chunks together. Those in conflict are settled so that both sides have their way, where that is possible; else one side
// has its.
func settle(chunks []lines.Chunk, both func(lines.Chunk) ([]string, bool), theirs bool) (text string, clashes []clash) {
	var b strings.Builder
	line := 0
	for _, c := range chunks {
		put := c.Lines
		if c.Conflict {
			var ok bool
			if put, ok = both(c); !ok {
				clashes = append(clashes, clash{line: line, ours: c.Ours, theirs: c.Theirs})
				put = c.Ours
				if theirs {
					put = c.Theirs
				}
			}
		}
		for _, l := range put {
			b.WriteString(l)
		}
		line += len(put)
	}
	return b.String(), clashes
}

// neither settles no conflict.
func neither(lines.Chunk) ([]string, bool) { return nil, false }

// bothLines settles a conflict where lines can be taken for themselves: they say the same on both sides, and what does not count as a
// value seldom depends on its neighbours.
func bothLines(c lines.Chunk) ([]string, bool) {
	head := 0
	for head < len(c.Ours) && head < len(c.Theirs) && c.Ours[head] == c.Theirs[head] {
		head++
	}
	tail := 0
	for tail < len(c.Ours)-head && tail < len(c.Theirs)-head && c.Ours[len(c.Ours)-1-tail] == c.Theirs[len(c.Theirs)-1-tail] {
		tail++
	}
	ours, theirs := c.Ours[head:len(c.Ours)-tail], c.Theirs[head:len(c.Theirs)-tail]
	var put []string
	switch {
	case slices.Equal(theirs, c.Base):
		put = ours
	case slices.Equal(ours, c.Base):
		put = theirs
	default:
		for _, part := range lines.MergeClose(c.Base, c.Ours, c.Theirs) {
			if part.Conflict {
				var ok bool
				if part.Lines, ok = bothAdditions(part); !ok {
					return nil, false
				}
			}
			put = append(put, part.Lines...)
		}
		return put, true
	}
	return slices.Concat(c.Ours[:head], put, c.Ours[len(c.Ours)-tail:]), true
}

// bothAdditions settles a conflict where both have replaced lines one by one, or have added comments.
func bothAdditions(c lines.Chunk) ([]string, bool) {
	if len(c.Base) == len(c.Ours) && len(c.Base) == len(c.Theirs) {
		put := make([]string, len(c.Base))
		for i := range c.Base {
			switch {
			case c.Ours[i] == c.Theirs[i], c.Theirs[i] == c.Base[i]:
				put[i] = c.Ours[i]
			case c.Ours[i] == c.Base[i]:
				put[i] = c.Theirs[i]
			default:
				return nil, false
			}
		}
		return put, true
	}
	switch {
	case len(c.Base) > 0:
		return nil, false
	case contains(c.Ours, c.Theirs):
		return c.Ours, true
	case contains(c.Theirs, c.Ours):
		return c.Theirs, true
	case onlyComments(c.Ours) && !onlyComments(c.Theirs):
		return slices.Concat(c.Theirs, c.Ours), true // comments stay with what follows
	}
	return slices.Concat(c.Ours, c.Theirs), onlyComments(c.Ours) || onlyComments(c.Theirs)
}

// contains tells whether some lines of a text are part.
func contains(text, part []string) bool {
	return strings.Contains("\n"+strings.Join(text, ""), "\n"+strings.Join(part, ""))
}

// onlyComments tells whether lines hold nothing but comments.
func onlyComments(list []string) bool {
	for _, l := range list {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

// values merges three texts by their values alone and prints the result: the target with edits. Bare edits bring no comments along.
func (m *textMerger) values(base, source, target []byte, options MergeOptions, bare bool) ([]byte, []conflict, error) {
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
	units := merger{provider: m.provider, options: options, bare: bare, restore: options.NoSubtraction}
	once, err := units.units(docs[0], docs[1], docs[2], docs[3])
	if err != nil {
		return nil, nil, err
	}
	text, err := m.converter.DocumentsToNative(once.docs)
	return text, slices.DeleteFunc(once.conflicts.list, conflict.isAgreed), err
}

// errPlainText tells that a document is no configuration: whatever is text is YAML, too.
var errPlainText = errors.New("this is plain text")

// isAgreed tells of a conflict that it is none for people: both sides have deleted something, one of them with what is around it.
func (c conflict) isAgreed() bool {
	return c.source.op == api.MutationTypeDelete && c.target != nil && c.target.op == api.MutationTypeDelete
}

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
	changes, err := diffUnits(a, b, m.provider, diffOptions{})
	if err != nil {
		return false
	}
	for _, c := range changes {
		if c.op != api.MutationTypeNone {
			return false
		}
	}
	return true
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

// told are the conflicts of a side with their places in its text.
func (m *textMerger) told(s *side, lost []string) ([]TextConflict, error) {
	docs, err := m.converter.NativeToDocuments([]byte(s.text))
	if err != nil {
		return nil, err
	}
	known, err := unitDocuments(docs, docs, m.provider)
	if err != nil {
		return nil, err
	}
	find := newFinder(known, m.provider,
		func(d unitDocument) *api.ResourceInfo { return &d.info },
		func(unitDocument) []api.ResourceName { return nil })
	var told []TextConflict
	all := conflicts{list: s.conflicts}
	for i, value := range all.mutations() {
		c := TextConflict{Value: &value}
		if at := find.find(&s.conflicts[i].resource, s.conflicts[i].of.names); at >= 0 {
			c.Pos = placeOf(known[at].YamlDoc, s.conflicts[i].path)
		}
		told = append(told, c)
	}
	for _, c := range s.clashes {
		t := TextConflict{Lines: c.theirs}
		if !c.withoutPlaces {
			t.Pos = gaby.Position{Line: c.line + 1, Column: 1}
		}
		told = append(told, t)
	}
	for _, comment := range lost {
		told = append(told, TextConflict{Lost: comment})
	}
	return told, nil
}

// placeOf is where in a document a path leads, as far as it leads anywhere.
func placeOf(doc *gaby.YamlDoc, path mutationPath) gaby.Position {
	v := doc.Value()
	pos := v.Position()
	for _, s := range path {
		if v = findChild(v, s); !v.Exists() {
			break
		}
		if pos = v.KeyPosition(); pos.Line == 0 {
			pos = v.Position()
		}
	}
	return pos
}

// mark puts both sides of conflicts into the text.
func (m *textMerger) mark(merged *MergedText, ours, theirs string) {
	text, lineOf := m.marked(lines.Split(ours), lines.Split(theirs))
	merged.Text = []byte(text)
	for i := range merged.Conflicts {
		if p := &merged.Conflicts[i].Pos; p.Line > 0 {
			p.Line = lineOf[min(p.Line, len(lineOf))-1] + 1
		}
	}
}

// marked is a text with markers where two sides differ, and which of its lines those of ours are, with one more for its end.
func (m *textMerger) marked(ours, theirs []string) (text string, lineOf []int) {
	var out strings.Builder
	at, line := 0, 0
	keep := func(to int) {
		for ; at < to; at++ {
			out.WriteString(ours[at])
			lineOf = append(lineOf, line)
			line++
		}
	}
	for _, h := range lines.Diff(ours, theirs) {
		keep(h.From)
		m.conflict(&out, ours[h.From:h.To], theirs[h.NewFrom:h.NewTo])
		for ; at < h.To; at++ {
			line++
			lineOf = append(lineOf, line)
		}
		line += 3 + h.NewTo - h.NewFrom
	}
	keep(len(ours))
	return out.String(), append(lineOf, line)
}

// conflict writes both sides of a conflict.
func (m *textMerger) conflict(out *strings.Builder, ours, theirs []string) {
	size := m.options.MarkerSize
	if size <= 0 {
		size = 7
	}
	end := "\n"
	for _, l := range append(ours[:len(ours):len(ours)], theirs...) {
		if strings.HasSuffix(l, "\r\n") {
			end = "\r\n"
		}
	}
	marker := func(c, label string) {
		if label != "" {
			label = " " + label
		}
		out.WriteString(strings.Repeat(c, size) + label + end)
	}
	put := func(list []string) {
		for _, l := range list {
			out.WriteString(l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString(end)
			}
		}
	}
	marker("<", m.options.Ours)
	put(ours)
	marker("=", "")
	put(theirs)
	marker(">", m.options.Theirs)
}

// MergeLines merges what two people made of a text line by line, whatever it is.
func MergeLines(base, ours, theirs []byte, options MergeTextOptions) *MergedText {
	m := textMerger{base: base, ours: ours, theirs: theirs, options: options}
	return m.byLines()
}

func (m *textMerger) byLines() *MergedText {
	merged := &MergedText{}
	var out strings.Builder
	line := 1
	for _, c := range lines.Merge(lines.Split(string(m.base)), lines.Split(string(m.ours)), lines.Split(string(m.theirs))) {
		text := strings.Join(c.Lines, "")
		if c.Conflict {
			merged.Conflicts = append(merged.Conflicts, TextConflict{Pos: gaby.Position{Line: line, Column: 1}, Lines: c.Theirs})
			if text = strings.Join(c.Ours, ""); m.options.Markers {
				text, _ = m.marked(c.Ours, c.Theirs)
			}
		}
		out.WriteString(text)
		line += strings.Count(text, "\n")
	}
	merged.Text = []byte(out.String())
	return merged
}
