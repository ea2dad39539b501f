package mutationpath

// Tree finds entries by path: the one at a path, the nearest above it, and all below it. Paths are
// compared in their canonical form. The entries below a path come in the order in which they were
// added, because a parent must be set before its children.
type Tree[E any] struct {
	Entry    *E // nil if there is none at the path
	children map[string]*Tree[E]
	order    []string
}

// Put adds an entry.
func (t *Tree[E]) Put(path Path, entry *E) {
	for i := range path {
		key := path[i : i+1].Canonical()
		next := t.children[key]
		if next == nil {
			if t.children == nil {
				t.children = map[string]*Tree[E]{}
			}
			next = &Tree[E]{}
			t.children[key] = next
			t.order = append(t.order, key)
		}
		t = next
	}
	t.Entry = entry
}

// Find returns the node at path, or nil, and the nearest entry at or above path.
func (t *Tree[E]) Find(path Path) (node *Tree[E], covering *E) {
	node, covering = t, t.Entry
	for i := range path {
		if node = node.children[path[i:i+1].Canonical()]; node == nil {
			break
		}
		if node.Entry != nil {
			covering = node.Entry
		}
	}
	return node, covering
}

// Children returns the nodes one level below, in the order in which they were added.
func (t *Tree[E]) Children() []*Tree[E] {
	list := make([]*Tree[E], len(t.order))
	for i, key := range t.order {
		list[i] = t.children[key]
	}
	return list
}

// Below appends the entries below the node, which may be nil, to list.
func (t *Tree[E]) Below(list []*E) []*E {
	if t == nil {
		return list
	}
	for _, c := range t.Children() {
		if c.Entry != nil {
			list = append(list, c.Entry)
		}
		list = c.Below(list)
	}
	return list
}
