// Package appkit implements the resource provider of application configuration in any format. The
// name and the type of a file are in its configHub block:
//
//	configHub:
//	  configName: checkout
//	  configSchema: ShopSettings
//
// Layer: configkit.
package appkit

import (
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// These are the type and the name of a file without such entries.
const (
	NoSchema api.ResourceType = "NoSchema"
	NoName   api.ResourceName = "NoName"
)

// ResourceProvider implements configkit.ResourceProvider for one of the AppConfig toolchains.
type ResourceProvider struct {
	*resourcetypes.Registry
	toolchain api.ToolchainType
}

var _ configkit.ResourceProvider = (*ResourceProvider)(nil)

// New returns the provider of a toolchain, which knows the types of file_types.yaml and those defined
// in files.
func New(toolchain api.ToolchainType, files ...resourcetypes.TypesFile) *ResourceProvider {
	builtIn := resourcetypes.TypesFile{Name: "file_types.yaml", Text: fileTypes, BuiltIn: true}
	return &ResourceProvider{
		resourcetypes.New(append([]resourcetypes.TypesFile{builtIn}, files...)...), toolchain,
	}
}

// ToolchainType returns the toolchain that the provider was made for.
func (p *ResourceProvider) ToolchainType() api.ToolchainType { return p.toolchain }

// DefaultResourceCategory returns AppConfig.
func (*ResourceProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryAppConfig
}

// ResourceTypeGetter returns configHub.configSchema, or NoSchema.
func (*ResourceProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	if err := check(doc); err != nil {
		return "", err
	}
	if t := doc.Search("configHub", "configSchema").Value().Text(); t != "" {
		return api.ResourceType(t), nil
	}
	return NoSchema, nil
}

// ResourceNameGetter returns configHub.configName, or NoName.
func (*ResourceProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	if err := check(doc); err != nil {
		return "", err
	}
	if name := doc.Search("configHub", "configName").Value().Text(); name != "" {
		return api.ResourceName(name), nil
	}
	return NoName, nil
}

// check returns an error if the document cannot be read or, as a
// *configkit.NoResourceError, if it is empty.
func check(doc *gaby.YamlDoc) error {
	if err := doc.Check(); err != nil {
		return err
	}
	if doc.Native() == nil && doc.IsNull() {
		return &configkit.NoResourceError{Pos: doc.Position(), Empty: true}
	}
	return nil
}

// ResourceInfo returns type, name and category.
func (p *ResourceProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	t, err := p.ResourceTypeGetter(doc)
	if err != nil {
		return api.ResourceInfo{}, err
	}
	name, err := p.ResourceNameGetter(doc)
	return api.ResourceInfo{
		ResourceName: name, ResourceNameWithoutScope: name, ResourceType: t,
		ResourceCategory: api.ResourceCategoryAppConfig,
	}, err
}

// RemoveScopeFromResourceName returns the name as it is: there are no scopes.
func (*ResourceProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	return name
}

// ScopelessResourceNamePath returns configHub.configName.
func (*ResourceProvider) ScopelessResourceNamePath() api.ResolvedPath {
	return "configHub.configName"
}

// ContextPath returns the path of an entry of the configHub block, such as
// configHub.unitSlug for UnitSlug.
func (*ResourceProvider) ContextPath(field string) api.ResolvedPath {
	first, n := utf8.DecodeRuneInString(field)
	return yamlpath.Join([]string{"configHub", string(unicode.ToLower(first)) + field[n:]})
}
