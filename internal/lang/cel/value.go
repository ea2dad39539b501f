package cel

import (
	"iter"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// missed records, by key, the last map that did not have a requested key. It is nil if it is not
// needed.
type missed map[string]gaby.Value

// valueOf returns a value of a document as CEL sees it. Maps and lists are read in place, on
// demand.
func valueOf(v gaby.Value, missed missed) ref.Val {
	switch v.Kind() {
	case gaby.Map:
		return docMap{v: v, missed: missed}
	case gaby.List:
		return docList{v: v, missed: missed}
	}
	return types.DefaultTypeAdapter.NativeToValue(v.Data())
}

// docMap is a map of a document. Its keys are strings.
type docMap struct {
	v      gaby.Value
	missed missed
	shape  *shape // nil if the types of values follow from how they are written
}

// entries returns an iterator over keys and values.
func (m docMap) entries() iter.Seq2[types.String, ref.Val] {
	return func(yield func(types.String, ref.Val) bool) {
		for _, e := range m.v.All() {
			name, value, ok := e.Key(), ref.Val(nil), true
			if m.shape != nil {
				name, value, ok = m.shape.of(e)
			} else {
				value = valueOf(e, m.missed)
			}
			if ok && !yield(types.String(name), value) {
				return
			}
		}
	}
}

var (
	_ traits.Mapper   = docMap{}
	_ traits.Foldable = docMap{}
	_ traits.Zeroer   = docMap{}
)

// Find implements traits.Mapper.
func (m docMap) Find(key ref.Val) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	if m.shape != nil {
		return m.shape.find(m.v, string(k))
	}
	if v := m.v.Get(string(k)); v.Exists() {
		return valueOf(v, m.missed), true
	}
	if m.missed != nil {
		m.missed[string(k)] = m.v
	}
	return nil, false
}

// Get implements traits.Indexer.
func (m docMap) Get(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if !ok {
		return types.ValOrErr(v, "no such key: %v", key)
	}
	return v
}

// Contains implements traits.Container.
func (m docMap) Contains(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

// Size implements traits.Sizer.
func (m docMap) Size() ref.Val { return types.Int(m.v.Len()) }

// IsZeroValue implements traits.Zeroer.
func (m docMap) IsZeroValue() bool { return !m.v.First().Exists() }

// Iterator implements traits.Iterable. It iterates over the keys.
func (m docMap) Iterator() traits.Iterator {
	var keys []string
	for _, e := range m.v.All() {
		keys = append(keys, e.Key())
	}
	return types.NewStringList(types.DefaultTypeAdapter, keys).Iterator()
}

// Fold implements traits.Foldable.
func (m docMap) Fold(f traits.Folder) {
	for k, v := range m.entries() {
		if !f.FoldEntry(k, v) {
			return
		}
	}
}

// Equal implements ref.Val.
func (m docMap) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok || m.Size() != o.Size() {
		return types.False
	}
	for k, v := range m.entries() {
		of, found := o.Find(k)
		if !found || types.Equal(v, of) != types.True {
			return types.False
		}
	}
	if same, ok := other.(docMap); ok && m.shape != nil {
		return types.Bool(m.shape.sameHidden(m.v, same.v))
	}
	return types.True
}

// ConvertToType implements ref.Val.
func (m docMap) ConvertToType(t ref.Type) ref.Val { return convert(m, t) }

// ConvertToNative implements ref.Val.
func (m docMap) ConvertToNative(t reflect.Type) (any, error) {
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter,
		m.v.Data().(map[string]any)).ConvertToNative(t)
}

// AggregateSize implements types.AggregateSizeVisitor.
func (m docMap) AggregateSize(types.AggregateSizer) uint32 { return sizeIn(m.v) }

// Type implements ref.Val.
func (m docMap) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (m docMap) Value() any { return m.v.Data() }

// docList is a list of a document.
type docList struct {
	v      gaby.Value
	missed missed
	shape  *shape // nil if the types of elements follow from how they are written
}

// element returns an element as CEL sees it.
func (l docList) element(v gaby.Value) ref.Val {
	if l.shape != nil {
		return l.shape.items.value(v)
	}
	return valueOf(v, l.missed)
}

// list returns the list with all of its elements.
func (l docList) list() traits.Lister {
	var elements []ref.Val
	for _, v := range l.v.All() {
		elements = append(elements, l.element(v))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, elements)
}

var (
	_ traits.Lister   = docList{}
	_ traits.Foldable = docList{}
	_ traits.Zeroer   = docList{}
)

// Get implements traits.Indexer.
func (l docList) Get(index ref.Val) ref.Val {
	i, err := types.GetOrError(index)
	if err != nil {
		return types.WrapErr(err)
	}
	if v := l.v.Index(i); v.Exists() {
		return l.element(v)
	}
	return types.NewErr("index out of bounds: %d", i)
}

// Contains implements traits.Container.
func (l docList) Contains(elem ref.Val) ref.Val { return l.list().Contains(elem) }

// Size implements traits.Sizer.
func (l docList) Size() ref.Val { return types.Int(l.v.Len()) }

// IsZeroValue implements traits.Zeroer.
func (l docList) IsZeroValue() bool { return !l.v.First().Exists() }

// Iterator implements traits.Iterable.
func (l docList) Iterator() traits.Iterator { return l.list().Iterator() }

// Fold implements traits.Foldable.
func (l docList) Fold(f traits.Folder) {
	for i, v := range l.v.All() {
		if !f.FoldEntry(types.Int(i), l.element(v)) {
			return
		}
	}
}

// Add implements traits.Adder. Elements of a set are not added twice, and in a list with keys an
// element replaces the one with the same keys.
func (l docList) Add(other ref.Val) ref.Val {
	if o, ok := other.(traits.Lister); ok && l.shape.isUnordered() {
		return l.shape.merge(l, o)
	}
	return l.list().Add(other)
}

// Equal implements ref.Val.
func (l docList) Equal(other ref.Val) ref.Val {
	if o, ok := other.(traits.Lister); ok && l.shape.isUnordered() {
		return types.Bool(l.Size() == o.Size() && l.shape.sameElements(l, o))
	}
	return l.list().Equal(other)
}

// ConvertToType implements ref.Val.
func (l docList) ConvertToType(t ref.Type) ref.Val { return convert(l, t) }

// ConvertToNative implements ref.Val.
func (l docList) ConvertToNative(t reflect.Type) (any, error) {
	return types.NewDynamicList(types.DefaultTypeAdapter, l.v.Data()).ConvertToNative(t)
}

// AggregateSize implements types.AggregateSizeVisitor.
func (l docList) AggregateSize(types.AggregateSizer) uint32 { return sizeIn(l.v) }

// Type implements ref.Val.
func (l docList) Type() ref.Type { return types.ListType }

// Value implements ref.Val.
func (l docList) Value() any { return l.v.Data() }

// sizeIn returns about how many bytes a value of a document has as text, at most maxSize+1.
func sizeIn(v gaby.Value) uint32 {
	size := uint32(1 + min(v.Length(), maxSize))
	for e := v.First(); e.Exists() && size <= maxSize; e = e.Next() {
		size += uint32(len(e.Key())) + sizeIn(e)
	}
	return min(size, maxSize+1) // aliases in aliases must not overflow it
}

// convert converts a value that only converts to its own type.
func convert(v ref.Val, t ref.Type) ref.Val {
	switch t {
	case v.Type():
		return v
	case types.TypeType:
		return v.Type().(ref.Val)
	}
	return types.NewErr("type conversion error from '%s' to '%s'", v.Type(), t)
}
