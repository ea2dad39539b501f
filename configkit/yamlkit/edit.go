package yamlkit

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// Place is where a path leads to in a document, found for an edit.
type Place struct {
	Doc      *gaby.YamlDoc
	Resource *api.ResourceInfo
	Segments []string   // keys and indexes
	Value    gaby.Value // what is there; it does not exist where something can be created

	place place
}

// Path is how messages and results call the place.
func (p *Place) Path() api.ResolvedPath { return p.place.reported() }

// Scalar is what is there, or the part of it that the path asks for. It reports false for maps and lists, and when there is no such part.
func (p *Place) Scalar() (any, bool) { return p.place.read() }

// Row is the result for the place, as VisitRows has it. It reports false when the part of a text that the path asks for is not in it.
func (p *Place) Row() (api.AttributeValue, bool) {
	value, t, ok := p.place.any()
	if !ok {
		return api.AttributeValue{}, false
	}
	return p.place.row(value, t), true
}

// Info is what is known about the path that led to the place.
func (p *Place) Info() *api.PathVisitorInfo { return p.place.path.info }

// BoundDetails are the details of what is registered about the place, which its path need not be: with the arguments that the
// registered path is bound to there added to the invocations that read and write it.
func (p *Place) BoundDetails(registered *api.PathVisitorInfo) *api.AttributeDetails {
	return boundDetails(registered.Details, func() []api.FunctionArgument {
		path, err := yamlpath.Parse(string(registered.Path))
		if err == nil {
			path, err = path.Bind(slices.Repeat([]string{"*"}, path.Arguments()))
		}
		if err != nil {
			return nil // it was looked at when it was registered
		}
		return p.place.arguments(path)
	})
}

// exported is the place for those outside, as long as visiting stays here.
func (p *place) exported() *Place {
	return &Place{Doc: p.doc, Resource: p.resource, Segments: p.match.Segments, Value: p.match.Value, place: *p}
}

// EditOptions say which places are to be edited.
type EditOptions struct {
	// Upsert asks for places, too, that could be created; their value is missing.
	Upsert bool
	// Wanted leaves out the places whose value it is false for. It is called often: for every value found.
	Wanted func(resource *api.ResourceInfo, v gaby.Value) bool
	// InOrder has the places of a document edited first to last, so that what is created comes in the order of the paths. It is
	// for edits that move no other place.
	InOrder bool
}

// EditPaths calls edit for the places the paths of a resource's type lead to, and returns how many there were. The places of a
// document are all found before the first of them is edited, and unless asked otherwise they are edited last first, so that no
// edit moves a place that is still to come. Errors of edit are located.
func EditPaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, options EditOptions, edit func(*Place) error,
) (int, error) {
	return editTogether(parsedData, resourceTypeToPaths, keys, resourceProvider, options, func(places []*Place) []error {
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

// DeletePaths deletes what the paths of a resource's type lead to, and returns how many places that were.
func DeletePaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
) (int, error) {
	return editTogether(parsedData, resourceTypeToPaths, keys, resourceProvider, EditOptions{}, func(places []*Place) []error {
		paths := make([][]string, len(places))
		for i, p := range places {
			paths[i] = p.Segments
		}
		return places[0].Doc.DeleteAll(paths)
	})
}

// editTogether calls edit for the places in each document. There is an error for each place.
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
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, options.Upsert, func(p *place) error {
		if options.Wanted != nil && !options.Wanted(p.resource, p.match.Value) {
			return nil
		}
		if len(places) > 0 && places[0].Doc != p.doc {
			flush()
		}
		kept := &Place{Doc: p.doc, Resource: p.resource, Segments: slices.Clone(p.match.Segments), Value: p.match.Value, place: *p}
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
