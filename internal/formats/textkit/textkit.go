// Package textkit implements the format AppConfig/Text: any text, such as a page or a configuration
// file in a language of its own.
//
// The text is the string at the path text, and text#3 is its third line. It may begin with front
// matter, a map in YAML between two lines ---, whose entries are siblings of text:
//
//	---
//	configHub:
//	  configName: motd
//	---
//	Welcome to {{ .Host }}.
//
// Front matter is edited like any YAML, and the text is not interpreted. If what begins with --- is
// not such a map, it is part of the text.
//
// Layer: configkit.
package textkit

import (
	"maps"
	"slices"
	"unicode"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// textKey is the key of the text after the front matter.
const textKey = "text"

// Converter converts the format.
type Converter = formatkit.Converter[language]

// New returns the resource provider for texts, which knows that they can be addressed by line.
func New() configkit.ResourceProvider {
	p := appkit.New(api.ToolchainAppConfigText)
	err := p.RegisterPaths(textKey, "*", api.PathToVisitorInfoType{textKey: {
		Path: textKey, AttributeName: textKey, DataType: api.DataTypeString,
		EmbeddedAccessorType: api.EmbeddedAccessorLine,
	}})
	if err != nil {
		panic(err) // the arguments are constants
	}
	return p
}

type language struct{}

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits { return formatkit.Traits{NoFinalNewline: true} }

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) { return value, nil }

// Number implements gaby.Native.
func (language) Number(text string) any {
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		return nil
	}
	return doc.Data()
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, _ []string) error {
	if root.Kind() != gaby.Map {
		return formatkit.Refuse("", "a text is a map of its front matter and of the string "+
			textKey)
	}
	if _, isText := root.Get(textKey).Data().(string); !isText {
		return formatkit.Refuse("quote it", "a text is a string")
	}
	return nil
}

// CheckIn returns an error if the front matter cannot get the entries of v. The draft lacks what was
// deleted, so all entries are compared before an edit is refused.
func (language) CheckIn(n *formatkit.Node, v gaby.Value, path []string) error {
	m, isRoot := n.Syntax.(matter)
	if !isRoot {
		return nil
	}
	if m.draft.doc != nil && len(path) > 0 && path[0] != textKey {
		if edited := v.Doc().Search(path...); edited != nil {
			if _, err := m.draft.doc.Set(edited, path...); err == nil {
				return nil
			}
		}
	}
	doc, err := gaby.ParseYAML(m.yaml)
	if err != nil {
		return err
	}
	if err := makeEqual(doc, v); err != nil {
		return err
	}
	m.draft.doc = doc
	return nil
}

// CheckDelete returns an error if the value at path cannot be deleted. The text itself cannot.
func (language) CheckDelete(text formatkit.Text, path []string) error {
	if len(path) == 1 && path[0] == textKey {
		return formatkit.Refuse(`make it "" instead`, "a text cannot be deleted")
	}
	_, doc, err := matterOf(text)
	if doc == nil || err != nil || !doc.Exists(path...) {
		return err
	}
	return doc.Delete(path...)
}

// CheckCommentAt returns an error if no comment can be added to n.
func (language) CheckCommentAt(text formatkit.Text, n *formatkit.Node) error {
	_, doc, err := matterOf(text)
	path, inMatter := n.Syntax.([]string)
	if doc == nil || err != nil || !inMatter {
		return err
	}
	return doc.SetComment("a comment", string(yamlpath.Join(path)))
}

// CheckComment implements gaby.Native.
func (language) CheckComment(_ gaby.Value, path []string, text string) error {
	if len(path) == 1 && path[0] == textKey && text != "" {
		return formatkit.Refuse("", "a text cannot have a comment")
	}
	return formatkit.CheckCommentText(text, unicode.IsControl)
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
	if m.close > m.open && w.LineEnd(m.close) == span.From {
		text = w.Newline + text // the closing line of the front matter has no line end yet
	}
	if m.close == m.open && w.Value(w.Root).Len() == 1 {
		text = marksFor(w, text) + text
	}
	if span.Len() == 0 {
		w.InsertBelow(span.From, text) // new front matter is inserted before it
		return
	}
	w.Replace(span, text)
}

// marksFor returns the empty front matter to write before a text that would otherwise be read as
// having front matter.
func marksFor(w *formatkit.Writer, text string) string {
	if m, _, err := matterOf([]byte(text)); err == nil && m.close == 0 {
		// nor does it begin with a byte order mark
		return ""
	}
	return mark + w.Newline + mark + w.Newline
}

// Entries implements formatkit.Language.
func (language) Entries(w *formatkit.Writer, _ *formatkit.Node, _ []formatkit.Entry) (bool, error) {
	return false, writeMatter(w)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, _ *formatkit.Node, _ string) error {
	return writeMatter(w)
}

// writeMatter writes the front matter with all its edits.
func writeMatter(w *formatkit.Writer) error {
	if !w.Once(w.Root) {
		return nil
	}
	m, root := w.Root.Syntax.(matter), w.Value(w.Root)
	if root.Len() == 1 {
		w.Replace(formatkit.NewSpan(m.open, textOf(w.Root).Span.From),
			marksFor(w, root.Get(textKey).Text()))
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
		text += mark + w.Newline
	}
	w.Replace(formatkit.NewSpan(m.open, m.close), text)
	return nil
}

// makeEqual gives the front matter the entries of root, without the text.
func makeEqual(doc *gaby.YamlDoc, root gaby.Value) error {
	for _, key := range slices.Sorted(maps.Keys(doc.ChildrenMap())) {
		if root.Get(key).Exists() && key != textKey {
			continue
		}
		if err := doc.Delete(key); err != nil {
			return err
		}
	}
	for _, kid := range root.All() {
		if kid.Key() == textKey || doc.Value().Get(kid.Key()).Equal(kid) {
			continue
		}
		if _, err := doc.Set(kid.Doc(), kid.Key()); err != nil {
			return err
		}
	}
	return nil
}

// writeComments writes the edited line comments of the front matter.
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
