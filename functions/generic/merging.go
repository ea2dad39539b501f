package generic

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// typeKnowledge says which fields the types of resources have.
type typeKnowledge struct {
	fields   yamlpath.FieldProvider // nil if no schemas are known
	surveyed *handler.Surveyed      // nil if what others have does not matter
}

// field returns what the schema of a type says about a path in a resource. The metadata
// of a type without a schema is known, but only in resources that have metadata.
func (k *typeKnowledge) field(
	doc *gaby.YamlDoc, t api.ResourceType, segments []string,
) yamlpath.Field {
	if k.fields == nil {
		return yamlpath.Field{Missing: -1}
	}
	field := k.fields.Field(t, yamlpath.Exactly(segments))
	if field.Known && !doc.Exists(segments[0]) &&
		!k.fields.Field(t, yamlpath.Exactly(nil)).Known {
		field.Known = false
	}
	return field
}

// several reports whether a function without a resource type treats several resources.
func (k *typeKnowledge) several() bool { return k.surveyed != nil && k.surveyed.Several() }

// isBlocked reports whether the value at segments, or else the nearest one above it that exists, is
// neither a map nor null.
func isBlocked(doc *gaby.YamlDoc, segments []string) bool {
	for n := len(segments); n > 0; n-- {
		if v := doc.Search(segments[:n]...); v != nil {
			return !v.IsMap() && !v.Value().IsNull()
		}
	}
	return false
}

// othersHave reports whether a value of which no schema says anything may be created: among several
// resources one of the type has it, and this one has what is above it. element, if not "", is the
// last segment, which looks up an element of the list at segments.
func (k *typeKnowledge) othersHave(
	doc *gaby.YamlDoc, t api.ResourceType, segments []string, element string,
) bool {
	switch {
	case !k.several():
		return true
	case t == appkit.NoSchema:
		return false // nothing says that such resources are alike
	}
	if element != "" {
		segments = append(slices.Clone(segments), element)
	}
	above := doc.Search(segments[:len(segments)-1]...)
	return (above.IsMap() || above.IsArray()) && k.surveyed.Has(t, segments)
}

// Merging decides for a function that merges maps into resources which missing values it may
// create: among several resources, those that the type of a resource has.
type Merging struct {
	typeKnowledge
	provider configkit.ResourceProvider
	fc       *api.FunctionContext
	lacking  declined // values that the types may not have
	blocked  declined // values whose place another value has
}

// declined counts resources that do not get all of their map.
type declined struct {
	last      *gaby.YamlDoc
	resources int
	paths     []string // some of the paths that they do not get
}

// add adds a value that a resource does not get.
func (d *declined) add(doc *gaby.YamlDoc, segments []string) {
	if d.last != doc {
		d.last = doc
		d.resources++
	}
	path := string(yamlpath.Join(segments))
	if len(d.paths) < shownPaths && !slices.Contains(d.paths, path) {
		d.paths = append(d.paths, path)
	}
}

// NewMerging returns what decides for a call of a function whose registration has SurveysAll.
func NewMerging(fc *api.FunctionContext, provider configkit.ResourceProvider) *Merging {
	fields, _ := provider.(yamlpath.FieldProvider)
	return &Merging{
		typeKnowledge: typeKnowledge{fields: fields, surveyed: handler.SurveyOf(fc)},
		provider:      provider, fc: fc,
	}
}

// SurveysAll is the Surveys of a registration whose function may create values at any path.
func SurveysAll([]api.FunctionArgument) func(api.ResourceType) bool {
	return func(api.ResourceType) bool { return true }
}

// shownPaths is the number of paths that a note about skipped values names.
const shownPaths = 3

// May reports whether the value at segments, which is missing or is to become a map, may be created
// in a resource.
func (m *Merging) May(doc *gaby.YamlDoc, t api.ResourceType, segments []string) bool {
	if m.surveyed == nil {
		return true
	}
	field, blocked := m.field(doc, t, segments), isBlocked(doc, segments)
	has := field.Known && (field.Missing < 0 || doc.Exists(segments[:field.Missing+1]...))
	switch {
	case has && !blocked || !m.several():
		return true
	case blocked:
		m.blocked.add(doc, segments)
	case !field.Known && m.othersHave(doc, t, segments, ""):
		return true
	default:
		m.lacking.add(doc, segments)
	}
	return false
}

// Report notes what was not created.
func (m *Merging) Report() {
	if m.lacking.resources > 0 {
		m.fc.NoteSum("skipped fields of ", m.lacking.resources, "resource", " that are missing and "+
			"that no schema has, such as "+strings.Join(m.lacking.paths, ", ")+
			" (fctl do --upsert creates them)")
	}
	if m.blocked.resources > 0 {
		m.fc.NoteSum("skipped fields of ", m.blocked.resources, "resource", " below values that "+
			"cannot hold them, such as "+strings.Join(m.blocked.paths, ", ")+
			" (fctl do --upsert replaces the values)")
	}
}
