package gaby

import (
	"iter"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. A missing value is the zero Value.
const (
	Missing Kind = iota
	Scalar
	Map
	List
)

// A Value is a cursor at one slot of a document. It is cheap to copy, is made without allocation,
// and reads through the edits made so far. It shows the values of aliases and "<<". The
// zero Value is a missing one; every method works on it.
type Value struct {
	d    *document
	slot int32 // the node whose position in the document this is
	cursorOrigin
	// through says how the value was reached. If not zero, the value is written elsewhere and
	// cannot be edited through this cursor.
	through reachedThrough
}

// cursorOrigin records where a cursor came from. It is a separate struct because the compiler keeps
// structs with more than four fields in memory and copies them for every call.
type cursorOrigin struct {
	owner int32 // the collection node it was reached from, -1 for the root
	pos   int32 // index among the owner's entries if these are listed (edited, merged), else -1
}

// reachedThrough records how a value that is written elsewhere was reached, as bits.
type reachedThrough uint8

const (
	// throughAlias: the collection around it was reached through an alias or is inherited itself.
	throughAlias reachedThrough = 1 << iota
	throughMerge                // the entry is inherited through "<<"
)

// cursor returns a cursor at slot that does not know the collection around it.
func (d *document) cursor(slot int32) Value {
	return Value{d: d, slot: slot, cursorOrigin: cursorOrigin{-1, -1}}
}

// entry returns a cursor at an entry of collection owner, which must not be listed to use Next.
func (d *document) entry(owner, slot int32) Value {
	return Value{d: d, slot: slot, cursorOrigin: cursorOrigin{owner, -1}}
}

// node returns the node that holds the value, with aliases followed.
func (v Value) node() int32 { return v.d.deref(v.d.at(v.slot)) }

// Exists reports whether there is a value. Null is a value.
func (v Value) Exists() bool { return v.d != nil }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Missing
	}
	switch v.d.n[v.node()].Kind {
	case scan.MapNode:
		return Map
	case scan.ListNode:
		return List
	}
	return Scalar
}

// below returns how the entries of this value are reached.
func (v Value) below() reachedThrough {
	if v.through != 0 || v.d.n[v.d.at(v.slot)].Kind == scan.AliasNode {
		return throughAlias
	}
	return 0
}

// IsAliased reports whether the value is written at another position of the document: it is an
// alias, or was reached through an alias or "<<". A walk that skips these values still visits every
// value once, where it is written.
func (v Value) IsAliased() bool { return v.d != nil && v.below() != 0 }

// Len returns the number of entries of a map or list, 0 for anything else. It walks over them,
// unless they are listed.
func (v Value) Len() int {
	c, n := v.First(), 0
	if c.d != nil && c.pos >= 0 {
		if merged := c.d.mergedEntries(c.owner); merged != nil {
			return len(merged)
		}
		return len(c.d.kids(c.owner))
	}
	for ; c.Exists(); c = c.Next() {
		n++
	}
	return n
}

// First returns the first entry of a map or list, in document order. The entries that a map
// inherits through "<<" follow its own.
func (v Value) First() Value {
	if v.d == nil {
		return Value{}
	}
	d, i := v.d, v.node()
	n := &d.n[i]
	if n.Kind != scan.MapNode && n.Kind != scan.ListNode {
		return Value{}
	}
	first := Value{d: d, slot: i + 1, cursorOrigin: cursorOrigin{i, -1}, through: v.below()}
	if _, edited := d.editedKids(i); edited || n.Flags&(scan.HasMerge|scan.HasDuplicates) != 0 {
		return first.listed(0)
	}
	if int32(n.Next) == i+1 {
		return Value{}
	}
	return first
}

// Next returns the entry after this one, or a missing Value.
func (v Value) Next() Value {
	if v.d == nil || v.owner < 0 {
		return Value{}
	}
	if v.pos >= 0 {
		return v.listed(int(v.pos) + 1)
	}
	next := int32(v.d.n[v.slot].Next)
	if next >= int32(v.d.n[v.owner].Next) {
		return Value{}
	}
	v.slot = next
	return v
}

// All iterates over the entries of a map, or the elements of a list, with their indexes.
func (v Value) All() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		i := 0
		for c := v.First(); c.Exists() && yield(i, c); c = c.Next() {
			i++
		}
	}
}

