package yamlkit

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// Place is a match of a path in a document, found for an edit.
type Place struct {
	Doc      *gaby.YamlDoc
	Resource *api.ResourceInfo
	Segments []string   // keys and indexes
	Value    gaby.Value // the present value, missing if it can be created

	place place
}

// Path returns the path by which messages and results report the place.
func (p *Place) Path() api.ResolvedPath { return p.place.reported() }

// Scalar returns the value, or the part of it that the path asks for. It reports false for maps and
// lists, and if there is no such part.
func (p *Place) Scalar() (any, bool) { return p.place.read() }

// Row returns the result for the place, as [VisitRows] does. It reports false if the path asks for
// a part that the value does not have.
func (p *Place) Row() (api.AttributeValue, bool) {
	value, t, ok := p.place.any()
	if !ok {
		return api.AttributeValue{}, false
	}
	return p.place.row(value, t), true
}

// Info returns the registration of the path that led to the place.
func (p *Place) Info() *api.PathVisitorInfo { return p.place.path.info }

// BoundDetails returns the details of registered, whose path may differ from the one that led to
// the place. The arguments that the registered path binds there are added to the invocations that
// read and write it.
func (p *Place) BoundDetails(registered *api.PathVisitorInfo) *api.AttributeDetails {
	return boundDetails(registered.Details, func() []api.FunctionArgument {
		path, err := yamlpath.Parse(string(registered.Path))
		if err == nil {
			path, err = path.Bind(slices.Repeat([]string{"*"}, path.Arguments()))
		}
		if err != nil {
			return nil // registering it reported the error
		}
		return p.place.arguments(path)
	})
}

// exported returns the place for callers outside the package, valid until the visit continues.
func (p *place) exported() *Place {
	return &Place{
		Doc: p.doc, Resource: p.resource, Segments: p.match.Segments,
		Value: p.match.Value, place: *p,
	}
}

// EditOptions select the places to edit.
type EditOptions struct {
	// Upsert includes places that could be created; their value is missing.
	Upsert bool
	// Wanted excludes the places for whose value it returns false. It is called for each value
	// found.
	Wanted func(resource *api.ResourceInfo, v gaby.Value) bool
	// InOrder edits the places of a document from first to last, so that new values are created in
	// the order of the paths. Use it only for edits that move no other place.
	InOrder bool
}

// EditPaths calls edit for the matches of the paths of each resource's type, and returns their
// number. All matches in a document are found before the first of them is edited. They are edited
// from last to first, unless InOrder is set, so that no edit moves a place that is still to be
// edited. Errors of edit are located.
func EditPaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, options EditOptions, edit func(*Place) error,
) (int, error) {
	return editTogether(parsedData, resourceTypeToPaths, keys, resourceProvider, options,
		func(places []*Place) []error {
			if !options.InOrder {
				slices.Reverse(places)
			}
			problems := make([]error, len(places))
			for i, p := range places {
				problems[i] = edit(p)
			}
			return problems
		})
}

// DeletePaths deletes the matches of the paths of each resource's type, and returns their number.
func DeletePaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
) (int, error) {
	return editTogether(parsedData, resourceTypeToPaths, keys, resourceProvider, EditOptions{},
		func(places []*Place) []error {
			paths := make([][]string, len(places))
			for i, p := range places {
				paths[i] = p.Segments
			}
			return places[0].Doc.DeleteAll(paths)
		})
}

// editTogether calls edit once for each document with all places in it. edit returns an error for
// each place.
func editTogether(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, options EditOptions, edit func([]*Place) []error,
) (int, error) {
	matches := 0
	var places []*Place // of one document
	var problems []error
	flush := func() {
		if len(places) == 0 {
			return
		}
		for i, err := range edit(places) {
			if err != nil {
				problems = append(problems, locate(err, places[i].Resource, &places[i].place))
			}
		}
		matches += len(places)
		places = places[:0]
	}
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, options.Upsert,
		func(p *place) error {
			if options.Wanted != nil && !options.Wanted(p.resource, p.match.Value) {
				return nil
			}
			if len(places) > 0 && places[0].Doc != p.doc {
				flush()
			}
			kept := &Place{
				Doc: p.doc, Resource: p.resource,
				Segments: slices.Clone(p.match.Segments),
				Value:    p.match.Value, place: *p,
			}
			kept.place.match = &yamlpath.Match{Segments: kept.Segments, Value: kept.Value}
			places = append(places, kept)
			return nil
		})
	flush()
	if err != nil {
		problems = append([]error{err}, problems...)
	}
	return matches, errors.Join(problems...)
}
