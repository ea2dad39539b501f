package resolve

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// The properties of needs and provisions that this package adds to those of the provider.
const (
	propertyNamespace       = "Namespace"
	propertyName            = "Name"
	propertyConfigMapFormat = "ConfigMapFormat"
	// pathProperty begins a property whose value is read from a path of the resource.
	pathProperty = "path:"
)

// attribute is a value that is needed, or provided, by a resource.
type attribute struct {
	resource
	path     string // as results report it
	segments []string
	value    any
	name     api.AttributeName
	dataType api.DataType
}

// need is a value that another resource supplies, or has supplied.
type need struct {
	attribute
	required, preferred map[string]string
}

// open reports whether the value is still a placeholder.
func (n *need) open() bool { return configkit.IsPlaceholder(n.value) }

// isPart reports whether the value is a part of a text, such as the repository of an image.
func (n *need) isPart() bool {
	compiled, err := yamlpath.Parse(n.path)
	return err == nil && compiled.EmbeddedPath() != ""
}

// provision is a value that other resources may need.
type provision struct {
	attribute
	owner      *owner
	properties map[string]string
	latest     bool // the resource is marked as the latest of its revisions
	order      int  // of the provisions of one owner
}

// visitAttributes calls visit for the values at registered paths of a unit's resources, except for
// those of resources that set an option.
func (f format) visitAttributes(
	docs gaby.Container, paths configkit.PathSource, option string, visit func(a attribute, p *yamlkit.Match, details *api.AttributeDetails),
) error {
	properties := configkit.PropertiesOf(f.provider)
	_, err := yamlkit.VisitRows(docs, paths, slices.Repeat([]any{"*"}, 32), f.provider,
		func(p *yamlkit.Match, row *api.AttributeValue) bool {
			if properties != nil && slices.Contains(properties.VisitorOptions(p.Doc), option) {
				return false
			}
			visit(attribute{
				resource: resource{p.Doc, *p.Resource, f.provider}, path: string(row.Path),
				segments: slices.Clone(p.Segments), value: row.Value, name: row.AttributeName,
				dataType: row.DataType,
			}, p, p.BoundDetails(p.Info()))
			return false
		})
	return err
}

// needsOf returns the values of a unit that other resources supply, whether they are placeholders
// or not, in document order.
func (f format) needsOf(docs gaby.Container) ([]*need, error) {
	properties := configkit.PropertiesOf(f.provider)
	var needs []*need
	err := f.visitAttributes(docs, f.provider.NeededPaths(), "IgnoreNeeded",
		func(a attribute, p *yamlkit.Match, details *api.AttributeDetails) {
			n := &need{
				attribute: a, required: maps.Clone(details.NeededRequired),
				preferred: maps.Clone(details.NeededPreferred),
			}
			if n.required == nil {
				n.required = map[string]string{}
			}
			if properties != nil {
				n.addProperties(properties, details)
			}
			if in := scope(&a.info); in != "" && !slices.Contains(a.segments, "subjects") {
				n.required[propertyNamespace] = in
			}
			needs = append(needs, n)
		})
	return needs, err
}

// addProperties adds what the provider knows about a need.
func (n *need) addProperties(p configkit.PropertyProvider, details *api.AttributeDetails) {
	required := p.NeededProperties(n.doc, n.segments, details.NeededRequired)
	maps.Copy(n.required, required)
	if types := n.required[resourcetypes.PropertyResourceType]; strings.Contains(types, ",") {
		var all []api.ResourceType
		for t := range strings.SplitSeq(types, ",") {
			all = append(all, api.ResourceType(t))
		}
		var left []string
		for _, t := range p.TargetTypes(n.doc, n.segments, all) {
			left = append(left, string(t))
		}
		n.required[resourcetypes.PropertyResourceType] = strings.Join(left, ",")
	}
	for key, value := range p.PreferredProperties(n.doc, n.info.ResourceType, n.segments) {
		if n.preferred == nil {
			n.preferred = map[string]string{}
		}
		n.preferred[key] = value
	}
}

