package krm

import (
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Selector selects items. Its conditions are compared exactly, and all of them must hold; an empty
// one holds always.
type Selector struct {
	APIVersion, Kind, Name, Namespace string
	Labels, Annotations               map[string]string
}

// IsEmpty reports whether the selector has no condition.
func (s *Selector) IsEmpty() bool {
	return s.APIVersion == "" && s.Kind == "" && s.Name == "" && s.Namespace == "" &&
		len(s.Labels) == 0 && len(s.Annotations) == 0
}

// Matches reports whether an item meets all conditions.
func (s *Selector) Matches(item *Item) bool {
	h, err := item.Doc.Header()
	if err != nil {
		return false
	}
	for _, c := range [][2]string{
		{s.APIVersion, h.APIVersion},
		{s.Kind, h.Kind},
		{s.Name, h.Name},
		{s.Namespace, h.Namespace},
	} {
		if c[0] != "" && c[0] != c[1] {
			return false
		}
	}
	meta := item.Doc.Value().Get("metadata")
	return hasAll(meta.Get("labels"), s.Labels) && hasAll(meta.Get("annotations"), s.Annotations)
}

func hasAll(v gaby.Value, want map[string]string) bool {
	for key, value := range want {
		if c := v.Get(key); c.Kind() != gaby.Scalar || !c.EqualText(value) {
			return false
		}
	}
	return true
}

// Selects returns which items are selected: those that one of the selectors matches, or all
// without selectors, less those that one of exclude matches. nil means all.
func Selects(selectors, exclude []Selector) func(*Item) bool {
	if len(selectors) == 0 && len(exclude) == 0 {
		return nil
	}
	return func(item *Item) bool {
		selected := len(selectors) == 0
		for i := range selectors {
			selected = selected || selectors[i].Matches(item)
		}
		for i := range exclude {
			selected = selected && !exclude[i].Matches(item)
		}
		return selected
	}
}
