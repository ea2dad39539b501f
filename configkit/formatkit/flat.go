package formatkit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Flat is a language in which every scalar has a line of its own, whose key is the whole path with
// the segments joined by dots.
type Flat interface {
	// Line formats a new entry in the style of model (which may be nil), without a line end. The
	// comment may be empty.
	Line(w *Writer, model *Node, key string, value any, comment string) string
	// Key formats a key.
	Key(key string) string
	// Value formats value as a replacement of the value of n.
	Value(w *Writer, n *Node, value any) string
}

// FlatEdits implements the methods of [Language] that write edits, for a flat language to embed. It
// supports no comments after values.
type FlatEdits[F Flat] struct{}

// Traits implements [Language].
func (FlatEdits[F]) Traits() Traits { return Traits{ScalarsOnly: true} }

// Replace implements [Language]. A string replaces both a number and the remark after it.
func (FlatEdits[F]) Replace(w *Writer, n *Node, v gaby.Value) error {
	var f F
	if n.Kind == gaby.Scalar && v.Kind() == gaby.Scalar {
		value := v.Data()
		if _, isText := value.(string); isText && n.Rest.Len() > 0 {
			whole := *n
			whole.Span.To = n.Rest.To
			n = &whole
		}
		w.Replace(n.Span, f.Value(w, n, value))
		return nil
	}
	var last *Node
	for _, last = range n.Lines() {
		w.Remove(Span{last.Head, last.Entry.To})
	}
	if last == nil {
		return Refuse("", "the value has no line of its own")
	}
	w.insertFlat(f, last.Entry.To, last, w.keyOf(n), v, w.LineCommentOf(n))
	return nil
}

// Number implements [gaby.Native].
func (FlatEdits[F]) Number(text string) any { return Typed(text) }

// CheckComment implements [gaby.Native].
func (FlatEdits[F]) CheckComment(gaby.Value, []string, string) error {
	return Refuse("", "comments have lines of their own in this format")
}

// Comment implements [Language].
func (FlatEdits[F]) Comment(*Writer, *Node, string) error { return nil }

// Entries implements [Language].
func (FlatEdits[F]) Entries(w *Writer, n *Node, entries []Entry) (bool, error) {
	var f F
	kept := keptIn(entries)
	// new lines go after the existing ones, in the style of the last one
	below, model := len(w.Text), (*Node)(nil)
	var removed []*Node
	for i, kid := range n.Kids {
		for _, leaf := range kid.Lines() {
			switch {
			case kept[kid]:
			case n.Kind == gaby.List && i == 0 && len(entries) > 0:
				// keep the comment above the first item, which is about the list
				w.Remove(leaf.Entry)
			default:
				removed = append(removed, leaf)
			}
			if (kept[kid] || len(kept) == 0) && model == nil {
				below, model = leaf.Head, leaf
			}
		}
	}
	w.removeGroups(removed, len(kept) == len(entries))
	if all := w.Lines(); model == nil && len(all) > 0 {
		model = all[len(all)-1]
	}
	path := w.keyOf(n)
	for i, e := range entries {
		if e.Node != nil {
			for _, leaf := range e.Node.Lines() {
				if leaf.Entry.To > below {
					below, model = leaf.Entry.To, leaf
				}
			}
			continue
		}
		key := joinKey(path, n.Kind, e.Value.Key(), i)
		at, like := below, model
		if leaf := w.near(f, key); leaf != nil {
			at, like = leaf.Entry.To, leaf
		}
		if n == w.Root && e.Value.Kind() != gaby.Scalar && at == below && model != nil &&
			w.apart(model) {
			w.Insert(at, w.Newline)
		}
		w.insertFlat(f, at, like, key, e.Value, e.Value.Comments().Line)
	}
	if n.Kind == gaby.List && w.Once(w.Root) {
		w.renameFlat(f)
	}
	return false, nil
}

// groupedLines is a flat language whose lines form groups by their keys. A new line goes after the
// last one of the first of its groups that has any.
type groupedLines interface{ Groups(key string) []string }

// near returns the line after which a new one with the given key is inserted, or nil if the
// language has no groups or the text has no line in them.
func (w *Writer) near(f Flat, key string) *Node {
	g, ok := f.(groupedLines)
	if !ok {
		return nil
	}
	if w.groups == nil {
		w.groups = map[string]*Node{}
		for _, n := range w.Lines() {
			if groups := g.Groups(w.Raw(n.KeySpan)); len(groups) > 0 && w.stays(n) {
				for _, name := range groups {
					w.groups[name] = n
				}
			}
		}
	}
	for _, name := range g.Groups(key) {
		if n := w.groups[name]; n != nil {
			return n
		}
	}
	return nil
}

// removeGroups deletes the lines of entries. If a group of them was between blank lines, and
// nothing is written in its place, the blank lines on one side are deleted too.
func (w *Writer) removeGroups(removed []*Node, nothing bool) {
	slices.SortFunc(removed, func(a, b *Node) int { return a.Entry.From - b.Entry.From })
	for i := 0; i < len(removed); i++ {
		lines := Span{removed[i].Head, removed[i].Entry.To}
		for i+1 < len(removed) && removed[i+1].Head == lines.To {
			i++
			lines.To = removed[i].Entry.To
		}
		alone := lines.From == w.Begin() || w.BlankLinesAbove(lines.From) < lines.From
		if alone && nothing && (lines.To == len(w.Text) ||
			Blank(w.Text[lines.To:w.LineEnd(lines.To)])) {
			w.RemoveSection(lines, w.Remove)
		} else {
			w.Remove(lines)
		}
	}
}

