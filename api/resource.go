package api

// ResourceType is the type of a resource; for Kubernetes "apps/v1/Deployment".
type ResourceType string

// ResourceTypeAny stands for every resource type.
const ResourceTypeAny ResourceType = "*"

// ResourceName is the name of a resource with its scope; for Kubernetes "namespace/name".
type ResourceName string

// ResourceCategory tells resources from application configuration and others.
type ResourceCategory string

// The categories.
const (
	ResourceCategoryInvalid     ResourceCategory = "Invalid"
	ResourceCategoryResource    ResourceCategory = "Resource"
	ResourceCategoryDynamicData ResourceCategory = "DynamicData"
	ResourceCategoryAppConfig   ResourceCategory = "AppConfig"
)

// ResourceCategoryDyanmicData is ResourceCategoryDynamicData as ConfigHub's SDK spells it.
const ResourceCategoryDyanmicData = ResourceCategoryDynamicData

// ResourceInfo identifies a resource.
type ResourceInfo struct {
	ResourceName             ResourceName
	ResourceNameWithoutScope ResourceName
	ResourceType             ResourceType
	ResourceCategory         ResourceCategory
	ResourceMergeID          string `json:",omitempty"`
}

// String is how messages name the resource: type and name.
func (r ResourceInfo) String() string { return string(r.ResourceType) + " " + string(r.ResourceName) }

// ResourceInfoList is a list of resources, by name.
type ResourceInfoList []ResourceInfo

// Resource is a resource with its text.
type Resource struct {
	ResourceInfo
	ResourceBody string `json:",omitempty"`
}

// ResourceList is a list of resources with their texts.
type ResourceList []Resource

// YAMLPayload is an output that is YAML text.
type YAMLPayload struct {
	Payload string
}
