package krm

import (
	"github.com/fctl-dev/fctl/internal/krm/resourcelist"
)

// listText is the text that a list was parsed from. The items are views into it.
type listText struct {
	*resourcelist.Parsed
	items []*Item // as they were read
}

// Parse reads the text of one ResourceList, in any version and as YAML or JSON. A List counts as a
// ResourceList. Errors are *gaby.SyntaxError where a position is known.
func Parse(text []byte) (*ResourceList, error) {
	parsed, err := resourcelist.Parse(text)
	if err != nil {
		return nil, err
	}
	return listOf(parsed, false)
}

// ParseNamed is Parse for a text called name in messages. Errors are *api.Failure.
func ParseNamed(text []byte, name string) (*ResourceList, error) {
	list, err := Parse(text)
	if err != nil {
		return nil, located(name, err)
	}
	return list, nil
}

// ParseOutput reads what a function wrote to its standard output, which must be one ResourceList.
// The annotations of an item may contradict each other: which of them counts depends on what was
// sent. The errors are made for the user of the function.
func ParseOutput(stdout []byte) (*ResourceList, error) {
	parsed, err := resourcelist.ParseOutput(stdout)
	if err != nil {
		return nil, err
	}
	return listOf(parsed, true)
}

// listOf returns the list of a text. lenient keeps annotations that contradict each other as problems
// of their items.
func listOf(text *resourcelist.Parsed, lenient bool) (*ResourceList, error) {
	l := &ResourceList{
		Version: text.Version, Results: text.Results, text: &listText{Parsed: text},
		Items: make([]*Item, 0, len(text.Items)),
	}
	for _, v := range text.Items {
		item := &Item{Doc: v.Doc()}
		var err error
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
	if text.FunctionConfig.Exists() {
		l.FunctionConfig = text.FunctionConfig.Doc()
	}
	return l, nil
}

// Notes returns how a parsed list deviates from the specification.
func (l *ResourceList) Notes() []string {
	if l.text == nil {
		return nil
	}
	return l.text.Notes()
}
