package opentofu

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

// versionAttribute is an attribute of blocks, with a getter and a setter.
type versionAttribute struct {
	name        api.AttributeName
	block       api.ResourceType
	path        api.UnresolvedPath
	upsert      bool
	of          []api.FunctionParameter // parameters that fill the %s of the path
	value       api.FunctionParameter
	description string
	get, set    string // examples
}

// versions returns the attributes with the sources and versions of what a configuration uses.
func versions() []versionAttribute {
	text := func(name, example, description string) api.FunctionParameter {
		return api.FunctionParameter{
			ParameterName: name, Required: true, DataType: api.DataTypeString, Example: example,
			Description: description,
		}
	}
	return []versionAttribute{
		{
			name: "module-source", block: "module", path: "source",
			value: text(
				"source", "terraform-aws-modules/vpc/aws",
				"where the module is: a registry address, a URL or a path",
			),
			description: "where modules come from",
			get:         "get-module-source", set: "set-module-source ./modules/cluster",
		},
		{
			name: "module-version", block: "module", path: "version",
			value:       text("version", "~> 5.1", "the version constraint"),
			description: "the version constraint of the modules that have one",
			get:         "get-module-version", set: "set-module-version 5.1.2",
		},
		{
			name: "provider-version", block: "terraform",
			path: "required_providers.*.@%s:provider-name.version",
			of: []api.FunctionParameter{text("provider-name", "aws",
				"local name of the provider")},
			value:       text("version", "~> 5.0", "the version constraint"),
			description: "the version constraint of a provider that has a source and a version",
			get:         "get-provider-version aws", set: "set-provider-version aws '~> 5.31'",
		},
		{
			name: "required-version", block: "terraform", path: "required_version", upsert: true,
			value:       text("version", ">= 1.6", "the version constraint"),
			description: "the version constraint of OpenTofu itself",
			get:         "get-required-version", set: "set-required-version '>= 1.8'",
		},
	}
}

// register registers the path of the attribute, with its getter and setter.
func (a versionAttribute) register(
	fh handler.FunctionRegistry, provider configkit.ResourceProvider,
) error {
	function := func(verb string) *api.FunctionInvocation {
		return &api.FunctionInvocation{FunctionName: verb + "-" + string(a.name)}
	}
	err := resourcetypes.RegisterPathsByAttributeName(provider, a.name, a.block,
		api.PathToVisitorInfoType{
			a.path: {DataType: api.DataTypeString},
		}, function("get"), function("set"), false)
	if err != nil {
		return err
	}
	return generic.RegisterPathSetterAndGetter(
		fh, string(a.name), append(a.of, a.value), a.description, a.name, provider, true, a.upsert,
		generic.WithPathFunctionExamples(a.get, a.set))
}
