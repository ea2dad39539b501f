package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// pathTree finds changes by path.
type pathTree = mutationpath.Tree[pathChange]

// newPathTree returns a tree of the changes in paths, except those of type None.
func newPathTree(paths []*pathChange) *pathTree {
	root := &pathTree{}
	for _, p := range paths {
		if p.op != api.MutationTypeNone {
			root.Put(p.path, p)
		}
	}
	return root
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
	node, covering := d.tree.Find(r.path)
	if covering != nil {
		return covering
	}
	if node == nil {
		return nil
	}
	if d.named[node] == nil {
		d.named[node] = map[string]*pathChange{}
		for _, child := range slices.Backward(node.Children()) {
			if e := child.Entry; e != nil && e.op == api.MutationTypeDelete {
				d.named[node][e.path[len(e.path)-1].Name()] = e
			}
		}
	}
	return d.named[node][r.old]
}
