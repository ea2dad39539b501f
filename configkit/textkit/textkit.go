// Package textkit is the format AppConfig/Text: any text, such as a page or the configuration of a program in a language of its own.
//
// The text is the string at the path text, of which text#3 is the third line. In front of it there can be front matter, a map in YAML
// between two lines ---, whose entries stand beside text:
//
//	---
//	configHub:
//	  configName: motd
//	---
//	Welcome to {{ .Host }}.
//
// Front matter is edited as YAML is, the text byte by byte. What begins with --- and is no such map is text.
package textkit

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// textKey is where the text behind the front matter is.
const textKey = "text"

// Converter is the converter of the format.
type Converter = formatkit.Converter[language]

// New makes the provider of the knowledge about texts: of their lines.
func New() configkit.ResourceProvider {
	p := appkit.New(api.ToolchainAppConfigText)
	err := p.RegisterPaths(textKey, "*", api.PathToVisitorInfoType{textKey: {
		Path: textKey, AttributeName: textKey, DataType: api.DataTypeString, EmbeddedAccessorType: api.EmbeddedAccessorLine,
	}})
	if err != nil {
		panic(err) // it is the same for everyone
	}
	return p
}

type language struct{}

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits { return formatkit.Traits{NoFinalNewline: true} }

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) { return value, nil }

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, _ []string) error {
	if root.Kind() != gaby.Map {
		return formatkit.Refuse("", "a text is a map of its front matter and of the string "+textKey)
	}
	if _, isText := root.Get(textKey).Data().(string); !isText {
		return formatkit.Refuse("quote it", "a text is a string")
	}
	return nil
}

// CheckIn tries an edit of the front matter.
func (language) CheckIn(n *formatkit.Node, v gaby.Value) error {
	m, isRoot := n.Syntax.(matter)
	if !isRoot {
		return nil
	}
	doc, err := gaby.ParseYAML(m.yaml)
	if err != nil {
		return err
	}
	return makeEqual(doc, v)
}

// CheckDelete tries to delete an entry of the front matter. A text is always there.
func (language) CheckDelete(text []byte, path []string) error {
	if len(path) == 1 && path[0] == textKey {
		return formatkit.Refuse(`make it "" instead`, "a text cannot be deleted")
	}
	_, doc, err := matterOf(text)
	if doc == nil || err != nil || !doc.Exists(path...) {
		return err
	}
	return doc.Delete(path...)
}

// CheckPlace tries to write a comment.
func (language) CheckPlace(text []byte, n *formatkit.Node) error {
	_, doc, err := matterOf(text)
	path, inMatter := n.Syntax.([]string)
	if doc == nil || err != nil || !inMatter {
		return err
	}
	return doc.SetComment("a comment", string(yamlpath.Join(path)))
}

// CheckComment implements gaby.Native.
func (language) CheckComment(_ gaby.Value, path []string, text string) error {
	switch {
	case len(path) == 1 && path[0] == textKey && text != "":
		return formatkit.Refuse("", "there is no place for a comment on a text")
	case strings.IndexFunc(text, unicode.IsControl) >= 0:
		return formatkit.Refuse("", "control characters cannot stand in a comment")
	}
	return nil
}

// Replace implements formatkit.Language.
func (language) Replace(w *formatkit.Writer, n *formatkit.Node, v gaby.Value) error {
	switch text := textOf(w.Root); n {
	case text:
		writeText(w, v.Text())
		return nil
	case w.Root:
		writeText(w, v.Get(textKey).Text())
	}
	return writeMatter(w)
}

func writeText(w *formatkit.Writer, text string) {
	span, m := textOf(w.Root).Span, w.Root.Syntax.(matter)
	if m.close > m.open && formatkit.LineEnd(w.Text, m.close) == span.From {
		text = w.LineEnd + text // the line in front of it has no end yet
	}
	if m.close == m.open && w.Value(w.Root).Len() == 1 {
		text = marksFor(w, text) + text
	}
	if span.Len() == 0 {
		w.InsertBelow(span.From, text) // front matter that is new stands above it
		return
	}
	w.Replace(span, text)
}

// marksFor is the empty front matter that a text needs that would be read as front matter.
func marksFor(w *formatkit.Writer, text string) string {
	if m, _, err := matterOf([]byte(text)); err == nil && m.close == 0 { // nor a byte order mark
		return ""
	}
	return mark + w.LineEnd + mark + w.LineEnd
}

// Entries implements formatkit.Language.
func (language) Entries(w *formatkit.Writer, _ *formatkit.Node, _ []formatkit.Entry) (bool, error) {
	return false, writeMatter(w)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, _ *formatkit.Node, _ string) error {
	return writeMatter(w)
}

// writeMatter writes the front matter with all edits there are in it.
func writeMatter(w *formatkit.Writer) error {
	if !w.Once(w.Root) {
		return nil
	}
	m, root := w.Root.Syntax.(matter), w.Value(w.Root)
	if root.Len() == 1 {
		w.Replace(formatkit.Span{From: m.open, To: textOf(w.Root).Span.From}, marksFor(w, root.Get(textKey).Text()))
		return nil
	}
	doc, err := gaby.ParseYAML(m.yaml)
	if err != nil {
		return err
	}
	if err := makeEqual(doc, root); err != nil {
		return err
	}
	if err := writeComments(w, doc, w.Root); err != nil {
		return err
	}
	text := doc.String()
	if m.open == m.close {
		text += mark + w.LineEnd
	}
	w.Replace(formatkit.Span{From: m.open, To: m.close}, text)
	return nil
}

// makeEqual gives the front matter the entries that root has besides the text.
func makeEqual(doc *gaby.YamlDoc, root gaby.Value) error {
	for _, key := range slices.Sorted(maps.Keys(doc.ChildrenMap())) {
		if root.Get(key).Exists() && key != textKey {
			continue
		}
		if err := doc.Delete(key); err != nil {
			return err
		}
	}
	for kid := root.First(); kid.Exists(); kid = kid.Next() {
		if kid.Key() == textKey || doc.Value().Get(kid.Key()).Equal(kid) {
			continue
		}
		if _, err := doc.Set(kid.Doc(), kid.Key()); err != nil {
			return err
		}
	}
	return nil
}

// writeComments writes the line comments that edits gave to entries of the front matter.
func writeComments(w *formatkit.Writer, doc *gaby.YamlDoc, n *formatkit.Node) error {
	for _, kid := range n.Kids {
		path, _ := kid.Syntax.([]string)
		if text := w.LineCommentOf(kid); text != kid.Comments.Line && doc.Exists(path...) {
			if err := doc.SetComment(text, string(yamlpath.Join(path))); err != nil {
				return err
			}
		}
		if err := writeComments(w, doc, kid); err != nil {
			return err
		}
	}
	return nil
}
