package textmerge

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/lines"
)

// Changes to the layout of a whole text are undone before lines are compared: newline style, the
// missing newline at the end, indentation, the order of documents. Otherwise both sides would have
// changed every line, or whole documents.

// sameLineEnds returns the texts with plain newlines, and the line end of the merged text. ok is
// false if a text mixes line ends or all texts have the same.
func sameLineEnds(base, ours, theirs []byte) (b, o, t, end []byte, ok bool) {
	var returns [3]bool
	for i, text := range [][]byte{base, ours, theirs} {
		n := bytes.Count(text, []byte("\r\n"))
		if n > 0 && n != bytes.Count(text, []byte("\n")) {
			return nil, nil, nil, nil, false
		}
		returns[i] = n > 0
	}
	if len(base) == 0 {
		returns[0] = returns[2] // without a base, ours stay
	}
	if returns[0] == returns[1] && returns[1] == returns[2] {
		return nil, nil, nil, nil, false
	}
	// As with all layout, the side that changed the line ends wins.
	end = []byte("\n")
	if returns[0] == returns[1] && returns[2] || returns[0] != returns[1] && returns[1] {
		end = []byte("\r\n")
	}
	bare := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
	return bare(base), bare(ours), bare(theirs), end, true
}

// threeTexts are base, ours and theirs, with the same values in different layouts.
type threeTexts [3][]byte

// respelled restores the blanks and quotes of lines that were copied by value from the other side.
func (m *textMerger) respelled(texts threeTexts) threeTexts {
	sides := [][]string{lines.Split(string(m.ours)), lines.Split(string(m.theirs))}
	key := func(line string) string { return strconv.Itoa(lines.Indentation(line)) + bare(line) }
	spelled := map[string]string{}
	for _, side := range slices.Backward(sides) { // ours win
		for _, line := range side {
			spelled[key(line)] = line
		}
	}
	for i, own := range [][]byte{m.base, m.ours, m.theirs} {
		has := map[string]bool{}
		for _, line := range lines.Split(string(own)) {
			has[line] = true
		}
		all := lines.Split(string(texts[i]))
		for k, line := range all {
			if as, ok := spelled[key(line)]; ok && !has[line] {
				all[k] = as
			}
		}
		texts[i] = []byte(strings.Join(all, ""))
	}
	return texts
}

// spellings removes blanks and quotes, and writes = for a colon.
//
//nolint:gochecknoglobals // made once, for the first conflict
var spellings = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "", ":", "=")
})

// bare returns a line without blanks and quotes, so that two spellings of an entry are equal.
func bare(line string) string { return spellings().Replace(line) }

// oursIfBare takes our lines if theirs differ only in spelling, and one side has lines that were
// copied by value.
func (m *textMerger) oursIfBare(c lines.Chunk) ([]string, bool) {
	if both, ok := bothLines(c); ok {
		return both, true
	}
	got := !bytes.Contains(m.ours, []byte(strings.Join(c.Ours, ""))) ||
		!bytes.Contains(m.theirs, []byte(strings.Join(c.Theirs, "")))
	return c.Ours, got && bare(strings.Join(c.Ours, "")) == bare(strings.Join(c.Theirs, ""))
}

// inOneOrder puts documents and map keys of all three texts into the order of the side that changed
// it. ok is false if they cannot be ordered.
func (m *textMerger) inOneOrder(texts threeTexts) (put threeTexts, ok bool) {
	var docs [3]map[string]*gaby.YamlDoc
	var order [3][]string
	for i, text := range texts {
		all, err := m.converter.NativeToDocuments(text)
		if err != nil {
			return put, false
		}
		known, err := mutation.Documents(all, all, m.provider)
		if err != nil || len(known) < len(all) {
			return put, false
		}
		docs[i] = map[string]*gaby.YamlDoc{}
		for _, d := range known {
			name := string(d.Info.ResourceType) + "#" + string(d.Info.ResourceName)
			if docs[i][name] != nil || !d.IsDocument() {
				return put, false
			}
			docs[i][name] = d.YamlDoc
			order[i] = append(order[i], name)
		}
	}
	if !sameSet(order) {
		return put, false
	}
	for _, name := range order[1] {
		of := [3]*gaby.YamlDoc{docs[0][name], docs[1][name], docs[2][name]}
		arrangeKeys(of, [3]gaby.Value{of[0].Value(), of[1].Value(), of[2].Value()}, nil)
	}
	want, one := oneOrder(order)
	for i := range put {
		if !one {
			want = order[i]
		}
		var all gaby.Container
		for _, name := range want {
			all = append(all, docs[i][name])
		}
		var err error
		if put[i], err = m.converter.DocumentsToNative(all); err != nil {
			return put, false
		}
	}
	return put, true
}

