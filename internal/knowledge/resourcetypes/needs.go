package resourcetypes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Attributes of paths that are registered only as needed or provided.
const (
	AttributeNameNeededValue   api.AttributeName = "needed-value"
	AttributeNameProvidedValue api.AttributeName = "provided-value"
)

// PropertyResourceType is the property that names the type of the needed or provided resource. Of
// several types, separated by commas, any will do.
const PropertyResourceType = "ResourceType"

// RegisterNeededPaths registers paths of a resource type whose values come from elsewhere, such as
// the name of another resource. Details.NeededRequired of a path says what it needs.
// setterInvocation, if not nil, sets the values.
func RegisterNeededPaths(resourceProvider configkit.ResourceProvider, resourceType api.ResourceType,
	pathInfos api.PathToVisitorInfoType, setterInvocation *api.FunctionInvocation,
) error {
	return registerDetailed(
		resourceProvider, AttributeNameNeededValue, resourceType, pathInfos, nil, setterInvocation,
		func(d *api.AttributeDetails) { d.IsNeeded = true })
}

// RegisterProvidedPaths registers paths of a resource type whose values other resources need.
// Details.ProvidedProperties of a path says what it provides. getterInvocation, if not nil, reads
// the values.
func RegisterProvidedPaths(
	resourceProvider configkit.ResourceProvider, resourceType api.ResourceType,
	pathInfos api.PathToVisitorInfoType, getterInvocation *api.FunctionInvocation,
) error {
	return registerDetailed(
		resourceProvider, AttributeNameProvidedValue, resourceType, pathInfos, getterInvocation,
		nil,
		func(d *api.AttributeDetails) { d.IsProvided = true })
}

func registerDetailed(
	provider configkit.ResourceProvider, name api.AttributeName, t api.ResourceType,
	infos api.PathToVisitorInfoType,
	getter, setter *api.FunctionInvocation, mark func(*api.AttributeDetails),
) error {
	marked := make(api.PathToVisitorInfoType, len(infos))
	for path, info := range infos {
		own := *info
		details := api.AttributeDetails{}
		if own.Details != nil {
			details = *own.Details
		}
		mark(&details)
		own.Details = &details
		marked[path] = &own
	}
	return RegisterPathsByAttributeName(provider, name, t, marked, getter, setter, false)
}
