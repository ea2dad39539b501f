// Package resourcelist has the text of a ResourceList, which KRM functions read and write: its header,
// items and results. Package krm edits it; the wrapper in the pod of a function, which links nothing
// else of krm, only checks it.
//
// Layer: systems.
package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// The versions of ResourceList, current first. V1Alpha1 has no results in the document.
const (
	V1       = "config.kubernetes.io/v1"
	V1Beta1  = "config.kubernetes.io/v1beta1"
	V1Alpha1 = "config.kubernetes.io/v1alpha1"
)

// Kind is the kind of a ResourceList.
const Kind = "ResourceList"

// Parsed is a ResourceList as it was written. Its values are views into Doc.
type Parsed struct {
	Doc     *gaby.YamlDoc
	Version string
	// Items are maps.
	Items []gaby.Value
	// FunctionConfig is a map, or does not exist.
	FunctionConfig gaby.Value
	Results        []fnresult.Result
	// NoItems and HasResults say what the text has not and has.
	NoItems, HasResults bool

	notes []string // about results
}

// Parse reads the text of one ResourceList, in any version and as YAML or JSON. A List counts as a
// ResourceList. Errors are *gaby.SyntaxError where a position is known.
func Parse(text []byte) (*Parsed, error) {
	if !utf8.Valid(text) {
		return nil, at(doctext.Position(text, doctext.InvalidByte(text)), "the text is not UTF-8")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("the text is empty; a ResourceList is expected")
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
	t := &Parsed{
		Doc: doc, Version: root.Get("apiVersion").Text(), NoItems: items.Kind() != gaby.List,
		Items: make([]gaby.Value, 0, items.Len()),
	}
	for _, v := range items.All() {
		if v.Kind() != gaby.Map {
			return nil, at(v.Position(), "item %d is not a resource", len(t.Items))
		}
		t.Items = append(t.Items, v)
	}
	if config := root.Get("functionConfig"); config.Kind() == gaby.Map {
		t.FunctionConfig = config
	} else if config.Exists() && !config.IsNull() {
		return nil, at(config.Position(), "functionConfig must be an object")
	}
	results := root.Get("results")
	t.HasResults = results.Exists()
	t.Results, t.notes, err = fnresult.Read(results)
	if err != nil {
		return nil, err
	}
	return t, nil
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

// Notes returns how the text deviates from the specification.
func (t *Parsed) Notes() []string {
	notes := slices.Clone(t.notes)
	if t.NoItems {
		notes = append(notes, "the ResourceList has no items, which counts as \"items: []\"")
	}
	if !slices.Contains([]string{V1, V1Beta1, V1Alpha1, "v1", ""}, t.Version) {
		notes = append(notes, fmt.Sprintf(
			"the version %q of the ResourceList is unknown; it is read as %s", t.Version, V1))
	}
	return notes
}

// ParseOutput reads what a function wrote to its standard output, which must be one ResourceList.
// The errors are made for the user of the function.
func ParseOutput(stdout []byte) (*Parsed, error) {
	const want = "standard output must hold one ResourceList and nothing else; " +
		"logs belong on standard error"
	if len(bytes.TrimSpace(stdout)) == 0 {
		return nil, &api.Failure{
			Class: api.FailureFunction, Message: "the function produced no output",
			Hint: "a function that removes everything writes \"items: []\"",
		}
	}
	text, err := Parse(stdout)
	if err == nil {
		return text, nil
	}
	message := "its output cannot be used: " + err.Error()
	if doctext.IsOther(stdout, Kind) {
		first, _, _ := strings.Cut(strings.TrimSpace(string(stdout)), "\n")
		if len(first) > 200 {
			first = first[:200] + "..."
		}
		message = fmt.Sprintf("its output is not a ResourceList; it begins with %q", first)
	}
	return nil, &api.Failure{Class: api.FailureFunction, Message: message, Hint: want, Err: err}
}

// Results returns results as the last field of a ResourceList, nil without results.
func Results(results []fnresult.Result) ([]byte, error) {
	if len(results) == 0 {
		return nil, nil
	}
	doc, err := gaby.ParseYAML([]byte("results: []\n"))
	if err == nil {
		_, err = doc.Set(fnresult.Data(results), "results")
	}
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// OnlyResults returns a ResourceList without items that has the results of a function which failed,
// nil if it has none.
func OnlyResults(results []fnresult.Result) ([]byte, error) {
	text, err := Results(results)
	if text == nil || err != nil {
		return nil, err
	}
	return append([]byte("apiVersion: "+V1+"\nkind: "+Kind+"\nitems: []\n"), text...), nil
}

// at returns an error with a position in the text that is read.
func at(pos gaby.Position, format string, args ...any) error {
	return &gaby.SyntaxError{Pos: pos, Msg: fmt.Errorf(format, args...).Error()}
}
