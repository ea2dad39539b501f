package unit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// What a resource can wish for.
const (
	optionIgnoreNeeded   = "IgnoreNeeded"
	optionIgnoreProvided = "IgnoreProvided"
)

// needsFunctions report what resources need and what they provide.
func needsFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	properties := propertiesOf(provider)
	references := filteredPaths{[]configkit.PathSource{provider.NeededPaths()}, func(info *api.PathVisitorInfo) bool {
		return len(targetTypes(info.Details)) > 0
	}}
	return []handler.FunctionRegistration{
		needsFunction(provider, provider.NeededPaths(), "get-needed",
			"Get the values that come from elsewhere and are not known yet, with what they must be",
			"the placeholders at paths that need a value from elsewhere",
			func(p *yamlkit.Place, row *api.AttributeValue) bool {
				return configkit.IsPlaceholder(row.Value) && properties.addNeeded(p, row)
			}),
		needsFunction(provider, provider.ProvidedPaths(), "get-provided",
			"Get the values that others need, with what they are",
			"the values at paths that provide them to others", properties.addProvided),
		needsFunction(provider, references, "get-references",
			"Get the names of other resources that resources refer to, with what these must be",
			"the names of other resources, known or not", properties.addNeeded),
	}
}

func needsFunction(provider configkit.ResourceProvider, paths configkit.PathSource, name, description, output string,
	visit func(*yamlkit.Place, *api.AttributeValue) bool,
) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			OutputInfo:   &api.FunctionOutput{ResultName: "value", Description: output, OutputType: api.OutputTypeAttributeValueList},
			Hermetic:     true, Idempotent: true,
			Description:  description,
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{name},
		},
		PerDocument: true,
		RowsSorted:  true,
		Places:      paths,
		Function: func(fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			rows, err := yamlkit.VisitRows(docs, paths, everyKey(), provider, visit)
			fc.Matched(len(rows))
			return docs, rows, err
		},
	}
}

// properties is what a provider knows of needs and provisions beyond what is registered; it may be nothing.
type properties struct{ provider configkit.PropertyProvider }

func propertiesOf(provider configkit.ResourceProvider) properties {
	p, _ := provider.(configkit.PropertyProvider)
	return properties{p}
}

// wishes tells whether a resource has an option.
func (p properties) wishes(doc *gaby.YamlDoc, option string) bool {
	return p.provider != nil && slices.Contains(p.provider.VisitorOptions(doc), option)
}

// addNeeded says in a row what its value must be. It is false when the resource does not want that to be looked at.
func (p properties) addNeeded(place *yamlkit.Place, row *api.AttributeValue) bool {
	details := *place.BoundDetails(place.Info())
	if p.provider != nil {
		details.NeededRequired = p.provider.NeededProperties(place.Doc, place.Segments, details.NeededRequired)
		details.NeededPreferred = p.provider.PreferredProperties(place.Doc, place.Resource.ResourceType, place.Segments)
	}
	row.Details = &details
	return !p.wishes(place.Doc, optionIgnoreNeeded)
}

// addProvided likewise says what the value of a row is.
func (p properties) addProvided(place *yamlkit.Place, row *api.AttributeValue) bool {
	details := *place.BoundDetails(place.Info())
	if p.provider != nil {
		details.ProvidedProperties = p.provider.ProvidedProperties(place.Doc, place.Segments, details.ProvidedProperties)
	}
	row.Details = &details
	return !p.wishes(place.Doc, optionIgnoreProvided)
}

// refersTo reports whether a place can refer to resources of a type, or is the name of one.
func (p properties) refersTo(place *yamlkit.Place, t api.ResourceType) bool {
	return slices.Contains(p.targets(place), t) || place.Info().Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t)
}

// targetTypes are the types a value refers to a resource of.
func targetTypes(details *api.AttributeDetails) []api.ResourceType {
	if details.NeededRequired[resourcetypes.PropertyResourceType] == "" {
		return nil
	}
	var types []api.ResourceType
	for t := range strings.SplitSeq(details.NeededRequired[resourcetypes.PropertyResourceType], ",") {
		types = append(types, api.ResourceType(t))
	}
	return types
}

// filteredPaths are those of the paths of several sources that are accepted.
type filteredPaths struct {
	sources []configkit.PathSource
	accept  func(info *api.PathVisitorInfo) bool
}

// PathsOf are the paths of a type.
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

// namePaths are the paths at which names of resources of a type stand: their own, and those by which others refer to them.
func namePaths(provider configkit.ResourceProvider, t api.ResourceType) configkit.PathSource {
	own := provider.ScopelessResourceNamePath()
	return filteredPaths{[]configkit.PathSource{provider.NeededPaths(), provider.ProvidedPaths()}, func(info *api.PathVisitorInfo) bool {
		return slices.Contains(targetTypes(info.Details), t) ||
			info.Details.ProvidedProperties[resourcetypes.PropertyResourceType] == string(t) && api.ResolvedPath(info.Path) == own
	}}
}

// everyKey fills the %s of paths of any attribute, of which none has so many: needs are looked at wherever they are.
func everyKey() []any { return slices.Repeat([]any{"*"}, 32) }

func getReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	properties := propertiesOf(provider)
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName:       "get-references-of-type",
			Parameters:         []api.FunctionParameter{referencedTypeParameter()},
			RequiredParameters: 1,
			OutputInfo: &api.FunctionOutput{
				ResultName: "name", Description: "the names, of the resources themselves and where others refer to them",
				OutputType: api.OutputTypeAttributeValueList,
			},
			Hermetic: true, Idempotent: true,
			Description:  "Get the names of the resources of a type, their own and those by which others refer to them",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"get-references-of-type v1/ConfigMap"},
		},
		PerDocument: true,
		RowsSorted:  true,
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			t := typeArgument(args)
			rows, err := yamlkit.VisitRows(docs, namePaths(provider, t), everyKey(), provider, func(p *yamlkit.Place, _ *api.AttributeValue) bool {
				return properties.refersTo(p, t)
			})
			fc.Matched(len(rows))
			return docs, rows, err
		},
	}
}

func setReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-references-of-type",
			Parameters: []api.FunctionParameter{referencedTypeParameter(), {
				ParameterName: parameterResourceName, Required: true, DataType: api.DataTypeString, Example: "settings-v2",
				Description: "name to set, without a namespace", ValueConstraints: api.ValueConstraints{Regexp: `^[^\s/]+$`},
			}, {
				ParameterName: parameterOldReference, DataType: api.DataTypeString, Example: "settings",
				Description: "name that references have now; without it, those to the resource of the type in the input and placeholders are set",
			}},
			RequiredParameters: 2,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description: "Set the references to a resource of a type. Only references change, rename-resource renames the resource too; " +
				"a placeholder and the only resource of the type, to which nothing refers yet, both get the name",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"set-references-of-type v1/ConfigMap settings-v2", "set-references-of-type v1/ConfigMap settings-v2 settings"},
		},
		ValueParameter: parameterResourceName,
		CheckArguments: func(args []api.FunctionArgument) error {
			return CheckNewName(provider, typeArgument(args), parameterResourceName, handler.Arguments(args).String(parameterResourceName))
		},
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			a := handler.Arguments(args)
			s := referenceSetter{fc: fc, provider: provider, of: typeArgument(args), from: a.String(parameterOldReference), to: a.String(parameterResourceName)}
			return docs, nil, s.run(docs)
		},
	}
}

func referencedTypeParameter() api.FunctionParameter {
	return typeParameter("v1/ConfigMap", "type of the resources that are named")
}
