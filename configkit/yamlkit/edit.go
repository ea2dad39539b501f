package yamlkit

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Match is a match of a path in a document, found for an edit.
type Match struct {
	Doc      *gaby.YamlDoc
	Resource *api.ResourceInfo
	Segments []string   // keys and indexes
	Value    gaby.Value // the present value, missing if it can be created

	visited pathMatch
}

// Path returns the path by which messages and results report the match.
func (p *Match) Path() api.ResolvedPath { return p.visited.reported() }

// Scalar returns the value, or the part of it that the path asks for. It reports false for maps and
// lists, and if there is no such part.
func (p *Match) Scalar() (any, bool) { return p.visited.read() }

// Row returns the result for the match, as [VisitRows] does. It reports false if the path asks for
// a part that the value does not have.
func (p *Match) Row() (api.AttributeValue, bool) {
	value, t, ok := p.visited.any()
	if !ok {
		return api.AttributeValue{}, false
	}
	return p.visited.row(value, t), true
}

// Info returns the registration of the path that led to the match.
func (p *Match) Info() *api.PathVisitorInfo { return p.visited.path.info }

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
		return p.visited.arguments(path)
	})
}

// public returns the match for callers outside the package, valid until the visit continues.
func (p *pathMatch) public() *Match {
	return &Match{
		Doc: p.doc, Resource: p.resource, Segments: p.match.Segments,
		Value: p.match.Value, visited: *p,
	}
}

// EditOptions select the matches to edit.
type EditOptions struct {
	// Upsert includes matches that could be created; their value is missing.
	Upsert bool
	// Create, if not nil, excludes the missing values for which it returns false. If a value cannot
	// be created because one above it has no children, that is an error unless it is excluded.
	Create func(p *Match) bool
	// Wanted excludes the matches for whose value it returns false. It is called for each value
	// found.
	Wanted func(resource *api.ResourceInfo, v gaby.Value) bool
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
				problems = append(problems, locate(err, matches[i].Resource, &matches[i].visited))
			}
		}
		total += len(matches)
		matches = matches[:0]
	}
	v := pathVisitor{
		provider: resourceProvider, upsert: options.Upsert, create: options.Create,
		visit: func(p *pathMatch) error {
			if options.Wanted != nil && !options.Wanted(p.resource, p.match.Value) {
				return nil
			}
			if !p.match.Value.Exists() && options.Create != nil && !options.Create(p.public()) {
				return nil
			}
			if len(matches) > 0 && matches[0].Doc != p.doc {
				flush()
			}
			kept := &Match{
				Doc: p.doc, Resource: p.resource,
				Segments: slices.Clone(p.match.Segments),
				Value:    p.match.Value, visited: *p,
			}
			kept.visited.match = &yamlpath.Match{Segments: kept.Segments, Value: kept.Value}
			matches = append(matches, kept)
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
