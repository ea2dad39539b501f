package main

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	ownerPath = "metadata.annotations.example~1com/owner"
	cacheSize = "cache-size"
)

// register adds a mutating function, a getter and a setter of registered paths, and a validating
// function.
func register(executor *functions.Executor) error {
	for _, registration := range []handler.FunctionRegistration{
		{FunctionSignature: setOwnerSignature(), Function: setOwner},
		{FunctionSignature: vetOwnersSignature(), Function: vetOwners},
	} {
		if err := executor.RegisterFunction(api.ToolchainKubernetesYAML, registration); err != nil {
			return err
		}
	}
	return registerCacheSize(
		executor.Registry(api.ToolchainKubernetesYAML),
		executor.ResourceProvider(api.ToolchainKubernetesYAML),
	)
}

// setOwnerSignature describes set-owner.
func setOwnerSignature() api.FunctionSignature {
	return api.FunctionSignature{
		FunctionName: "set-owner",
		Parameters: []api.FunctionParameter{{
			ParameterName: "owner", Required: true, DataType: api.DataTypeString,
			Description: "Owner of the resources",
		}},
		RequiredParameters: 1,
		Mutating:           true, Hermetic: true, Idempotent: true,
		Description:           "Annotate every resource with its owner",
		FunctionType:          api.FunctionTypeCustom,
		AffectedResourceTypes: []api.ResourceType{api.ResourceTypeAny},
	}
}

// setOwner annotates every resource with its owner.
func setOwner(
	_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
) (gaby.Container, any, error) {
	owner := args[0].Value.(string)
	visitor := func(doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo) (any, []error) {
		if _, err := doc.SetP(owner, ownerPath); err != nil {
			return output, []error{err}
		}
		return output, []error{}
	}
	_, err := yamlkit.VisitResources(docs, nil, k8skit.K8sResourceProvider, visitor)
	return docs, nil, err
}

// registerCacheSize registers get-cache-size and set-cache-size. The last two arguments are
// addSetter and upsert.
func registerCacheSize(
	fh handler.FunctionRegistry, resourceProvider yamlkit.ResourceProvider,
) error {
	pathInfos := api.PathToVisitorInfoType{"spec.size": {
		Path: "spec.size", AttributeName: cacheSize, DataType: api.DataTypeInt,
	}}
	getter, setter := &api.FunctionInvocation{FunctionName: "get-" + cacheSize},
		&api.FunctionInvocation{FunctionName: "set-" + cacheSize}
	err := yamlkit.RegisterPathsByAttributeName(
		resourceProvider, cacheSize, "cache.example.com/v1/Cache", pathInfos, getter, setter, false,
	)
	if err != nil {
		return err
	}
	parameters := []api.FunctionParameter{{
		ParameterName: cacheSize, Required: true, DataType: api.DataTypeInt,
		Description: "Size of the cache",
	}}
	return generic.RegisterPathSetterAndGetter(
		fh, cacheSize, parameters, "the size of a cache", cacheSize, resourceProvider, true, false,
	)
}

// vetOwnersSignature describes vet-owners.
func vetOwnersSignature() api.FunctionSignature {
	return api.FunctionSignature{
		FunctionName: "vet-owners",
		OutputInfo: &api.FunctionOutput{
			ResultName: "passed", Description: "True if all resources have one owner",
			OutputType: api.OutputTypeValidationResult,
		},
		Validating: true, Hermetic: true, Idempotent: true,
		Description:  "Check that all resources have the same owner",
		FunctionType: api.FunctionTypeCustom,
	}
}

// vetOwners checks that all resources have the same owner.
func vetOwners(
	_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
) (gaby.Container, any, error) {
	documents, err := yamlkit.ResourceToDocMap(docs, k8skit.K8sResourceProvider)
	if err != nil {
		return docs, nil, err
	}
	owners := map[any]bool{}
	for _, index := range documents {
		owners[docs[index].Path(ownerPath).Data()] = true
	}
	result := api.ValidationResult{Passed: len(owners) <= 1}
	if !result.Passed {
		result.Details = []string{fmt.Sprintf(
			"%d resources have %d owners", len(documents), len(owners),
		)}
	}
	return docs, result, nil
}
