package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// pathTree finds changes by path: the one at a path, the nearest above it, and all below it. Paths
// are compared in their canonical form. The changes below a path come in the order in which they
// were added, because a parent must be set before its children.
type pathTree struct {
	entry    *pathChange
	children map[string]*pathTree
	order    []string
}

// newPathTree returns a tree of the changes in paths, except those of type None.
func newPathTree(paths []*pathChange) *pathTree {
	root := &pathTree{}
	for _, p := range paths {
		if p.op != api.MutationTypeNone {
			root.put(p)
		}
	}
	return root
}

// put adds a change.
func (t *pathTree) put(p *pathChange) {
	for i := range p.path {
		key := p.path[i : i+1].Canonical()
		next := t.children[key]
		if next == nil {
			if t.children == nil {
				t.children = map[string]*pathTree{}
			}
			next = &pathTree{}
			t.children[key] = next
			t.order = append(t.order, key)
		}
		t = next
	}
	t.entry = p
}

// find returns the node at path, or nil, and the nearest change at or above path.
func (t *pathTree) find(path mutationpath.Path) (node *pathTree, covering *pathChange) {
	node, covering = t, t.entry
	for i := range path {
		if node = node.children[path[i:i+1].Canonical()]; node == nil {
			break
		}
		if node.entry != nil {
			covering = node.entry
		}
	}
	return node, covering
}

// all appends the changes below the node to list.
func (t *pathTree) all(list []*pathChange) []*pathChange {
	if t == nil {
		return list
	}
	for _, key := range t.order {
		c := t.children[key]
		if c.entry != nil {
			list = append(list, c.entry)
		}
		list = c.all(list)
	}
	return list
}

// deletedElements finds changes that delete elements of lists.
type deletedElements struct {
	tree  *pathTree
	named map[*pathTree]map[string]*pathChange // by list and name; filled when needed
}

func newDeletedElements(paths []*pathChange) *deletedElements {
	return &deletedElements{newPathTree(paths), map[*pathTree]map[string]*pathChange{}}
}

// of returns the change that deleted the element of a rename, or nil.
func (d *deletedElements) of(r elementRename) *pathChange {
	node, covering := d.tree.find(r.path)
	if covering != nil {
		return covering
	}
	if node == nil {
		return nil
	}
	if d.named[node] == nil {
		d.named[node] = map[string]*pathChange{}
		for _, key := range slices.Backward(node.order) {
			if e := node.children[key].entry; e != nil && e.op == api.MutationTypeDelete {
				d.named[node][e.path[len(e.path)-1].Name()] = e
			}
		}
	}
	return d.named[node][r.old]
}
