package yamlkit

import (
	"sync"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// A prefix is what all paths of a resource type begin with: keys of maps that lead to the containers of a pod, for example. In a
// document they are followed once, and not for every path again.
type prefix struct {
	segments []string
	text     string                         // how results report it
	keys     func() *configkit.MergeKeyTree // below it

	passed []gaby.Value // what is there in the document visited last, nothing when the way is not open
	doc    *gaby.YamlDoc
	mark   gaby.Mark // of that document then
}

func newPrefix(paths []compiledPath, keys func() *configkit.MergeKeyTree) prefix {
	var p prefix
	for n := range commonSegments(paths) {
		p.segments = append(p.segments, paths[0].path.Segments()[n].Key)
	}
	p.text = string(yamlpath.Join(p.segments))
	p.keys = sync.OnceValue(func() *configkit.MergeKeyTree {
		tree := keys()
		for _, s := range p.segments {
			tree = tree.Child(s)
		}
		return tree
	})
	return p
}

// commonSegments is how many plain keys all paths begin with.
func commonSegments(paths []compiledPath) int {
	for n := 0; len(paths) > 0; n++ {
		first := paths[0].path
		for i := range paths {
			p := paths[i].path
			if paths[i].constraint != nil || n == len(p.Segments()) {
				return n
			}
			if s := &p.Segments()[n]; s.Kind != yamlpath.Plain || s.Key != first.Segments()[n].Key {
				return n
			}
		}
	}
	return 0
}

// follow is what the prefix leads through in a document, nothing when one of its keys is not in a map there.
func (p *prefix) follow(doc *gaby.YamlDoc) []gaby.Value {
	mark := doc.Checkpoint()
	if p.doc == doc && p.mark == mark {
		return p.passed
	}
	p.doc, p.mark, p.passed = doc, mark, p.passed[:0]
	v := doc.Value()
	for _, s := range p.segments {
		if v = v.Get(s); !v.Exists() {
			p.passed = p.passed[:0]
			break
		}
		p.passed = append(p.passed, v)
	}
	return p.passed
}
