package textkit

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// matter is the syntax of the root: the span of the front matter.
type matter struct {
	open  int    // the beginning of the opening ---
	close int    // the beginning of the closing ---; equal to open without front matter
	yaml  []byte // the text from open to close; without front matter the opening line of a new one
	draft *draft
}

// draft is front matter with the edits that were checked so far, so that checking an edit does not
// cost more the longer the front matter is.
type draft struct{ doc *gaby.YamlDoc }

const mark = "---"

// textOf returns the node of the text after the front matter.
func textOf(root *formatkit.Node) *formatkit.Node { return root.Kids[len(root.Kids)-1] }

// Parse implements formatkit.Language: a file is one document.
func (language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	m, doc, err := matterOf(text)
	if err != nil {
		return nil, err
	}
	m.yaml = text[m.open:m.close:m.close]
	if len(m.yaml) == 0 {
		m.yaml = []byte(mark + text.LineEnding())
	}
	root := &formatkit.Node{Kind: gaby.Map, Syntax: m}
	begin := m.open
	if m.close > m.open {
		begin = text.NextLine(m.close)
	}
	if doc != nil {
		entries(root, doc.Value(), nil, formatkit.NewSpan(m.open, begin))
		if twice := root.Get(textKey); twice != nil {
			return nil, text.Fail(twice.KeySpan.From,
				"the front matter has an entry "+textKey+
					", which is the name of the text after it", "call it something else")
		}
	}
	body := formatkit.NewSpan(begin, len(text))
	root.Kids = append(root.Kids, &formatkit.Node{
		Kind: gaby.Scalar, Key: textKey, Value: string(text[begin:]),
		KeySpan: formatkit.NewSpan(begin, begin), Span: body, Entry: body, Head: begin,
	})
	return []*formatkit.Node{root}, nil
}

// matterOf finds and parses the front matter of a text. If what follows the opening --- is not a
// map, the text has no front matter.
func matterOf(text formatkit.Text) (matter, *gaby.YamlDoc, error) {
	start := text.Begin()
	none := matter{open: start, close: start, draft: &draft{}}
	if !isMark(text, start) {
		return none, nil, nil
	}
	end := text.NextLine(start)
	for !isMark(text, end) {
		if end == len(text) {
			return none, nil, nil
		}
		end = text.NextLine(end)
	}
	docs, err := gaby.ParseAll(text[:end])
	if err == nil && len(docs) == 1 {
		err = docs[0].Check()
	}
	if err != nil && !hasKey(text[text.NextLine(start):end]) {
		return none, nil, nil
	}
	if err != nil {
		var syntax *gaby.SyntaxError
		if errors.As(err, &syntax) && syntax.Hint == "" {
			hinted := *syntax
			hinted.Hint = "the text between the lines " + mark +
				" at the beginning of a text is YAML"
			err = &hinted
		}
		return none, nil, err
	}
	m := matter{open: start, close: end, draft: &draft{}}
	switch doc := docs[0]; {
	case len(docs) > 1:
		return none, nil, nil
	case doc.IsNull() || doc.IsMap() && doc.Len() == 0:
		return m, nil, nil
	case !doc.IsMap():
		return none, nil, nil
	}
	return m, docs[0], nil
}

// hasKey reports whether the first line that is not blank or a comment looks
// like an entry of a map.
func hasKey(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return line[0] == '{' || bytes.HasSuffix(line, []byte(":")) ||
				bytes.Contains(line, []byte(": "))
		}
	}
	return false
}

// isMark reports whether a line is ---.
func isMark(text formatkit.Text, at int) bool {
	return string(bytes.TrimRight(text[at:text.LineEnd(at)], " \t")) == mark
}

// entries adds the entries of v, a map or list at path, as nodes whose entry is the front matter.
func entries(n *formatkit.Node, v gaby.Value, path []string, matter formatkit.Span) {
	for _, kid := range v.All() {
		segment := strconv.Itoa(len(n.Kids))
		if n.Kind == gaby.Map {
			segment = kid.Key()
		}
		at, known := kid.Extent()
		if !known { // yaml.v3 has read the front matter
			at = gaby.Extent{
				Key: matter.From, KeyEnd: matter.From, From: matter.From,
				To: matter.From,
			}
		}
		k := &formatkit.Node{
			Kind: kid.Kind(), Key: kid.Key(), Comments: kid.Comments(),
			KeySpan: formatkit.NewSpan(at.Key, at.KeyEnd),
			Span:    formatkit.NewSpan(at.From, at.To),
			Entry:   matter, Head: matter.From, Syntax: append(slices.Clip(path), segment),
		}
		if k.Kind == gaby.Scalar {
			k.Value = kid.Data()
		} else {
			entries(k, kid, k.Syntax.([]string), matter)
		}
		n.Kids = append(n.Kids, k)
	}
}
