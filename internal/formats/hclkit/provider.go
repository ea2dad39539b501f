package hclkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// attributesType is the type and the name of a run of attributes outside of blocks.
const attributesType = "attributes"

// BlockProvider implements configkit.ResourceProvider for blocks. A block with two labels has
// the first as its resource type and the second as its name. Any other block has the type of the
// block as its resource type and its label as its name or, without a label, the type again. A
// provider with an alias is named like aws.west.
type BlockProvider struct{ *resourcetypes.Registry }

var (
	_ configkit.ResourceProvider = (*BlockProvider)(nil)
	_ configkit.BlockProvider    = (*BlockProvider)(nil)
)

// HasBlocks implements configkit.BlockProvider.
func (*BlockProvider) HasBlocks() {}

// New returns a provider that knows the resource types defined in files.
func New(files ...resourcetypes.TypesFile) *BlockProvider {
	return &BlockProvider{resourcetypes.New(files...)}
}

// ToolchainType returns OpenTofu/HCL.
func (*BlockProvider) ToolchainType() api.ToolchainType { return api.ToolchainOpenTofuHCL }

// DefaultResourceCategory returns Resource.
func (*BlockProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryResource
}

// ResourceTypeGetter returns the type of a resource or data source, and the block
// type of other blocks.
func (p *BlockProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	info, err := p.ResourceInfo(doc)
	return info.ResourceType, err
}

// ResourceNameGetter returns the name, as described at ResourceProvider.
func (p *BlockProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	info, err := p.ResourceInfo(doc)
	return info.ResourceName, err
}

// ResourceInfo returns type, name and category, which is DynamicData for data sources. The error of
// an empty document is a *configkit.NoResourceError.
func (*BlockProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
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
		ResourceName: api.ResourceName(name), ResourceNameWithoutScope: api.ResourceName(name),
		ResourceType:     api.ResourceType(kind),
		ResourceCategory: api.ResourceCategoryResource,
	}
	if block == "data" {
		info.ResourceCategory = api.ResourceCategoryDynamicData
	}
	return info, nil
}

// RemoveScopeFromResourceName returns the name as it is: HCL has no scopes.
func (*BlockProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	return name
}

// ScopelessResourceNamePath returns the path of the label that is the name.
func (*BlockProvider) ScopelessResourceNamePath() api.ResolvedPath { return nameKey }

// HasContext reports whether a block can carry tags that record where it was made. Only resources
// can: the tags of a data source filter its search, and other blocks have no tags.
func (*BlockProvider) HasContext(doc *gaby.YamlDoc) bool {
	return doc.Search(blockKey).Value().EqualText("resource")
}

// ContextPath returns the path of a tag, which most resources have for such metadata.
func (*BlockProvider) ContextPath(field string) api.ResolvedPath {
	return yamlpath.Join([]string{"tags", "confighub.com/" + field})
}
