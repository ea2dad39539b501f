package unit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/references"
)

const parameterOldReference = "old-name"

// referenceSetter is the state of one call of set-references-of-type.
type referenceSetter struct {
	call     *handler.Call
	provider configkit.ResourceProvider
	of       api.ResourceType
	from, to string

	present []*schemas.ResourceIndex // the resources of the unit and of all input files
	own     []*gaby.YamlDoc          // the resources of the type in the unit
}

// run sets the references with the old name. Without an old name, it sets placeholders and the
// references to resources in the input, which must all have the same name. If all references are
// placeholders and the unit has one resource of the type, that resource gets the name too.
// References to resources outside the input stay, with a note; if there are no others, that is an
// error. It returns the number of references.
func (s *referenceSetter) run() (matches int, err error) {
	s.survey(s.call.Unit())
	known, foreign, placeholders := map[string]*references.Reference{},
		map[string]*references.Reference{}, 0
	if _, err := s.visit(func(ref *references.Reference) bool {
		switch {
		case configkit.IsPlaceholder(ref.Name):
			placeholders++
		case ref.Name == s.to:
		case s.isPresent(ref):
			keepFirst(known, ref)
		case ref.Name != "":
			keepFirst(foreign, ref)
		}
		return false
	}); err != nil {
		return 0, err
	}
	if s.from == "" && len(known) > 1 {
		return 0, s.several(known)
	}
	matches, err = s.visit(func(ref *references.Reference) bool {
		if s.from != "" {
			return ref.Name == s.from || ref.Name == s.to
		}
		return ref.Name == s.to || s.isPresent(ref) || configkit.IsPlaceholder(ref.Name)
	})
	if err == nil && s.from == "" && len(known) == 0 && len(foreign) == 0 && placeholders > 0 &&
		len(s.own) == 1 {
		err = s.connect(s.own[0])
		matches++
	}
	if err == nil && s.from == "" && len(foreign) > 0 {
		if matches == 0 {
			return 0, s.onlyForeign(foreign)
		}
		names := slices.Sorted(maps.Keys(foreign))
		s.call.NoteNames(fmt.Sprintf(
			"references to resources of type %s that are not in the input do not change; --%s "+
				"sets the references to one of them",
			s.of, parameterOldReference,
		), names...)
	}
	return matches, err
}

// keepFirst keeps where the first reference with a name is.
func keepFirst(all map[string]*references.Reference, ref *references.Reference) {
	if all[ref.Name] == nil {
		all[ref.Name] = &references.Reference{Match: &yamlkit.Match{
			Doc: ref.Match.Doc, Resource: ref.Match.Resource, Value: ref.Match.Value,
		}}
	}
}

// visit sets the references to the type for which wanted returns true. It returns their number.
func (s *referenceSetter) visit(wanted func(*references.Reference) bool) (int, error) {
	return references.Set(s.call.Docs, s.provider, func(ref *references.Reference) (string, bool) {
		return s.to, slices.ContainsFunc(ref.Types, func(t api.ResourceType) bool {
			return configkit.SameKind(t, s.of)
		}) && wanted(ref)
	})
}

// isPresent reports whether the input has the resource that is referred to. An unknown namespace
// matches any.
func (s *referenceSetter) isPresent(ref *references.Reference) bool {
	kind := configkit.GroupKind(s.of)
	return slices.ContainsFunc(s.present, func(index *schemas.ResourceIndex) bool {
		return index.Has(kind, ref.Namespace, ref.Name)
	})
}

// survey finds the resources of the type in the unit and in the rest of the input.
func (s *referenceSetter) survey(unit gaby.Container) {
	var own []schemas.InputResource
	for _, doc := range unit {
		if info, err := s.provider.ResourceInfo(doc); err == nil &&
			configkit.SameKind(info.ResourceType, s.of) {
			own = append(own, schemas.InputResource{ResourceInfo: info})
			s.own = append(s.own, doc)
		}
	}
	s.present = []*schemas.ResourceIndex{schemas.IndexResources(own)}
	if p, ok := s.provider.(schemas.InputProvider); ok {
		s.present = append(s.present, p.Inputs())
	}
}

// several returns the error for references to more than one resource, which cannot all get the same
// name.
func (s *referenceSetter) several(known map[string]*references.Reference) error {
	return s.needsOldName(known, fmt.Sprintf(
		"references to several resources of type %s would all name %s", s.of, s.to))
}

// onlyForeign returns the error for a unit whose references are all to resources that are not in
// the input: nothing says that one of them is meant.
func (s *referenceSetter) onlyForeign(foreign map[string]*references.Reference) error {
	return s.needsOldName(foreign, fmt.Sprintf(
		"no reference is set, as the resources of type %s that are referred to are not in the "+
			"input", s.of))
}

// needsOldName returns an error that asks the user to choose one of the references, by name.
func (s *referenceSetter) needsOldName(references map[string]*references.Reference,
	message string,
) error {
	names := slices.Sorted(maps.Keys(references))
	first := references[names[0]].Match
	return &api.Failure{
		Class: api.FailureFunction, Resource: first.Resource.String(),
		Pos:     first.Value.Position(),
		Message: message + ": " + strings.Join(names, ", "),
		Hint: fmt.Sprintf(
			"'set-references-of-type %s %s %s' sets the references to %s", s.of, s.to, names[0],
			names[0],
		),
	}
}

// connect renames the only resource of the type to the name that the placeholders got.
func (s *referenceSetter) connect(doc *gaby.YamlDoc) error {
	_, err := doc.Set(s.to, gaby.DotPathToSlice(string(s.provider.ScopelessResourceNamePath()))...)
	return err
}