// apart reports whether there is a blank line above the group of entries that leaf belongs to.
func (w *Writer) apart(leaf *Node) bool {
	group := w.Neighbours(w.Lines(), leaf)
	first := group[0].Head
	return first > w.Begin() && Blank(w.Text[w.LineAbove(first):first])
}

// stays reports whether scalar n of a flat language is still a line of the text.
func (w *Writer) stays(n *Node) bool {
	w.keyOf(n)
	_, stays := w.keys[n]
	return stays && w.Value(n).Kind() == gaby.Scalar
}

// Lines returns the scalars of the document that are on lines of their own, in
// the order of the text.
func (w *Writer) Lines() []*Node {
	if w.lines == nil {
		w.lines = w.Root.Lines()
		slices.SortFunc(w.lines, func(a, b *Node) int { return a.Entry.From - b.Entry.From })
	}
	return w.lines
}

// insertFlat writes the scalars of v, one per line. comment is that of v, if it is a scalar.
func (w *Writer) insertFlat(f Flat, at int, model *Node, key string, v gaby.Value, comment string) {
	if v.Kind() == gaby.Scalar {
		w.Insert(at, f.Line(w, model, key, v.Data(), comment)+w.Newline)
		return
	}
	for i, kid := range v.All() {
		w.insertFlat(f, at, model, joinKey(key, v.Kind(), kid.Key(), i), kid, kid.Comments().Line)
	}
}

// joinKey returns the key of an entry of the map or list with the given key.
func joinKey(key string, in gaby.Kind, entry string, index int) string {
	if in == gaby.List {
		entry = strconv.Itoa(index)
	}
	if key == "" {
		return entry
	}
	return key + "." + entry
}

// keyOf returns the current path of n, after edits, as a key.
func (w *Writer) keyOf(n *Node) string {
	if w.keys == nil {
		w.keys = map[*Node]string{}
		w.nameKeys(w.Root, "")
	}
	return w.keys[n]
}

func (w *Writer) nameKeys(n *Node, key string) {
	w.keys[n] = key
	if n.Kind == gaby.Scalar || w.Replaced(n) {
		return
	}
	entries, _ := w.now(n)
	for i, e := range entries {
		if e.Node != nil {
			w.nameKeys(e.Node, joinKey(key, n.Kind, e.Node.Key, i))
		}
	}
}

// renameFlat rewrites the keys of list items whose index has changed, in the whole text.
func (w *Writer) renameFlat(f Flat) {
	var rename func(n *Node, key string)
	rename = func(n *Node, key string) {
		now, stays := w.keys[n]
		if !stays {
			return
		}
		if n.Kind == gaby.Scalar {
			if now != key && w.Value(n).Kind() == gaby.Scalar {
				w.Replace(n.KeySpan, f.Key(now))
			}
			return
		}
		for i, kid := range n.Kids {
			rename(kid, joinKey(key, n.Kind, kid.Key, i))
		}
	}
	rename(w.Root, "")
}

// CheckFlat implements CheckValue for flat languages.
func CheckFlat(root gaby.Value, path []string) error {
	v := root
	for _, segment := range path {
		if v.Kind() == gaby.Map {
			if err := checkFlatKey(v, segment); err != nil {
				return err
			}
		}
		v = v.Doc().Search(segment).Value()
	}
	if len(path) > 0 && hasEmpty(v) {
		return Refuse("give it an entry",
			"a map or list without entries cannot be written in this format")
	}
	return nil
}

// hasEmpty reports whether v is or contains a map or list without entries.
func hasEmpty(v gaby.Value) bool {
	if v.Kind() == gaby.Scalar {
		return false
	}
	for _, kid := range v.All() {
		if hasEmpty(kid) {
			return true
		}
	}
	return v.First() == (gaby.Value{})
}

// checkFlatKey checks that an entry of m will be parsed as one, see Nest.
func checkFlatKey(m gaby.Value, key string) error {
	if key == "" {
		return Refuse("", "a key cannot be empty")
	}
	if nests(key) && m.Doc().Search(strings.Split(key, ".")[0]).Value().Kind() != gaby.Scalar {
		return Refuse("use the path "+key, "the dots of a key separate the keys of maps")
	}
	if v := m.Get(key); v.Kind() == gaby.Scalar || isParsed(m) && isParsed(v) {
		return nil
	}
	for _, kid := range m.All() {
		if strings.HasPrefix(kid.Key(), key+".") {
			return Refuse("", "the value must be a scalar, because its key begins another one, %s",
				kid.Key())
		}
	}
	return nil
}

// isParsed reports whether v is a map or list of the text that has the entries it was read with.
func isParsed(v gaby.Value) bool {
	node := v.NativeNode()
	if node < 0 {
		return false
	}
	_, replaced := v.Doc().NativeValue(node)
	return !replaced && v.Doc().HasNativeEntries(node)
}

// CheckFlatComment implements CheckComment for flat languages.
func CheckFlatComment(root gaby.Value, path []string) error {
	if root.Doc().Search(path...).Value().Kind() != gaby.Scalar {
		return NoLine()
	}
	return nil
}