// provisionsOf returns the values that the resources of a unit provide, in document order, without
// placeholders.
func (f format) provisionsOf(docs gaby.Container, of *owner) ([]*provision, error) {
	properties := configkit.PropertiesOf(f.provider)
	var found []*provision
	err := f.visitAttributes(docs, f.provider.ProvidedPaths(), "IgnoreProvided",
		func(a attribute, _ *yamlkit.Match, details *api.AttributeDetails) {
			if configkit.IsPlaceholder(a.value) {
				return
			}
			p := &provision{
				attribute: a, owner: of, properties: map[string]string{}, order: len(found),
			}
			maps.Copy(p.properties, details.ProvidedProperties)
			if properties != nil {
				maps.Copy(p.properties, properties.ProvidedProperties(
					a.doc, a.segments, details.ProvidedProperties,
				))
			}
			p.complete()
			found = append(found, p)
		})
	return found, err
}

// complete adds the properties that every provision has.
func (p *provision) complete() {
	for _, key := range slices.Sorted(maps.Keys(p.properties)) {
		path, ok := strings.CutPrefix(p.properties[key], pathProperty)
		if !ok {
			continue
		}
		delete(p.properties, key)
		value, found, err := p.read(path)
		if text, errText := formula.Text(value); err == nil && found && errText == nil {
			p.properties[key] = text
		}
	}
	name := cmp.Or(p.contextField("ResourceNameStableCore"), string(p.info.ResourceNameWithoutScope))
	if configkit.IsPlaceholder(name) {
		name = ""
	}
	for property, value := range map[string]string{
		propertyNamespace: scope(&p.info), propertyName: name,
		resourcetypes.PropertyResourceType: string(p.info.ResourceType),
	} {
		if _, stated := p.properties[property]; !stated && value != "" {
			p.properties[property] = value
		}
	}
	p.latest = p.contextField("RenderRevision") == "Latest"
}

// satisfies reports whether a provision can supply a need.
func (p *provision) satisfies(n *need) bool {
	if p.name != n.name || p.doc == n.doc {
		return false
	}
	if _, err := convert(p.value, n.dataType); err != nil {
		return false
	}
	for key, value := range n.required {
		have, stated := p.properties[key]
		switch {
		case key == resourcetypes.PropertyResourceType:
			if !slices.Contains(strings.Split(value, ","), have) {
				return false
			}
		case !stated:
			if key != propertyNamespace && key != propertyConfigMapFormat {
				return false
			}
		case have != value:
			return false
		}
	}
	return true
}

// score counts the properties that the need prefers and the provision has.
func (p *provision) score(n *need) int {
	score := 0
	for key, value := range n.preferred {
		if p.properties[key] == value {
			score++
		}
	}
	return score
}

// placeholderRun is a placeholder in a text, with what names it.
var placeholderRun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(configkit.PlaceholderString + `[A-Za-z]*`)
})

// fill returns the value for a need: value in place of the placeholders of original.
func fill(original, value any, t api.DataType) (any, error) {
	if text, ok := original.(string); ok && placeholderRun().MatchString(text) {
		with, err := formula.Text(value)
		if err != nil {
			return nil, err
		}
		return placeholderRun().ReplaceAllLiteralString(text, with), nil
	}
	return convert(value, t)
}

// convert returns a value as another type, if nothing is lost.
func convert(value any, t api.DataType) (any, error) {
	text, err := formula.Text(value)
	if err != nil {
		return nil, err
	}
	converted, err := resourcetypes.ConvertText(text, t)
	if n, ok := converted.(int); ok && strconv.Itoa(n) != text {
		return nil, strconv.ErrSyntax
	}
	return converted, err
}

// owner is what bindings belong to: a link, or the unit itself.
type owner struct {
	link       *entity.Link // nil for the unit itself
	source     *source      // nil for the unit itself
	provisions []*provision
}

// id returns the key of the owner's bindings.
func (o *owner) id() string {
	if o.link == nil {
		return ""
	}
	return o.link.LinkID
}

// slug returns the name of the owner for its order among others.
func (o *owner) slug() string {
	if o.link == nil {
		return ""
	}
	return o.link.Slug
}
