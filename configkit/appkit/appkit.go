// Package appkit is what is known about resources of application configuration, in whatever format: what a file is called and of
// which type it is stands in its configHub block.
//
//	configHub:
//	  configName: checkout
//	  configSchema: ShopSettings
package appkit

import (
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// What a file without these entries in its configHub block has instead.
const (
	NoSchema api.ResourceType = "NoSchema"
	NoName   api.ResourceName = "NoName"
)

// ResourceProvider is the knowledge about the resources of one of the AppConfig toolchains.
type ResourceProvider struct {
	*resourcetypes.Registry
	toolchain api.ToolchainType
}

var _ configkit.ResourceProvider = (*ResourceProvider)(nil)

// New makes the provider of a toolchain, with the knowledge of files if there are any.
func New(toolchain api.ToolchainType, files ...resourcetypes.File) *ResourceProvider {
	return &ResourceProvider{resourcetypes.New(files...), toolchain}
}

// ToolchainType is the one it was made for.
func (p *ResourceProvider) ToolchainType() api.ToolchainType { return p.toolchain }

// DefaultResourceCategory is AppConfig.
func (*ResourceProvider) DefaultResourceCategory() api.ResourceCategory {
	return api.ResourceCategoryAppConfig
}

// ResourceTypeGetter is configHub.configSchema.
func (*ResourceProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	if err := check(doc); err != nil {
		return "", err
	}
	if t := doc.Search("configHub", "configSchema").Value().Text(); t != "" {
		return api.ResourceType(t), nil
	}
	return NoSchema, nil
}

// ResourceNameGetter is configHub.configName.
func (*ResourceProvider) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	if err := check(doc); err != nil {
		return "", err
	}
	if name := doc.Search("configHub", "configName").Value().Text(); name != "" {
		return api.ResourceName(name), nil
	}
	return NoName, nil
}

// check makes sure that the document can be read and has something in it.
func check(doc *gaby.YamlDoc) error {
	if err := doc.Check(); err != nil {
		return err
	}
	if doc.Native() == nil && doc.IsNull() {
		return &configkit.NoResourceError{Pos: doc.Position(), Empty: true}
	}
	return nil
}

// ResourceInfo is type, name and category.
func (p *ResourceProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	t, err := p.ResourceTypeGetter(doc)
	if err != nil {
		return api.ResourceInfo{}, err
	}
	name, err := p.ResourceNameGetter(doc)
	return api.ResourceInfo{
		ResourceName: name, ResourceNameWithoutScope: name, ResourceType: t, ResourceCategory: api.ResourceCategoryAppConfig,
	}, err
}

// RemoveScopeFromResourceName is the name: there are no scopes.
func (*ResourceProvider) RemoveScopeFromResourceName(name api.ResourceName) api.ResourceName {
	return name
}

// ScopelessResourceNamePath is configHub.configName.
func (*ResourceProvider) ScopelessResourceNamePath() api.ResolvedPath { return "configHub.configName" }

// ContextPath is an entry of the configHub block: unitSlug for UnitSlug.
func (*ResourceProvider) ContextPath(field string) api.ResolvedPath {
	first, n := utf8.DecodeRuneInString(field)
	return yamlpath.Join([]string{"configHub", string(unicode.ToLower(first)) + field[n:]})
}