// oneOrder picks from the orders of base, ours and theirs the one that a side changed, or ours if
// neither or both did. ok is false if the sides changed the order in different ways.
func oneOrder(order [3][]string) (want []string, ok bool) {
	if slices.Equal(order[0], order[1]) {
		return order[2], true
	}
	return order[1], slices.Equal(order[0], order[2]) || slices.Equal(order[1], order[2])
}

// sameSet reports whether lists without duplicates have the same elements.
func sameSet(lists [3][]string) bool {
	first := slices.Sorted(slices.Values(lists[0]))
	for _, list := range lists[1:] {
		if !slices.Equal(first, slices.Sorted(slices.Values(list))) {
			return false
		}
	}
	return true
}

// arrangeKeys puts the keys of maps, at and below a position of three documents, into the order of
// the side that changed it. It changes either all three documents or none.
func arrangeKeys(docs [3]*gaby.YamlDoc, at [3]gaby.Value, segments []string) {
	kind := at[0].Kind()
	if at[1].Kind() != kind || at[2].Kind() != kind || kind == gaby.Scalar {
		return
	}
	if kind == gaby.List {
		next := [3]gaby.Value{at[0].First(), at[1].First(), at[2].First()}
		for i := 0; next[0].Exists() && next[1].Exists() && next[2].Exists(); i++ {
			arrangeKeys(docs, next, append(segments[:len(segments):len(segments)], strconv.Itoa(i)))
			next = [3]gaby.Value{next[0].Next(), next[1].Next(), next[2].Next()}
		}
		return
	}
	var keys [3][]string
	for i, v := range at {
		for _, c := range v.All() {
			keys[i] = append(keys[i], c.Key())
		}
	}
	if !sameSet(keys) {
		return
	}
	for _, key := range keys[0] {
		arrangeKeys(
			docs, [3]gaby.Value{at[0].Get(key), at[1].Get(key), at[2].Get(key)},
			append(segments[:len(segments):len(segments)], key),
		)
	}
	want, ok := oneOrder(keys)
	if !ok {
		return
	}
	var marks [3]gaby.Mark
	for i, d := range docs {
		marks[i] = d.Checkpoint()
	}
	for i, d := range docs {
		if !slices.Equal(keys[i], want) && !d.ReorderKeys(want, segments...) {
			for i, d := range docs {
				d.Rollback(marks[i])
			}
			return
		}
	}
}

// A layoutTry is one way to merge comments and layout line by line.
type layoutTry struct {
	base, ours, theirs []string
	both               func(lines.Chunk) ([]string, bool) // settles a conflict; may be nil
	// The last line of the result has no newline.
	unended bool
}

// tries returns the ways to merge the texts, the most thorough first. Without a base, indentation
// is not compared.
func (texts threeTexts) tries(noBase bool) []layoutTry {
	var split [3][]string
	var unended [3]bool
	for i, text := range texts {
		split[i] = lines.Split(string(text))
		if n := len(split[i]); n > 0 && !strings.HasSuffix(split[i][n-1], "\n") {
			unended[i] = true
			split[i][n-1] += lineEndOf(split[i][0])
		}
	}
	// Likewise, the side that changed the final newline wins.
	t := layoutTry{
		base: split[0], ours: split[1], theirs: split[2], both: bothLines, unended: unended[1],
	}
	if unended[0] == unended[1] {
		t.unended = unended[2]
	}
	indented, plain := t, t
	indented.base, indented.ours, indented.theirs = sameIndentation(t.base, t.ours, t.theirs)
	plain.both = nil
	if noBase {
		return []layoutTry{t, plain}
	}
	return []layoutTry{indented, t, plain}
}

