package generic

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
	"github.com/fctl-dev/fctl/functions/handler"
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

// othersHave reports whether a value of which no schema says anything may be created: among several
// resources one of the type has it, and this one has what is above it. element, if not "", is the
// last segment, which looks up an element of the list at segments.
func (k *typeKnowledge) othersHave(
	doc *gaby.YamlDoc, t api.ResourceType, segments []string, element string,
) bool {
	if k.surveyed == nil || !k.surveyed.Several() {
		return true
	}
	if element != "" {
		segments = append(slices.Clone(segments), element)
	}
	above := segments[:len(segments)-1]
	return (len(above) == 0 || doc.Exists(above...)) && k.surveyed.Has(t, segments)
}

// Merging decides for a function that merges maps into resources which missing values it may
// create: among several resources, those that the type of a resource has.
type Merging struct {
	typeKnowledge
	fc      *api.FunctionContext
	last    *gaby.YamlDoc // the last resource that does not get all of its map
	skipped int           // such resources
	paths   []string      // some of what they do not get
}

// NewMerging returns what decides for a call of a function whose registration has SurveysAll.
func NewMerging(fc *api.FunctionContext, provider configkit.ResourceProvider) *Merging {
	fields, _ := provider.(yamlpath.FieldProvider)
	return &Merging{
		typeKnowledge: typeKnowledge{fields: fields, surveyed: handler.SurveyOf(fc)}, fc: fc,
	}
}

// SurveysAll is the Surveys of a registration whose function may create values at any path.
func SurveysAll([]api.FunctionArgument) func(api.ResourceType) bool {
	return func(api.ResourceType) bool { return true }
}

// shownPaths is the number of paths that a note about skipped values names.
const shownPaths = 3

// May reports whether the missing value at segments may be created in a resource.
func (m *Merging) May(doc *gaby.YamlDoc, t api.ResourceType, segments []string) bool {
	if m.surveyed == nil {
		return true
	}
	field := m.field(doc, t, segments)
	if field.Known && (field.Missing < 0 || doc.Exists(segments[:field.Missing+1]...)) ||
		!field.Known && m.othersHave(doc, t, segments, "") || !m.surveyed.Several() {
		return true
	}
	if m.last != doc {
		m.last = doc
		m.skipped++
	}
	path := string(yamlpath.Join(segments))
	if len(m.paths) < shownPaths && !slices.Contains(m.paths, path) {
		m.paths = append(m.paths, path)
	}
	return false
}

// Report notes what was not created.
func (m *Merging) Report() {
	if m.skipped > 0 {
		m.fc.NoteSum("resources do not get fields that they lack and that their types may not "+
			"have, such as "+strings.Join(m.paths, ", ")+" (fctl do --upsert creates them)",
			m.skipped)
	}
}
