package krm

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// listText is the text that a list was parsed from. The items are views into it.
type listText struct {
	doc   *gaby.YamlDoc
	items []*Item  // as they were read
	notes []string // about results
	// noItems and results say what the text has not and has.
	noItems, results bool
}

// Parse reads the text of one ResourceList, in any version and as YAML or JSON. A List counts as a
// ResourceList. Errors are *gaby.SyntaxError where a position is known.
func Parse(text []byte) (*ResourceList, error) { return parse(text, false) }

// ParseNamed is Parse for a text called name in messages. Errors are *api.Failure.
func ParseNamed(text []byte, name string) (*ResourceList, error) {
	list, err := Parse(text)
	if err != nil {
		return nil, located(name, err)
	}
	return list, nil
}

// parse is Parse. lenient lets the annotations of an item contradict each other: which of them
// counts depends on what was sent.
func parse(text []byte, lenient bool) (*ResourceList, error) {
	if !utf8.Valid(text) {
		return nil, at(doctext.Position(text, doctext.InvalidByte(text)), "the text is not UTF-8")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("the text is empty; a ResourceList is expected")
	}
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		return nil, err
	}
	root := doc.Value()
	if root.Kind() != gaby.Map {
		return nil, at(root.Position(), "a ResourceList is expected")
	}
	if kind := root.Get("kind"); !kind.EqualText(Kind) && !kind.EqualText("List") {
		return nil, at(root.Position(), "the kind is %q; a ResourceList is expected", kind.Text())
	}
	items := root.Get("items")
	if items.Kind() != gaby.List && items.Exists() && !items.IsNull() {
		return nil, at(items.Position(), "items must be a list")
	}
	if err := doctext.UniqueKeys(root); err != nil {
		return nil, err
	}
	if !items.Exists() {
		if err := mayLackItems(root); err != nil {
			return nil, err
		}
	}
	l := &ResourceList{Version: root.Get("apiVersion").Text(), text: &listText{doc: doc}}
	l.text.noItems = items.Kind() != gaby.List
	l.Items = make([]*Item, 0, items.Len())
	for _, v := range items.All() {
		if v.Kind() != gaby.Map {
			return nil, at(v.Position(), "item %d is not a resource", len(l.Items))
		}
		item := &Item{Doc: v.Doc()}
		item.read, err = readLocation(item.Doc)
		if err != nil && !lenient {
			return nil, err
		}
		if err != nil {
			item.read = &location{problem: err}
		}
		item.Path, item.Index = item.read.path, item.read.index
		l.Items = append(l.Items, item)
	}
	l.text.items = append(l.text.items, l.Items...)
	if config := root.Get("functionConfig"); config.Kind() == gaby.Map {
		l.FunctionConfig = config.Doc()
	} else if config.Exists() && !config.IsNull() {
		return nil, at(config.Position(), "functionConfig must be an object")
	}
	results := root.Get("results")
	l.text.results = results.Exists()
	l.Results, l.text.notes, err = fnresult.Read(results)
	return l, err
}

// mayLackItems returns an error for a list that is not surely meant to be empty if it has no items:
// one that is misspelt would delete all resources.
func mayLackItems(root gaby.Value) error {
	const want = "only a ResourceList of a known version may have no items: "
	known := []string{"apiVersion", "kind", "metadata", "items", "functionConfig", "results"}
	for _, v := range root.All() {
		if !slices.Contains(known, v.Key()) {
			question := ""
			if names := configkit.Suggest(v.Key(), known); len(names) > 0 {
				question = "; " + configkit.DidYouMean("", names)
			}
			return at(v.KeyPosition(), want+"key %q is unknown%s", v.Key(), question)
		}
	}
	switch version := root.Get("apiVersion"); {
	case !root.Get("kind").EqualText(Kind):
		return at(root.Position(), want+"this is a List")
	case !version.Exists():
		return at(root.Position(), want+"apiVersion is missing")
	case !slices.Contains([]string{V1, V1Beta1, V1Alpha1}, version.Text()):
		return at(version.Position(), want+"apiVersion is %q", version.Text())
	}
	return nil
}

// Notes returns how a parsed list deviates from the specification.
func (l *ResourceList) Notes() []string {
	if l.text == nil {
		return nil
	}
	notes := slices.Clone(l.text.notes)
	if l.text.noItems {
		notes = append(notes, "the ResourceList has no items, which counts as \"items: []\"")
	}
	if note := versionNote(l.Version); note != "" {
		notes = append(notes, note)
	}
	return notes
}
