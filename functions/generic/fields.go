package generic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
	"github.com/fctl-dev/fctl/functions/handler"
)

// creation decides for a setter without a resource type which missing values it may create: those
// that the schema of the type has. A setter of spec.replicas must not add spec to a ConfigMap.
type creation struct {
	fields  yamlpath.FieldProvider
	asked   string                    // the path
	skipped int                       // resources
	last    *gaby.YamlDoc             // the last skipped one
	created int                       // values that may be created
	known   bool                      // a schema has the field
	seen    map[api.ResourceType]bool // types of skipped resources
	meant   string                    // the path that is nearest to the path
	at      int                       // the segment in which they differ
	named   bool                      // the user names the type, so all values may be created
	refused string                    // the path that is meant by one in another notation
	// respelled says that meant is the same path in another spelling.
	respelled bool
}

// newCreation returns what decides about missing values, or nil if nothing is known about the types
// of a toolchain. If the user names the type, every value may be created.
func newCreation(
	provider configkit.ResourceProvider, t api.ResourceType, path string,
) *creation {
	fields, ok := provider.(yamlpath.FieldProvider)
	if !ok {
		return nil
	}
	return &creation{
		fields: fields, asked: path, named: t != api.ResourceTypeAny,
		seen: map[api.ResourceType]bool{}, at: -1,
	}
}

// option returns the function for the options of an edit, or nil.
func (c *creation) option() func(*yamlkit.Match) bool {
	if c == nil {
		return nil
	}
	return c.may
}

// may reports whether a missing value may be created.
func (c *creation) may(p *yamlkit.Match) bool {
	field := c.fields.Field(p.Resource.ResourceType, yamlpath.Exactly(p.Segments))
	if !field.Known || field.Missing < 0 || p.Doc.Exists(p.Segments[:field.Missing+1]...) {
		c.created++
		c.known = c.known || field.Known
		return true
	}
	if c.last != p.Doc {
		c.last = p.Doc
		c.skipped++
	}
	defer func() { c.seen[p.Resource.ResourceType] = true }()
	t := p.Resource.ResourceType
	if c.named {
		if c.refused == "" && !strings.Contains(c.asked, "@") { // @key:name is the key itself
			c.refused = cmp.Or(respelled(c.fields, t, p.Segments, field.Missing),
				separated(p, field.Missing))
		}
		if !c.seen[t] && field.Missing > c.at {
			c.suggest(string(p.Path()), &field)
		}
		return c.refused == ""
	}
	if c.seen[t] || c.respelled {
		return false
	}
	spelled := respelled(c.fields, t, p.Segments, field.Missing)
	if c.respelled = spelled != ""; c.respelled {
		c.meant = spelled
	} else if field.Missing > c.at {
		c.suggest(string(p.Path()), &field)
	}
	return false
}

// separated returns the path that is meant by one with slashes or brackets between its keys, or "".
// No field of a type has such a name.
func separated(p *yamlkit.Match, missing int) string {
	words := yamlpath.Separated(p.Segments[missing])
	if words == nil {
		return ""
	}
	return string(yamlpath.Join(
		slices.Concat(p.Segments[:missing], words, p.Segments[missing+1:])))
}

// respelled returns how to write a path that a type does not have from segment missing on, if the
// type has it in another spelling: with dots in place of slashes or brackets between the keys, or
// with ~1 in place of the dots in the last key. It returns "" without one.
func respelled(
	fields yamlpath.FieldProvider, t api.ResourceType, segments []string, missing int,
) string {
	var spellings [][]string
	if words := yamlpath.Separated(segments[missing]); words != nil {
		spellings = append(spellings, slices.Concat(segments[:missing], words,
			segments[missing+1:]))
	}
	if missing >= 2 {
		spellings = append(spellings, append(slices.Clone(segments[:missing-1]),
			strings.Join(segments[missing-1:], ".")))
	}
	for _, meant := range spellings {
		if field := fields.Field(t, yamlpath.Exactly(meant)); field.Known && field.Missing < 0 {
			return string(yamlpath.Join(meant))
		}
	}
	return ""
}

// check returns an error if the path is written in the notation of another tool.
func (c *creation) check() error {
	if c == nil || c.refused == "" {
		return nil
	}
	return handler.InvalidArgument(
		parameterPath, "%w", yamlpath.OtherNotation(c.asked, c.refused),
	)
}

// suggest records which field may be meant by a path to one that the type does not have.
func (c *creation) suggest(path string, field *yamlpath.Field) {
	words := strings.Split(path, ".")
	for _, key := range configkit.Suggest(yamlpath.Unescape(words[field.Missing]), field.Keys) {
		words[field.Missing] = yamlpath.Escape(key)
		c.meant, c.at = strings.Join(words, "."), field.Missing
		return
	}
}

// report notes the skipped resources. If no type is known to have the field, it says which one may
// be meant.
func (c *creation) report(fc *api.FunctionContext, matches int) {
	if c == nil || c.skipped == 0 || c.refused != "" {
		return
	}
	meant := c.meant
	if c.named {
		message := "the type has no field " + configkit.Abbreviate(c.asked)
		if meant != "" {
			message += "; " + configkit.DidYouMean("", []string{meant})
		}
		fc.NoteOnce(message)
		return
	}
	if c.known || matches > c.created {
		meant = "" // the field exists
	}
	if meant != "" && matches == 0 {
		fc.Nearest(meant)
		return
	}
	message := "resources are skipped, as their types have no " + configkit.Abbreviate(c.asked)
	if meant != "" {
		message += " (" + configkit.DidYouMean("", []string{meant}) + ")"
	}
	fc.NoteSum(message, c.skipped)
}

// nearest looks for what is nearest to paths that match nothing.
func nearest(
	fc *api.FunctionContext, matches int, docs gaby.Container, source configkit.PathSource,
	keys []any, provider configkit.ResourceProvider,
) {
	if matches > 0 {
		return
	}
	path := yamlkit.Nearest(docs, source, keys, provider)
	if path == "" && len(keys) == 0 {
		path = otherSpelling(docs, source, provider)
	}
	if path != "" {
		fc.Nearest(path)
	}
}

// maxSpelled is the maximum number of documents that otherSpelling looks at.
const maxSpelled = 100

// otherSpelling returns how to write a path that the types of the documents have in another
// spelling only, or "".
func otherSpelling(
	docs gaby.Container, source configkit.PathSource, provider configkit.ResourceProvider,
) string {
	fields, ok := provider.(yamlpath.FieldProvider)
	if !ok {
		return ""
	}
	for _, doc := range docs[:min(len(docs), maxSpelled)] {
		t, err := provider.ResourceTypeGetter(doc)
		if err != nil {
			continue
		}
		for _, info := range source.PathsOf(t) {
			path, err := yamlpath.Parse(string(info.Path))
			if err != nil {
				return ""
			}
			segments := make([]string, 0, len(path.Segments()))
			for _, s := range path.Segments() {
				key, isKey := s.MapKey()
				if !isKey {
					return ""
				}
				segments = append(segments, key)
			}
			field := fields.Field(t, path)
			if !field.Known || field.Missing < 0 {
				continue
			}
			if spelled := respelled(fields, t, segments, field.Missing); spelled != "" {
				return spelled
			}
		}
	}
	return ""
}
