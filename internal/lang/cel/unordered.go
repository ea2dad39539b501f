package cel

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// isUnordered reports whether a list is a set, or a map in the form of a list
// (x-kubernetes-list-type).
func (s *shape) isUnordered() bool { return s != nil && (s.isSet || s.keys != nil) }

// identity returns a text that distinguishes an element of an unordered list from the others.
func (s *shape) identity(element ref.Val) string {
	if s.isSet {
		return identityOf(element)
	}
	var b strings.Builder
	m, _ := element.(traits.Mapper)
	for _, key := range s.keys {
		name, _ := escape(key)
		if m != nil {
			if v, ok := m.Find(types.String(name)); ok {
				b.WriteString(identityOf(v))
			}
		}
		b.WriteByte(0)
	}
	return b.String()
}

// identityOf returns a text that is equal for equal values of one type.
func identityOf(v ref.Val) string { return fmt.Sprintf("%s %v", v.Type().TypeName(), v.Value()) }

// sameElements compares two lists of the same length, ignoring the order of elements.
func (s *shape) sameElements(a, b traits.Lister) bool {
	known := map[string]ref.Val{}
	for e := range elements(a) {
		known[s.identity(e)] = e
	}
	for e := range elements(b) {
		if have, ok := known[s.identity(e)]; !ok || !s.isSet && types.Equal(have, e) != types.True {
			return false
		}
	}
	return true
}

// merge returns the elements of a, in which those of b replace elements with the same identity,
// followed by the other elements of b.
func (s *shape) merge(a, b traits.Lister) ref.Val {
	var all []ref.Val
	at := map[string]int{}
	for _, l := range []traits.Lister{a, b} {
		for e := range elements(l) {
			id := s.identity(e)
			if i, ok := at[id]; ok {
				all[i] = e
				continue
			}
			at[id] = len(all)
			all = append(all, e)
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, all)
}

// sameHidden compares the fields of two objects that expressions do not see.
func (s *shape) sameHidden(a, b gaby.Value) bool {
	for _, e := range a.All() {
		if _, _, seen := s.of(e); seen || isNull(e) {
			continue
		}
		if of := b.Get(e.Key()); !of.Exists() || !e.Equal(of) {
			return false
		}
	}
	return true
}
