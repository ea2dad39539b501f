package hclkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// attributesType is the type, and the name, of a run of attributes that stand in no block.
const attributesType = "attributes"

// ResourceProvider is the knowledge about blocks. A block with two labels has the first as its type and the second as its name; any
// other has the type of the block, and its label as its name or, without one, the type again. The name of a provider with an alias
// is aws.west.
type ResourceProvider struct{ *resourcetypes.Registry }

var (
	_ configkit.ResourceProvider = (*ResourceProvider)(nil)
	_ configkit.BlockProvider    = (*ResourceProvider)(nil)
)

// HasBlocks implements configkit.BlockProvider.
func (*ResourceProvider) HasBlocks() {}

// New makes the provider, with the knowledge of files if there are any.
func New(files ...resourcetypes.File) *ResourceProvider {
	return &ResourceProvider{resourcetypes.New(files...)}
}

// ToolchainType is OpenTofu/HCL.
func (*ResourceProvider) ToolchainType() api.ToolchainType { return api.ToolchainOpenTofuHCL }

// DefaultResourceCategory is Resource.
func (*ResourceProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryResource
}

// ResourceTypeGetter is the type of a resource or data source, else that of the block.
func (p *ResourceProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	info, err := p.ResourceInfo(doc)
	return info.ResourceType, err
}

// ResourceNameGetter is the name.
func (p *ResourceProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	info, err := p.ResourceInfo(doc)
	return info.ResourceName, err
}

// ResourceInfo is type, name and category, which is DynamicData for data sources.
func (*ResourceProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	if err := doc.Check(); err != nil {
		return api.ResourceInfo{}, err
	}
	if doc.Len() == 0 {
		return api.ResourceInfo{}, &configkit.NoResourceError{Pos: doc.Position(), Empty: true}
	}
	text := func(key string) string { return doc.Search(key).Value().Text() }
	block, kind, name := text(blockKey), text(typeKey), text(nameKey)
	if block == "" {
		block = attributesType
	}
	if kind == "" {
		kind = block
	}
	if name == "" {
		name = kind
	}
	if alias := text("alias"); block == "provider" && alias != "" {
		name += "." + alias
	}
	info := api.ResourceInfo{
		ResourceName: api.ResourceName(name), ResourceNameWithoutScope: api.ResourceName(name), ResourceType: api.ResourceType(kind),
		ResourceCategory: api.ResourceCategoryResource,
	}
	if block == "data" {
		info.ResourceCategory = api.ResourceCategoryDynamicData
	}
	return info, nil
}

// RemoveScopeFromResourceName is the name: there are no scopes.
func (*ResourceProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	return name
}

// ScopelessResourceNamePath is the label with the name.
func (*ResourceProvider) ScopelessResourceNamePath() api.ResolvedPath { return nameKey }

// HasContext reports whether a block may carry tags that say where it was made: those of a data source search, and other blocks have none.
func (*ResourceProvider) HasContext(doc *gaby.YamlDoc) bool {
	return doc.Search(blockKey).Value().TextIs("resource")
}

// ContextPath is a tag, which is what most resources have for such things.
func (*ResourceProvider) ContextPath(field string) api.ResolvedPath {
	return yamlpath.Join([]string{"tags", "confighub.com/" + field})
}