// listed returns the entry at pos of the owner of v, whose entries are listed.
func (v Value) listed(pos int) Value {
	if merged := v.d.mergedEntries(v.owner); merged != nil {
		if pos >= len(merged) {
			return Value{}
		}
		v.slot, v.through = merged[pos].slot, v.through&throughAlias|merged[pos].through
	} else {
		kids, _ := v.d.editedKids(v.owner)
		if pos >= len(kids) {
			return Value{}
		}
		v.slot = kids[pos]
	}
	v.pos = int32(pos)
	return v
}

// Get returns the value of a key of a map: the last one if the key is repeated, an own one before
// an inherited one.
func (v Value) Get(key string) Value {
	c := v.First()
	if c.d == nil || c.d.n[c.owner].Kind != scan.MapNode {
		return Value{}
	}
	d, i := c.d, c.owner
	// Search short maps; index the keys of long ones.
	for n := 0; c.d != nil; c = c.Next() {
		if d.keyIs(c.slot, key) {
			return c
		}
		if n++; n > longCollection && d.n[i].Flags&(scan.HasMerge|scan.HasDuplicates) == 0 {
			kids := d.kids(i)
			k, ok := d.keyIndex(i, kids).last[key]
			if !ok {
				return Value{}
			}
			if c.slot = kids[k]; c.pos >= 0 {
				c.pos = k
			}
			return c
		}
	}
	return Value{}
}

// Repeated returns the entries of a map whose key occurs again further down. Reads ignore these
// entries.
func (v Value) Repeated() []Value {
	if v.Kind() != Map || v.d.n[v.node()].Flags&scan.HasDuplicates == 0 {
		return nil
	}
	d, i := v.d, v.node()
	last := map[string]int{}
	kids := d.kids(i)
	for k, kid := range kids {
		last[d.keyText(kid)] = k
	}
	var repeated []Value
	for k, kid := range kids {
		if last[d.keyText(kid)] != k {
			entry := d.entry(i, kid)
			entry.through = v.below()
			repeated = append(repeated, entry)
		}
	}
	return repeated
}

// Index returns item i of a list, counted from 0, or a missing Value.
func (v Value) Index(i int) Value {
	c := v.First()
	switch {
	case i < 0 || c.d == nil || c.d.n[c.owner].Kind != scan.ListNode:
		return Value{}
	case c.pos >= 0:
		return c.listed(i)
	case i > longCollection:
		all := c.d.entries(c.owner)
		if i >= len(all) {
			return Value{}
		}
		c.slot = all[i]
		return c
	}
	for ; i > 0; i-- {
		c = c.Next()
	}
	return c
}

// Segments returns the keys and indexes that lead to the value from the root of its document. For a
// value reached through an alias they lead to where it is written.
func (v Value) Segments() []string {
	var segments []string
	for ; v.d != nil && v.owner >= 0; v = v.parent() {
		segment := v.Key()
		if v.d.n[v.owner].Kind == scan.ListNode {
			segment = strconv.Itoa(slices.Index(v.d.kids(v.owner), v.slot))
		}
		segments = append(segments, segment)
	}
	slices.Reverse(segments)
	return segments
}

// parent returns a cursor at the collection that the value was reached from.
func (v Value) parent() Value {
	d := v.d
	p := d.cursor(d.slotOf(v.owner))
	p.owner = d.ownerOf(p.slot)
	return p
}

// Key returns the key of a map entry, "" for anything else.
func (v Value) Key() string {
	if v.d == nil || v.owner < 0 || v.d.n[v.owner].Kind != scan.MapNode {
		return ""
	}
	return v.d.keyText(v.slot)
}

// KeyTag returns the short tag that the key of a map entry resolves to, "" for anything else.
// Almost all keys are !!str. For keys that are maps or lists (!!map, !!seq) [Value.Key] is their
// YAML text.
func (v Value) KeyTag() string {
	if v.d == nil || v.owner < 0 || v.d.n[v.owner].Kind != scan.MapNode {
		return ""
	}
	switch n := &v.d.n[v.slot]; {
	case v.d.readOnly != nil:
		return v.d.readOnlyAt[v.slot].keyTag
	case n.Flags&scan.IsNew == 0 && n.KeyStyle == scalar.PlainStyle:
		return scalar.TagNames[scalar.Resolve(v.d.keyText(v.slot))]
	}
	return scalar.TagNames[scalar.StrTag]
}

// Text returns the decoded text of a scalar, "" for anything else.
func (v Value) Text() string {
	if v.d == nil {
		return ""
	}
	i := v.node()
	if v.d.n[i].Kind != scan.ScalarNode {
		return ""
	}
	return v.d.text(i)
}