// lineEndOf returns the line end of a line, or a plain newline if it has none.
func lineEndOf(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// settle merges lines. A conflict is settled in favour of both sides if possible, else it becomes a
// clash and one side wins: theirs or ours.
func (t *layoutTry) settle(theirs bool) (text string, clashes []clash) {
	var put []string
	for _, c := range lines.Merge(t.base, t.ours, t.theirs) {
		if !c.Conflict {
			put = append(put, c.Lines...)
			continue
		}
		if t.both != nil {
			if both, ok := t.both(c); ok {
				put = append(put, both...)
				continue
			}
		}
		clashes = append(clashes, clash{
			line: len(put), ours: c.Ours, theirs: c.Theirs, lineOurs: c.FromOurs,
			lineTheirs: c.FromTheirs,
		})
		if theirs {
			put = append(put, c.Theirs...)
		} else {
			put = append(put, c.Ours...)
		}
	}
	text = strings.Join(put, "")
	if t.unended {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text, clashes
}

// linesOf counts the lines of conflicts.
func linesOf(clashes []clash) int {
	n := 0
	for _, c := range clashes {
		n += max(1, len(c.ours)+len(c.theirs))
	}
	return n
}

// sameIndentation gives all texts the indentation of the side that reindented lines, so that the
// line merge does not see it. If the sides disagree, it returns the texts unchanged.
func sameIndentation(base, ours, theirs []string) (_, _, _ []string) {
	likeOurs, changed := indentedLike(base, ours)
	likeTheirs, changedTheirs := indentedLike(base, theirs)
	// again is theirs in our indentation. other says whether theirs and ours are indented
	// differently.
	switch again, other := indentedLike(theirs, ours); {
	case !changed && !changedTheirs, changed && changedTheirs && other:
		return base, ours, theirs
	case changed:
		return likeOurs, ours, again
	}
	again, _ := indentedLike(ours, theirs)
	return likeTheirs, again, theirs
}

// indentedLike returns text with the indentation of model. A line that model lacks is indented like
// the nearest lines that had the same indentation. changed reports whether any line of both has a
// different indentation.
func indentedLike(text, model []string) (put []string, changed bool) {
	like := make([]int, 0, len(text)) // for each line, its index in model or -1
	at := 0
	keep := func(to int) {
		for ; len(like) < to; at++ {
			like = append(like, at)
		}
	}
	for _, h := range lines.Diff(unindented(text), unindented(model)) {
		keep(h.From)
		for len(like) < h.To {
			like = append(like, -1)
		}
		at = h.NewTo
	}
	keep(len(text))
	// The new indentation by old indentation, of the enclosing lines and their siblings so far.
	now := map[int]int{}
	see := func(i int) {
		if strings.TrimSpace(text[i]) == "" {
			return
		}
		width := lines.Indentation(text[i])
		maps.DeleteFunc(now, func(was, _ int) bool { return was > width })
		if like[i] >= 0 {
			now[width] = lines.Indentation(model[like[i]])
			changed = changed || now[width] != width
		}
	}
	// By line that model lacks: the new indentation of the lines that follow it.
	ahead := map[int]int{}
	// From the end: a line that model lacks may be indented like the lines that follow it.
	for i := range slices.Backward(text) {
		see(i)
		if is, known := now[lines.Indentation(text[i])]; known && like[i] < 0 {
			ahead[i] = is
		}
	}
	clear(now)
	for i, l := range text {
		see(i)
		width := lines.Indentation(l)
		same, isKnown := now[width]
		is, known := ahead[i]
		switch {
		case like[i] >= 0:
			put = append(put, model[like[i]])
			continue
		case known && onlyComments(text[i:i+1]): // a comment belongs to what follows
		case isKnown:
			is = same
		case !known && len(now) > 0:
			around := slices.Max(slices.Collect(maps.Keys(now)))
			is = max(0, width+now[around]-around)
		case !known:
			is = width
		}
		if strings.TrimSpace(l) != "" {
			l = strings.Repeat(" ", is) + strings.TrimLeft(l, " ")
		}
		put = append(put, l)
	}
	return put, changed
}

// unindented returns lines without their indentation.
func unindented(text []string) []string {
	short := make([]string, len(text))
	for i, l := range text {
		short[i] = strings.TrimLeft(l, " ")
	}
	return short
}
