package api

// ResourceType is the type of a resource, such as "apps/v1/Deployment" for Kubernetes.
type ResourceType string

// ResourceTypeAny means every resource type.
const ResourceTypeAny ResourceType = "*"

// ResourceName is the name of a resource with its scope, such as "namespace/name" for Kubernetes.
type ResourceName string

// ResourceCategory distinguishes resources from application configuration and other data.
type ResourceCategory string

// The resource categories.
const (
	ResourceCategoryInvalid     ResourceCategory = "Invalid"
	ResourceCategoryResource    ResourceCategory = "Resource"
	ResourceCategoryDynamicData ResourceCategory = "DynamicData"
	ResourceCategoryAppConfig   ResourceCategory = "AppConfig"
)

// ResourceCategoryDyanmicData is ResourceCategoryDynamicData as ConfigHub's SDK misspells it.
const ResourceCategoryDyanmicData = ResourceCategoryDynamicData

// ResourceInfo identifies a resource.
type ResourceInfo struct {
	ResourceName             ResourceName
	ResourceNameWithoutScope ResourceName
	ResourceType             ResourceType
	ResourceCategory         ResourceCategory
	ResourceMergeID          string `json:",omitempty"`
}

// String returns the type and the name of the resource, as messages show them, and only the type of
// a resource without a name.
func (r ResourceInfo) String() string {
	if r.ResourceNameWithoutScope == "" && (r.ResourceName == "/" || r.ResourceName == "") {
		return string(r.ResourceType)
	}
	return string(r.ResourceType) + " " + string(r.ResourceName)
}

// ResourceInfoList is a list of resources without their texts.
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
