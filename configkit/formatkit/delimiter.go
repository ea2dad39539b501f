package formatkit

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// neighbourhood limits how many entries on each side of an entry count as its neighbours.
const neighbourhood = 8

// Neighbours returns the entries around of, including of itself, that no blank lines separate from
// it. The entries must be in the order of the text.
func (t Text) Neighbours(entries []*Node, of *Node) []*Node {
	at, ok := slices.BinarySearchFunc(entries, of,
		func(a, b *Node) int { return a.Entry.From - b.Entry.From })
	if !ok {
		return nil
	}
	apart := func(a, b *Node) bool {
		if b.Head <= a.Entry.To {
			return false
		}
		between := t[a.Entry.To:b.Head]
		ended := a.Entry.To > 0 && t.AtLineEnd(a.Entry.To-1)
		return Blank(between) && (ended || between.NextLine(0) < between.LineStart(len(between)))
	}
	from, to := at, at+1
	for from > 0 && at-from < neighbourhood && !apart(entries[from-1], entries[from]) {
		from--
	}
	for to < len(entries) && to-at < neighbourhood && !apart(entries[to-1], entries[to]) {
		to++
	}
	return entries[from:to]
}

// Delimiter is the style in which entries on lines separate keys and values.
type Delimiter struct {
	Indent, Before, After string // blanks before the key, and before and after the sign
	Sign                  string
	column                int // the column of the sign if the entries are aligned, else -1
}

// DelimiterLike returns the delimiter of the entry model, one of entries, which are in the order of
// the text. It is aligned if the signs of all its neighbours are in one column.
func (t Text) DelimiterLike(model *Node, entries []*Node) Delimiter {
	sign := model.Sign
	d := Delimiter{
		Indent: t.Indent(model.KeySpan.From),
		Before: string(t[model.KeySpan.To:sign.From]),
		Sign:   string(t[sign.From:sign.To]),
		After:  string(t[sign.To:max(sign.To, model.Span.From)]),
		column: -1,
	}
	if strings.ContainsAny(d.After, "\r\n\\") {
		d.After = " "
	}
	if strings.ContainsAny(d.Before, "\r\n\\") {
		d.Before = " "
	}
	// Keys of different lengths whose signs are in one column are aligned.
	columns, lengths := map[int]bool{}, map[int]bool{}
	for _, n := range t.Neighbours(entries, model) {
		columns[utf8.RuneCount(t[t.nearStart(n.KeySpan.From):n.Sign.From])] = true
		lengths[n.KeySpan.Len()] = true
	}
	if len(columns) == 1 && len(lengths) > 1 {
		for c := range columns {
			d.column = c
		}
	}
	return d
}

// Line returns a key with its indentation and delimiter.
func (d Delimiter) Line(key string) string {
	before := d.Before
	if d.column >= 0 {
		before = strings.Repeat(" ",
			max(d.column-utf8.RuneCountInString(d.Indent+key), min(len(before), 1)))
	}
	return d.Indent + key + before + d.Sign + d.After
}

// Elsewhere returns the delimiter for new keys that are not next to the entries it was taken from.
// If those are aligned the new keys are aligned with each other.
func (d Delimiter) Elsewhere(keys []string) Delimiter {
	if d.column < 0 {
		return d
	}
	d.Before = d.Before[:min(len(d.Before), 1)]
	d.column = -1
	if len(keys) > 1 {
		for _, key := range keys {
			d.column = max(d.column, utf8.RuneCountInString(d.Indent+key+d.Before))
		}
	}
	return d
}
