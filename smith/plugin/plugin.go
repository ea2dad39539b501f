// Package plugin is the contract between Smith and the authors of plugins. A plugin makes one
// Kubernetes object from the spec that a Bundle gives it and from the objects that it depends on.
//
// A plugin is pure: the same spec and Context give the same result, in the same order. It uses no
// clock, no environment, no files and no network, and it does not change what it gets. Package
// plugintest checks this.
//
// A team adds a plugin to its own fctl with fctl.WithPlugin(New).
//
// Layer: base.
package plugin

import (
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// ResourceName is the name of a resource of a Bundle.
type ResourceName = smithv1.ResourceName

// PluginName is the name of a plugin: a DNS subdomain.
type PluginName = smithv1.PluginName

// Name is a short name of PluginName.
type Name = PluginName

// NewFunc makes a plugin. It is called once, when a command that works with Bundles starts. Its
// error ends the command.
type NewFunc func() (Plugin, error)

// Plugin makes objects.
type Plugin interface {
	// Process makes the object for a spec, whose references are values already. Numbers in spec and
	// in objects are int64 or float64. Process gets copies of everything. Calls of plugins are never
	// concurrent. One that does not return in the time of --timeout is left alone, and the plugin
	// is not called again.
	Process(spec map[string]any, ctx *Context) ProcessResult
	// Describe returns what does not depend on the spec. It always returns the same.
	Describe() *Description
}

// Description describes a plugin.
type Description struct {
	Name PluginName
	// GVK is the type of every object that the plugin makes.
	GVK GroupVersionKind
	// SpecSchema is the JSON Schema of the spec, as JSON or YAML; nil if any spec is valid.
	SpecSchema []byte
}

// Context is what a plugin knows besides the spec.
type Context struct {
	// Namespace is that of the Bundle.
	Namespace string
	// Actual is the object as it exists now, nil if it does not exist.
	Actual *Object
	// Dependencies are the resources that the references of the resource name.
	Dependencies map[ResourceName]Dependency
}

// Dependency is a resource that the plugin's resource refers to. It is ready.
type Dependency struct {
	// Spec is the resource as the Bundle declares it.
	Spec smithv1.Resource
	// Actual is the object as it exists.
	Actual *Object
	// Outputs are objects that Actual produces, such as the Secret of a ServiceBinding.
	Outputs []*Object
	// Auxiliary are objects that Actual needs, such as the ServiceInstance of a ServiceBinding.
	Auxiliary []*Object
}

// ProcessResult is a *ProcessResultSuccess or a *ProcessResultFailure.
type ProcessResult interface{ isProcessResult() }

// ProcessResultSuccess is the result of a plugin that made an object.
type ProcessResultSuccess struct {
	// Object has the GVK of the description. Its name and owner references are set by Smith, its
	// namespace if it has none.
	Object *Object
}

// ProcessResultFailure is the result of a plugin that made none.
type ProcessResultFailure struct {
	Error error
	// IsExternalError says that the user of the plugin can mend it, rather than its author.
	IsExternalError bool
	// IsRetriableError says that a retry with the same spec may succeed.
	IsRetriableError bool
}

func (*ProcessResultSuccess) isProcessResult() {}
func (*ProcessResultFailure) isProcessResult() {}
