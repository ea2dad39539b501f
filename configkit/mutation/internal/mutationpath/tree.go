package mutationpath

import "github.com/fctl-dev/fctl/api"

// PathTree finds changes by path, whatever the digests in it.
type PathTree struct {
	entry    *treeEntry
	children map[string]*PathTree
}

type treeEntry struct {
	path Path
	info api.MutationInfo
}

// child returns the node below s, creating it if necessary.
func (t *PathTree) child(s Segment) *PathTree {
	key := Path{s}.Indexed()
	next := t.children[key]
	if next == nil {
		if t.children == nil {
			t.children = map[string]*PathTree{}
		}
		next = &PathTree{}
		t.children[key] = next
	}
	return next
}

// Put adds an existing change, without effect on those around it.
func (t *PathTree) Put(path Path, info api.MutationInfo) {
	for _, s := range path {
		t = t.child(s)
	}
	t.entry = &treeEntry{path, info}
}

// Enter adds a new change, which replaces all changes below it.
func (t *PathTree) Enter(path Path, info api.MutationInfo) {
	for _, s := range path {
		if t.entry != nil {
			info.Protected = info.Protected || t.entry.info.Protected
		}
		t = t.child(s)
	}
	if t.entry != nil {
		info.Protected = info.Protected || t.entry.info.Protected
		if t.entry.info.MutationType == api.MutationTypeDelete &&
			info.MutationType != api.MutationTypeDelete {
			info.MutationType = api.MutationTypeReplace
		}
	}
	t.entry, t.children = &treeEntry{path, info}, nil
}

// Each calls visit for every change, in no particular order.
func (t *PathTree) Each(visit func(Path, api.MutationInfo)) {
	if t.entry != nil {
		visit(t.entry.path, t.entry.info)
	}
	for _, c := range t.children {
		c.Each(visit)
	}
}