// Length returns the length in bytes of a scalar as written, 0 for anything else. It does not
// decode the scalar.
func (v Value) Length() int {
	if v.Kind() != Scalar {
		return 0
	}
	n := &v.d.n[v.node()]
	if n.Flags&scan.IsNew != 0 {
		return len(v.d.newNodes[n.Val].text)
	}
	return int(n.ValEnd - n.Val)
}

// EqualText reports whether the value is a scalar with the text s. It does not allocate a string.
func (v Value) EqualText(s string) bool {
	if v.d == nil {
		return false
	}
	i := v.node()
	return v.d.n[i].Kind == scan.ScalarNode && string(v.d.textBytes(i)) == s
}

// Tag returns the short tag the value resolves to: !!str, !!int, !!bool, !!float, !!null,
// !!timestamp, !!merge, !!binary, !!map, !!seq, or the one written in the document. It is "" for a
// missing value.
func (v Value) Tag() string {
	if v.d == nil {
		return ""
	}
	i := v.node()
	n := &v.d.n[i]
	if n.Kind == scan.ScalarNode {
		if t := v.d.scalarTag(i); t != scalar.OtherTag {
			return scalar.TagNames[t]
		}
	}
	if n.Flags&scan.HasProps != 0 {
		if written := v.d.props[i].Tag; written != "" && written != "!" {
			return written
		}
	}
	if n.Kind == scan.ListNode {
		return "!!seq"
	}
	return "!!map"
}

// Data returns the value as Go data: nil, string, bool, int (int64 or uint64 for integers that do
// not fit), float64, []any, map[string]any. Timestamps are strings, as in Kubernetes.
func (v Value) Data() any {
	if v.d == nil {
		return nil
	}
	i := v.node()
	switch v.d.n[i].Kind {
	case scan.MapNode:
		m := make(map[string]any)
		for _, c := range v.All() {
			m[c.Key()] = c.Data()
		}
		return m
	case scan.ListNode:
		l := make([]any, 0, 4)
		for _, c := range v.All() {
			l = append(l, c.Data())
		}
		return l
	}
	t := v.d.scalarTag(i)
	if t == scalar.StrTag && v.d.n[i].Flags&scan.IsNew == 0 {
		return scalar.View(v.d.textBytes(i))
	}
	return scalar.Data(t, v.d.text(i))
}

// Position returns the position of the value, of its anchor or tag if it has one. For a value made
// by an edit it is the position of what the edit replaced, or of the nearest value around it that
// is in the source.
func (v Value) Position() Position {
	if v.d == nil {
		return Position{}
	}
	if v.d.readOnly != nil || v.d.source(v.slot) {
		return v.d.valuePosition(v.slot)
	}
	if v.owner >= 0 {
		if around := v.d.sourceAround(v.owner); around >= 0 {
			return v.d.valuePosition(around)
		}
	}
	return v.d.position(v.d.contentStart())
}

// KeyPosition returns the position of the key or dash of an entry. For an entry made by an edit it
// is its Position.
func (v Value) KeyPosition() Position {
	if v.d == nil {
		return Position{}
	}
	if (v.d.readOnly != nil || v.d.source(v.slot)) && v.owner >= 0 {
		return v.d.keyPosition(v.slot)
	}
	return v.Position()
}

// keyPosition returns the position of the key or dash of node i.
func (d *document) keyPosition(i int32) Position {
	switch {
	case d.readOnly != nil:
		return d.readOnlyAt[i].key
	case d.native != nil:
		return d.position(int(d.native.at[i].key))
	}
	return d.position(int(d.n[i].Key))
}

// valuePosition returns the position of the value of node i.
func (d *document) valuePosition(i int32) Position {
	switch {
	case d.readOnly != nil:
		return d.readOnlyAt[i].value
	case d.native != nil:
		return d.position(int(d.native.at[i].value))
	}
	n := &d.n[i]
	switch {
	case n.Flags&scan.HasProps != 0:
		return d.position(int(d.props[i].Start))
	case n.Flags&scan.EmptyInFlow != 0:
		return d.position(scan.AfterFlowGap(d.src, int(n.Val), d.bodyEnd))
	}
	return d.position(int(n.Val))
}

// Doc returns the value as a *YamlDoc, nil if it is missing.
func (v Value) Doc() *YamlDoc {
	if v.d == nil {
		return nil
	}
	return &YamlDoc{v: v}
}
