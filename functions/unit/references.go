package unit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

// These are the options that a resource can set, see configkit.PropertyProvider.
const (
	optionIgnoreNeeded   = "IgnoreNeeded"
	optionIgnoreProvided = "IgnoreProvided"
)

// needsFunctions returns get-needed, get-provided and get-references.
func needsFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	properties := propertiesOf(provider)
	return []handler.FunctionRegistration{
		needsFunction(provider, provider.NeededPaths(), "get-needed",
			"List unresolved values that other resources must supply, with their required "+
				"properties",
			"the placeholders at paths whose values come from other resources",
			func(p *yamlkit.Match, row *api.AttributeValue) bool {
				return configkit.IsPlaceholder(row.Value) && properties.addNeeded(p, row)
			}),
		needsFunction(provider, provider.ProvidedPaths(), "get-provided",
			"List the values that other resources may need, with their properties",
			"the values at paths that provide values to other resources", properties.addProvided),
		needsFunction(provider, referencePaths(provider), "get-references",
			"List the names by which resources refer to others, with the required properties of "+
				"these",
			"the names in references, placeholders included", properties.addNeeded),
	}
}

// needsFunction returns a getter of the values at paths for which visit reports true. visit can add
// to the row of a value.
func needsFunction(
	provider configkit.ResourceProvider, paths configkit.PathSource, name, description,
	output string,
	visit func(*yamlkit.Match, *api.AttributeValue) bool,
) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			Description:  description,
			Examples:     []string{name},
		},
		Paths: paths,
	}, "value", output, func(c *handler.Call) (api.AttributeValueList, error) {
		return yamlkit.VisitRows(c.Docs, paths, everyKey(), provider, visit)
	})
}

// properties adds the knowledge of a provider about needed and provided values to what is
// registered. provider may be nil.
type properties struct{ provider configkit.PropertyProvider }

// propertiesOf returns the properties of provider, which may know none.
func propertiesOf(provider configkit.ResourceProvider) properties {
	p, _ := provider.(configkit.PropertyProvider)
	return properties{p}
}

// sets reports whether a resource sets an option.
func (p properties) sets(doc *gaby.YamlDoc, option string) bool {
	return p.provider != nil && slices.Contains(p.provider.VisitorOptions(doc), option)
}

// addNeeded sets the details of a row: the properties that its value must have. It reports false if
// the resource opts out.
func (p properties) addNeeded(match *yamlkit.Match, row *api.AttributeValue) bool {
	details := *match.BoundDetails(match.Info())
	if p.provider != nil {
		details.NeededRequired = p.provider.NeededProperties(
			match.Doc, match.Segments, details.NeededRequired,
		)
		details.NeededPreferred = p.provider.PreferredProperties(
			match.Doc, match.Resource.ResourceType, match.Segments,
		)
	}
	row.Details = &details
	return !p.sets(match.Doc, optionIgnoreNeeded)
}

// addProvided sets the details of a row: the properties that its value has. It reports false if the
// resource opts out.
func (p properties) addProvided(match *yamlkit.Match, row *api.AttributeValue) bool {
	details := *match.BoundDetails(match.Info())
	if p.provider != nil {
		details.ProvidedProperties = p.provider.ProvidedProperties(
			match.Doc, match.Segments, details.ProvidedProperties,
		)
	}
	row.Details = &details
	return !p.sets(match.Doc, optionIgnoreProvided)
}

// refersTo reports whether the value at a match can refer to a resource of type t, or is the name
// of one.
func (p properties) refersTo(match *yamlkit.Match, t api.ResourceType) bool {
	return slices.Contains(p.targets(match), t) ||
		match.Info().Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t)
}

// targetTypes returns the types of resources that a value with these details can refer to.
func targetTypes(details *api.AttributeDetails) []api.ResourceType {
	if details.NeededRequired[resourcetypes.PropertyResourceType] == "" {
		return nil
	}
	var types []api.ResourceType
	for t := range strings.SplitSeq(
		details.NeededRequired[resourcetypes.PropertyResourceType], ",",
	) {
		types = append(types, api.ResourceType(t))
	}
	return types
}

