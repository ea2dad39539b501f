package yamlkit

import (
	"cmp"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Blocks are the documents of one resource: a single one, unless the provider is a
// configkit.BlockProvider.
type Blocks struct {
	Info api.ResourceInfo
	Docs gaby.Container
}

// ResourceBlocks returns the resources of a unit in the order of their first documents. It skips
// documents that are not resources. The error joins the problems of identifying them.
func ResourceBlocks(docs gaby.Container, provider configkit.ResourceProvider) ([]Blocks, error) {
	_, inBlocks := provider.(configkit.BlockProvider)
	at := map[api.ResourceInfo]int{}
	var all []Blocks
	var problems []error
	for i, doc := range docs {
		info, err := yamlpath.ResourceInfo(doc, provider)
		if err != nil {
			problems = append(problems, err)
		}
		if info == nil {
			continue
		}
		if first, ok := at[*info]; ok && inBlocks {
			all[first].Docs = append(all[first].Docs, doc)
			continue
		}
		if inBlocks {
			at[*info] = len(all)
		}
		all = append(all, Blocks{Info: *info, Docs: docs[i : i+1 : i+1]})
	}
	return all, errors.Join(problems...)
}

// At returns the documents that have a value at a path of keys and indexes.
func (b *Blocks) At(path ...string) gaby.Container {
	var some gaby.Container
	for _, doc := range b.Docs {
		if doc.Search(path...) != nil {
			some = append(some, doc)
		}
	}
	return some
}

// siblings maps each document of a resource with several documents to all documents of that
// resource. For a data source the documents of the resource with the same type and name come first:
// a value that neither has is created in the resource.
type siblings map[*gaby.YamlDoc]*Blocks

// siblingsOf returns the siblings of docs, nil if the provider has no blocks.
func siblingsOf(docs gaby.Container, provider configkit.ResourceProvider) siblings {
	if _, ok := provider.(configkit.BlockProvider); !ok || len(docs) < 2 {
		return nil
	}
	// The visitor of the documents reports the error.
	all, _ := ResourceBlocks(docs, provider)
	slices.SortStableFunc(all, func(a,
		b Blocks,
	) int {
		return cmp.Compare(isDynamic(&a), isDynamic(&b))
	})
	named := map[api.ResourceInfo]*Blocks{}
	s := siblings{}
	for i := range all {
		name := all[i].Info
		name.ResourceCategory = ""
		if named[name] == nil {
			named[name] = &Blocks{Info: all[i].Info}
		}
		blocks := named[name]
		blocks.Docs = append(blocks.Docs, all[i].Docs...)
		if len(blocks.Docs) > 1 {
			for _, doc := range blocks.Docs {
				s[doc] = blocks
			}
		}
	}
	return s
}

// isDynamic returns 1 for a data source, else 0.
func isDynamic(b *Blocks) int {
	if b.Info.ResourceCategory == api.ResourceCategoryDynamicData {
		return 1
	}
	return 0
}

// elsewhere reports whether a value that doc does not have would be created in another document of
// its resource: in the first of those that have the longest part of the path.
func (s siblings) elsewhere(doc *gaby.YamlDoc, path []string) bool {
	blocks := s[doc]
	if blocks == nil {
		return false
	}
	for n := len(path); n > 0; n-- {
		if have := blocks.At(path[:n]...); len(have) > 0 {
			return have[0] != doc
		}
	}
	return blocks.Docs[0] != doc
}

// have reports whether a path leads to a value in any document of doc's resource, so that it need
// not lead to one in doc.
func (s siblings) have(doc *gaby.YamlDoc, path *yamlpath.Path) bool {
	blocks := s[doc]
	if blocks == nil {
		return false
	}
	found := false
	for _, other := range blocks.Docs {
		_ = path.Resolve(other.Value(), yamlpath.Options{NoArguments: true},
			func(m *yamlpath.Match) error {
				found = found || m.Value.Exists()
				return nil
			})
	}
	return found
}
