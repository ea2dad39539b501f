package krm

import (
	"errors"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/printed"
)

// itemMerger merges what a function returned into the items that it got.
type itemMerger struct {
	provider configkit.ResourceProvider
	sent     []*Item
	claimed  []bool // by an item that was returned
	lenient  bool   // new items need not be resources
	piped    bool   // new items may have their TextAnnotation
	notes    []string
	byPlace  map[string]int
	byName   map[gaby.Header]int
}

// merge turns the returned items into edits of those that were sent, and returns the resulting
// items: the sent ones that are still there in their order, then the new ones. An item is
// recognised by its id, else by its path, index and name, else by its name.
func merge(sent, returned []*Item, provider configkit.ResourceProvider) ([]*Item, error) {
	m := &itemMerger{provider: provider, sent: sent}
	return m.merge(returned)
}

func (m *itemMerger) merge(returned []*Item) ([]*Item, error) {
	sent := m.sent
	m.claimed = make([]bool, len(sent))
	from := make([]int, len(returned))
	for k, item := range returned {
		i, err := m.byID(item)
		if err != nil {
			return nil, err
		}
		from[k] = i
	}
	m.index()
	var problems []error
	var fresh []*Item
	var came []*gaby.YamlDoc
	for k, item := range returned {
		if from[k] < 0 {
			from[k] = m.byIdentity(item)
		}
		if i := from[k]; i < 0 {
			err := checkReturned(nil, item)
			var made *Item
			if err == nil || m.lenient {
				made, err = added(item)
			}
			problems, fresh = append(problems, err), append(fresh, made)
			came = append(came, item.Doc)
		} else {
			problems = append(problems, sent[i].take(item, m.provider, m.lenient))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if m.piped {
		m.notes = restore(fresh, came, m.provider)
	}
	items := make([]*Item, 0, len(sent)+len(fresh))
	for i, item := range sent {
		if m.claimed[i] {
			items = append(items, item)
		}
	}
	return append(items, fresh...), nil
}

// byID returns the index of the item with the id that a returned item has, -1 if it has none.
func (m *itemMerger) byID(item *Item) (int, error) {
	text := Annotation(item.Doc, idAnnotation)
	if text == "" {
		return -1, nil
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 || i >= len(m.sent) {
		return -1, nil
	}
	if m.claimed[i] {
		f := fault(item.name(), "two items were returned with the id of %s", m.sent[i])
		f.Hint = "a function that copies a resource must remove the annotation " + idAnnotation
		return 0, f
	}
	m.claimed[i] = true
	return i, nil
}

// index prepares byIdentity if some items were not recognised by their id.
func (m *itemMerger) index() {
	m.byPlace, m.byName = map[string]int{}, map[gaby.Header]int{}
	for i, item := range m.sent {
		if m.claimed[i] {
			continue
		}
		m.byPlace[placeKey(item)] = i
		h, _ := item.Doc.Header()
		if _, twice := m.byName[h]; twice {
			i = -1
		}
		m.byName[h] = i
	}
}

func placeKey(item *Item) string { return item.Path + "\x00" + strconv.Itoa(item.Index) }

// byIdentity returns the index of the item that has the path, index and name of a returned one, or
// only its name, -1 for none.
func (m *itemMerger) byIdentity(item *Item) int {
	h, _ := item.Doc.Header()
	i, ok := -1, false
	if item.Path != "" {
		if i, ok = m.byPlace[placeKey(item)]; ok {
			old, _ := m.sent[i].Doc.Header()
			ok = old == h
		}
	}
	if !ok {
		i, ok = m.byName[h]
	}
	if !ok || i < 0 || m.claimed[i] {
		return -1
	}
	m.claimed[i] = true
	return i
}

// take turns a returned item into edits of the one that was sent. lenient lets it be no resource.
func (item *Item) take(returned *Item, provider configkit.ResourceProvider, lenient bool) error {
	if err := checkReturned(item, returned); err != nil && !lenient {
		return err
	}
	path, index, err := movedTo(item, returned)
	if err != nil {
		return err
	}
	h, _ := item.Doc.Header()
	keys := provider.MergeKeys(api.ResourceType(h.APIVersion + "/" + h.Kind))
	if err := printed.Apply(item.Doc, returned.Doc.Value(), keys, isTransport); err != nil {
		return item.located(err)
	}
	if item.Path != path || item.Index != index {
		item.Path, item.Index = path, index
	}
	return nil
}

// checkReturned returns an error for a returned item that is not a resource, unless it was not one
// before.
func checkReturned(sent, returned *Item) error {
	h, err := returned.Doc.Header()
	if err != nil {
		return err
	}
	if isResource(h) {
		return nil
	}
	if sent != nil {
		if was, err := sent.Doc.Header(); err == nil && !isResource(was) {
			return nil
		}
	}
	missing := "metadata.name"
	switch {
	case h.APIVersion == "":
		missing = "apiVersion"
	case h.Kind == "":
		missing = "kind"
	}
	return fault(returned.String(), "the function returned an item without %s", missing)
}

// movedTo returns the path and index that a returned item asks for. Both families of annotations
// were sent with equal values: the one that changed wins, and one that is missing does not count.
func movedTo(sent, returned *Item) (path string, index int, err error) {
	if v := notText(returned.Doc); v.Exists() {
		return "", 0, fault(sent.String(), "the function set the annotation %s to a map or a list",
			v.Key())
	}
	pick := func(key, legacyKey, was string) (string, error) {
		now, legacy := Annotation(returned.Doc, key), Annotation(returned.Doc, legacyKey)
		switch {
		case now == "" || now == was:
			if legacy != "" {
				return legacy, nil
			}
			return now, nil
		case legacy != "" && legacy != was && legacy != now:
			return "", fault(sent.String(), "the function changed the annotations %s to %q and %s "+
				"to %q", key, now, legacyKey, legacy)
		}
		return now, nil
	}
	if path, err = pick(PathAnnotation, LegacyPathAnnotation, sent.Path); err != nil {
		return "", 0, err
	}
	was := strconv.Itoa(sent.Index)
	if sent.Path == "" {
		was = ""
	}
	text, err := pick(IndexAnnotation, LegacyIndexAnnotation, was)
	switch {
	case err != nil:
		return "", 0, err
	case path == "":
		return "", appendIndex, nil
	case text == "" && path == sent.Path:
		return path, sent.Index, nil
	case text == "":
		return path, appendIndex, nil
	}
	index, ok := parseIndex(text)
	if !ok {
		return "", 0, fault(sent.String(), "the function set the annotation %s to %q, which is not "+
			"a number from 0 to %d", IndexAnnotation, text, maxIndex)
	}
	return path, index, nil
}

// appendIndex is the index of an item that goes to the end of its file.
const appendIndex = -1

// added makes an item of a resource that the function made.
func added(returned *Item) (*Item, error) {
	if returned.read != nil && returned.read.problem != nil {
		return nil, returned.read.problem
	}
	resource := returned.Doc.Value()
	item, err := newItem(returned, resource.YAMLWithAliases())
	if err != nil { // what had to be removed or quoted is below an alias
		item, err = newItem(returned, resource.YAML())
	}
	return item, err
}

// newItem makes an item of a resource with the given text.
func newItem(returned *Item, text string) (*Item, error) {
	quoted, err := printed.Quote(returned.Doc.Value(), text)
	if err != nil {
		return nil, err
	}
	item, err := NewItem(quoted, returned.Path, returned.Index)
	if err != nil {
		return nil, err
	}
	if returned.read == nil || !returned.read.indexed {
		item.Index = appendIndex
	}
	return item, cleanAnnotations(item.Doc)
}

// cleanAnnotations removes the annotations for transport, and what is empty then, and makes strings
// of annotations and labels.
func cleanAnnotations(doc *gaby.YamlDoc) error {
	meta := doc.Value().Get("metadata")
	for _, name := range []string{"annotations", "labels"} {
		m := meta.Get(name)
		if m.Kind() != gaby.Map {
			continue
		}
		entries := printed.Strings(m, isTransport)
		if len(entries) == 0 && m.Len() > 0 {
			if err := doc.Delete("metadata", name); err != nil {
				return err
			}
		} else if _, err := doc.Set(entries, "metadata", name); err != nil {
			return err
		}
	}
	if meta.Kind() == gaby.Map && meta.Len() == 0 && doc.Changed() {
		return doc.Delete("metadata")
	}
	return nil
}