// filteredPaths are the paths of several sources for which accept returns true.
type filteredPaths struct {
	sources []configkit.PathSource
	accept  func(info *api.PathVisitorInfo) bool
}

// PathsOf returns the accepted paths of resources of type t.
func (f filteredPaths) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	var paths []*api.PathVisitorInfo
	for _, source := range f.sources {
		for _, info := range source.PathsOf(t) {
			if f.accept(info) {
				paths = append(paths, info)
			}
		}
	}
	return paths
}

// referencePaths returns the paths of references to other resources.
func referencePaths(provider configkit.ResourceProvider) configkit.PathSource {
	return filteredPaths{
		[]configkit.PathSource{provider.NeededPaths()},
		func(info *api.PathVisitorInfo) bool { return len(targetTypes(info.Details)) > 0 },
	}
}

// namePaths returns the paths of names of resources of a type: their own names, and references to
// them.
func namePaths(provider configkit.ResourceProvider, t api.ResourceType) configkit.PathSource {
	own := provider.ScopelessResourceNamePath()
	return filteredPaths{
		[]configkit.PathSource{provider.NeededPaths(), provider.ProvidedPaths()},
		func(info *api.PathVisitorInfo) bool {
			return slices.Contains(targetTypes(info.Details), t) ||
				info.Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t) &&
					api.ResolvedPath(info.Path) == own
		},
	}
}

// everyKey returns wildcards that fill the %s of any path. No path has as many as 32.
func everyKey() []any { return slices.Repeat([]any{"*"}, 32) }

// getReferencesOfTypeFunction returns get-references-of-type.
func getReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	properties := propertiesOf(provider)
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-references-of-type",
			Parameters:   []api.FunctionParameter{referencedTypeParameter()},
			Description:  "Get the names of the resources of a type and the references to them",
			Examples:     []string{"get-references-of-type v1/ConfigMap"},
		},
	}, "name", "the names of the resources and the references to them",
		func(c *handler.Call) (api.AttributeValueList, error) {
			t := typeArgument(c.Args)
			return yamlkit.VisitRows(c.Docs, namePaths(provider, t), everyKey(), provider,
				func(p *yamlkit.Match, _ *api.AttributeValue) bool {
					return properties.refersTo(p, t)
				})
		})
}

// setReferencesOfTypeFunction returns set-references-of-type.
func setReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-references-of-type",
			Parameters: []api.FunctionParameter{referencedTypeParameter(), {
				ParameterName: parameterResourceName, Required: true, DataType: api.DataTypeString,
				Example:          "settings-v2",
				Description:      "name to set, without a namespace",
				ValueConstraints: api.ValueConstraints{Regexp: `^[^\s/]+$`},
			}, handler.Optional(parameterOldReference, api.DataTypeString, "settings",
				"name that the references have now; if omitted, placeholders and the references "+
					"to the resource of the type in the input are set")},
			Description: "Set the references to a resource of a type. Only references change; " +
				"rename-resource renames the resource too. If the unit has one resource of the " +
				"type and only placeholders refer to that type, the resource gets the name too",
			Examples: []string{
				"set-references-of-type v1/ConfigMap settings-v2",
				"set-references-of-type v1/ConfigMap settings-v2 settings",
			},
		},
		ValueParameter: parameterResourceName,
		CheckArguments: func(args []api.FunctionArgument) error {
			return CheckNewName(
				provider, typeArgument(args), parameterResourceName,
				handler.Arguments(args).String(parameterResourceName),
			)
		},
	}, func(c *handler.Call) (int, error) {
		s := referenceSetter{
			call: c, provider: provider, of: typeArgument(c.Args),
			from: c.Args.String(parameterOldReference), to: c.Args.String(parameterResourceName),
		}
		return s.run()
	})
}

// referencedTypeParameter returns the parameter for the type of the named resources.
func referencedTypeParameter() api.FunctionParameter {
	return typeParameter("v1/ConfigMap", "type of the resources")
}
