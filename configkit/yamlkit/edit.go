package yamlkit

import (
	"errors"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Match is a match of a path in a document. While documents are visited it is reused: copy whatever
// is kept.
type Match struct {
	Doc      *gaby.YamlDoc
	Resource *api.ResourceInfo
	Segments []string   // keys and indexes
	Value    gaby.Value // the present value, missing if it can be created

	passed []gaby.Value // see yamlpath.Match
	known  *typePaths
	path   *compiledPath
	root   gaby.Value
}

// at moves the match to another one of the same path.
func (p *Match) at(m *yamlpath.Match) { p.Segments, p.Value, p.passed = m.Segments, m.Value, m.Passed }

// Row returns the result for the match, as [VisitRows] does. It reports false if the path asks for
// a part that the value does not have.
func (p *Match) Row() (api.AttributeValue, bool) {
	value, t, ok := p.any()
	if !ok {
		return api.AttributeValue{}, false
	}
	return p.row(value, t), true
}

// Info returns the registration of the path that led to the match.
func (p *Match) Info() *api.PathVisitorInfo { return p.path.info }

// BoundDetails returns the details of registered, whose path may differ from the one that led to
// the match. The arguments that the registered path binds there are added to the invocations that
// read and write it.
func (p *Match) BoundDetails(registered *api.PathVisitorInfo) *api.AttributeDetails {
	return boundDetails(registered.Details, func() []api.FunctionArgument {
		path, err := yamlpath.Parse(string(registered.Path))
		if err == nil {
			path, err = path.Bind(slices.Repeat([]string{"*"}, path.Arguments()))
		}
		if err != nil {
			return nil // registering it reported the error
		}
		return p.arguments(path)
	})
}

// EditOptions select the matches to edit.
type EditOptions struct {
	// Upsert includes matches that could be created; their value is missing.
	Upsert bool
	// Create, if not nil, excludes the missing values for which it returns false. If a value cannot
	// be created because one above it has no children, that is an error unless it is excluded.
	Create func(p *Match) bool
	// Wanted, if not nil, excludes the matches for which it returns false.
	Wanted func(p *Match) bool
	// InOrder edits the matches of a document from first to last, so that new values are created in
	// the order of the paths. Use it only for edits that move no other match.
	InOrder bool
}

// EditPaths calls edit for the matches of the paths of each resource's type, and returns their
// number. All matches in a document are found before the first of them is edited. They are edited
// from last to first, unless InOrder is set, so that no edit moves a match that is still to be
// edited. Errors of edit are located.
func EditPaths(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider, options EditOptions, edit func(*Match) error,
) (int, error) {
	return editTogether(docs, paths, args, resourceProvider, options,
		func(matches []*Match) []error {
			if !options.InOrder {
				slices.Reverse(matches)
			}
			problems := make([]error, len(matches))
			for i, p := range matches {
				problems[i] = edit(p)
			}
			return problems
		})
}

// DeletePaths deletes the matches of the paths of each resource's type, and returns their number.
func DeletePaths(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider,
) (int, error) {
	return editTogether(docs, paths, args, resourceProvider, EditOptions{},
		func(matches []*Match) []error {
			paths := make([][]string, len(matches))
			for i, p := range matches {
				paths[i] = p.Segments
			}
			return matches[0].Doc.DeleteAll(paths)
		})
}

// PrunePaths is DeletePaths that also deletes the maps and lists whose last entry it deletes. An
// element of a list that loses its last entry stays, as an empty map.
func PrunePaths(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider,
) (int, error) {
	return editTogether(docs, paths, args, resourceProvider, EditOptions{},
		func(matches []*Match) []error {
			doc, root := matches[0].Doc, &pruned{}
			for i, p := range matches {
				root.add(p.Segments, i)
			}
			gone, _ := root.below(doc.Value(), nil)
			paths := make([][]string, len(gone))
			for i, g := range gone {
				paths[i] = g.path
			}
			problems := make([]error, len(matches))
			for i, err := range doc.DeleteAll(paths) {
				problems[gone[i].match] = err
			}
			return problems
		})
}

// pruned is a value of a document of which something is deleted.
type pruned struct {
	children map[string]*pruned // by key or index
	matched  bool               // the value itself is deleted
	match    int                // the index of the first match at or below it
	path     []string           // set by below
}

// add adds a match below p.
func (p *pruned) add(segments []string, match int) {
	for _, s := range segments {
		if p.children[s] == nil {
			if p.children == nil {
				p.children = map[string]*pruned{}
			}
			p.children[s] = &pruned{match: match}
		}
		p = p.children[s]
	}
	p.matched = true
}

// below returns which values below v, which is at a path, are deleted, and whether none is left.
func (p *pruned) below(v gaby.Value, path []string) (gone []*pruned, emptied bool) {
	left := v.Len()
	for i, e := range v.All() {
		key := e.Key()
		if v.Kind() == gaby.List {
			key = strconv.Itoa(i)
		}
		child := p.children[key]
		if child == nil {
			continue
		}
		child.path = append(slices.Clone(path), key)
		if !child.matched {
			within, emptied := child.below(e, child.path)
			if !emptied || v.Kind() == gaby.List {
				gone = append(gone, within...)
				continue
			}
		}
		gone = append(gone, child)
		left--
	}
	return gone, left == 0
}

// editTogether calls edit once for each document with all matches in it. edit returns an error for
// each match.
func editTogether(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider, options EditOptions, edit func([]*Match) []error,
) (int, error) {
	total := 0
	var matches []*Match // of one document
	var problems []error
	flush := func() {
		if len(matches) == 0 {
			return
		}
		for i, err := range edit(matches) {
			if err != nil {
				problems = append(problems, matches[i].locate(err))
			}
		}
		total += len(matches)
		matches = matches[:0]
	}
	v := pathVisitor{
		provider: resourceProvider, upsert: options.Upsert, create: options.Create,
		wanted: options.Wanted,
		visit: func(p *Match) error {
			if len(matches) > 0 && matches[0].Doc != p.Doc {
				flush()
			}
			kept := *p
			kept.at(&yamlpath.Match{Segments: slices.Clone(p.Segments), Value: p.Value})
			matches = append(matches, &kept)
			return nil
		},
	}
	err := v.documents(docs, paths, args)
	flush()
	if err != nil {
		problems = append([]error{err}, problems...)
	}
	return total, errors.Join(problems...)
}
