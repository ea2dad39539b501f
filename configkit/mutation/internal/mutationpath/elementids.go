package mutationpath

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ElementIDs finds the elements of a list by their IDs. The zero value computes these when they are
// first needed.
type ElementIDs struct {
	registered *idIndex
	others     map[string]*idIndex // by the keys in an ID, which may not be registered
}

// idIndex has the index of each element by its ID. The first element with an ID wins.
type idIndex struct {
	keys  *configkit.MergeKeyTree
	at    map[string]int
	count int // elements of the list
}

func newIDIndex(list gaby.Value, keys *configkit.MergeKeyTree) *idIndex {
	x := &idIndex{keys: keys, at: map[string]int{}}
	for _, e := range list.All() {
		x.add(e)
	}
	return x
}

// add adds the next element.
func (x *idIndex) add(e gaby.Value) {
	if id := ElementID(e, x.keys); id != "" {
		if _, again := x.at[id]; !again {
			x.at[id] = x.count
		}
	}
	x.count++
}

// index returns the index of the first element with an ID, or -1.
func (x *idIndex) index(id string) int {
	if at, ok := x.at[id]; ok {
		return at
	}
	return -1
}

// Find returns the index of the first element with an ID, or -1. keys are the registered merge keys
// of the list.
func (ids *ElementIDs) Find(list gaby.Value, id string, keys *configkit.MergeKeyTree) int {
	if list.Kind() != gaby.List {
		return -1
	}
	if HasKeys(keys) {
		if ids.registered == nil {
			ids.registered = newIDIndex(list, keys)
		}
		if at, ok := ids.registered.at[id]; ok {
			return at
		}
	}
	known, _ := SplitID(id)
	name := strings.Join(known.Keys, "\x00")
	if ids.others[name] == nil {
		if ids.others == nil {
			ids.others = map[string]*idIndex{}
		}
		ids.others[name] = newIDIndex(list, known)
	}
	return ids.others[name].index(id)
}

// Add adds the next element of the list.
func (ids *ElementIDs) Add(e gaby.Value) {
	if ids.registered != nil {
		ids.registered.add(e)
	}
	for _, x := range ids.others {
		x.add(e)
	}
}

// Changed says that the key of an element has another value. The element is still found by the ID
// that it had, if its keys are registered.
func (ids *ElementIDs) Changed(key string) {
	maps.DeleteFunc(ids.others, func(_ string, x *idIndex) bool {
		return slices.Contains(x.keys.Keys, key)
	})
}

// DigestIndexes returns the index of each element of a list without merge keys by its digest.
func DigestIndexes(list gaby.Value) map[Segment]int {
	at := map[Segment]int{}
	for _, s := range Digests(list) {
		at[Digest(s)] = s.Index
	}
	return at
}

// Digest returns s without its index.
func Digest(s Segment) Segment {
	return Segment{Text: s.Text, Nth: s.Nth}
}
