package unit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterPrevious   = "previous"
	parameterIndex      = "function-index"
	parameterConverted  = "already-converted"
	parameterReverse    = "reverse"
	parameterProtection = "protection"
	parameterPatch      = "patch"
	parameterSubtract   = "to-subtract"
	parameterMutations  = "mutations"
	parameterResource   = "resource"
	parameterRows       = "places"
	parameterProtected  = "protected"
)

// mutationsExample is a shortened list of mutations, as do -o mutations prints it.
const mutationsExample = `[{"Resource": {"ResourceType": "apps/v1/Deployment", "ResourceName": "shop/web"}, ` +
	`"ResourceMutationInfo": {"MutationType": "Update"}, "PathMutationMap": {"spec.replicas": {"MutationType": "Update", "Value": "5\n"}}}]`

// placesExample is a list of paths to protect in mutationsExample.
const placesExample = `[{"ResourceType": "apps/v1/Deployment", "ResourceName": "shop/web", "Path": "spec.replicas"}]`

// mutationsParameter returns a parameter for a list of mutations.
func mutationsParameter(
	name, description string, required bool, deprecatedNames ...string,
) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, Required: required, DataType: api.DataTypeResourceMutationList,
		Example: mutationsExample, Description: description,
		DeprecatedNames: deprecatedNames,
	}
}

// computeMutationsFunction returns compute-mutations.
func computeMutationsFunction(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	parse := func(args handler.Arguments) (gaby.Container, error) {
		text := []byte(args.String(parameterPrevious))
		if args.Bool(parameterConverted) {
			return gaby.ParseAll(text)
		}
		return converter.NativeToDocuments(text)
	}
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "compute-mutations",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterPrevious, Required: true, DataType: api.DataTypeText,
					Example:         "file:before.yaml",
					Description:     "the configuration as it was before, usually file:PATH",
					DeprecatedNames: []string{"config-doc-list"},
				},
				{
					ParameterName: parameterIndex, DataType: api.DataTypeInt, Example: "0",
					Description:     "Index of every entry; 0 when it is left out",
					DeprecatedNames: []string{"functionIndex"},
				},
				{
					ParameterName: parameterConverted, DataType: api.DataTypeBool, Example: "false",
					Description:     "the previous configuration is YAML, whatever the format of the unit is",
					DeprecatedNames: []string{"alreadyConverted"},
				},
				{
					ParameterName: parameterReverse, DataType: api.DataTypeBool, Example: "false",
					Description: "say what would turn the present configuration into the previous one",
				},
			},
			RequiredParameters: 1,
			OutputInfo: &api.FunctionOutput{
				ResultName:  "mutations",
				Description: "what happened to each resource, value by value",
				OutputType:  api.OutputTypeResourceMutationList,
			},
			Hermetic: true, Idempotent: true,
			Description:  "Compute what changed since the configuration was another one: resource by resource, with the elements of lists known by their merge keys",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				"compute-mutations file:before.yaml",
				"compute-mutations file:before.yaml --reverse=true",
			},
		},
		ValueParameter: parameterPrevious,
		CheckArguments: func(args []api.FunctionArgument) error {
			previous, err := parse(args)
			if err == nil {
				for _, doc := range previous {
					err = errors.Join(err, doc.Check())
				}
			}
			if err != nil {
				return &handler.ArgumentError{
					Parameter: parameterPrevious,
					Message:   fmt.Sprintf("argument %s: %v", parameterPrevious, err), Err: err,
				}
			}
			return nil
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			before, err := parse(args)
			if err != nil {
				return nil, nil, err
			}
			after := docs
			selection := handler.ExcludedOf(fc)
			var selected *selectedMutations
			if selection != nil {
				// Include the resources that are not selected, so that they do not look deleted.
				after = append(slices.Clone(docs), selection.Docs...)
				selected = newSelectedMutations(docs, selection, provider)
				if err := selected.addAll(before, selection); err != nil {
					return nil, nil, err
				}
			}
			if handler.Arguments(args).Bool(parameterReverse) {
				before, after = after, before
			}
			index := handler.Arguments(args).Int(parameterIndex)
			mutations, err := mutation.Compute(before, after, index, provider)
			if selected != nil {
				mutations = selected.of(mutations)
			}
			return docs, mutations, err
		},
	}
}

// patchMutationsFunction returns patch-mutations.
func patchMutationsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "patch-mutations",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterProtection,
					"mutations that say which resources and paths are Protected, and so left alone; [] for none",
					true,
					"mutation-predicates", "mutation-protection"),
				mutationsParameter(
					parameterPatch,
					"the mutations to apply, as compute-mutations, fctl diff -o patch and -o mutations print them",
					true, "mutation-patch",
				),
				mutationsParameter(
					parameterSubtract,
					"what the configuration has changed itself since it was what the patch was made from; it stays",
					false, "mutations-to-subtract",
				),
			},
			RequiredParameters: 2,
			OutputInfo: &api.FunctionOutput{
				ResultName:  "conflicts",
				Description: "what was not applied, and what was lost by what was",
				OutputType:  api.OutputTypeMutationConflictList,
			},
			Mutating: true, Hermetic: true, Idempotent: true,
			Description: "Apply mutations, such as those of another variant of the configuration. Elements of lists are found by their merge keys, " +
				"wherever they are; what cannot be applied is reported as a conflict",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				`patch-mutations [] '` + mutationsExample + `'`,
				`patch-mutations '` +
					strings.Replace(mutationsExample, `"Value": "5\n"`, `"Protected": true`, 1) +
					`' '` + mutationsExample + `'`,
			},
		},
		ValueParameter: parameterProtection,
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkMutations(
				provider, args, parameterProtection, parameterPatch, parameterSubtract,
			)
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			var lists [3]api.ResourceMutationList
			for i, name := range []string{parameterProtection, parameterPatch, parameterSubtract} {
				var err error
				if lists[i], err = decodeMutations(
					handler.Arguments(args).String(name),
				); err != nil {
					return nil, nil, err
				}
			}
			wanted := len(lists[1])
			if selection := handler.ExcludedOf(fc); selection != nil {
				patch, err := selectedPatch(docs, lists[1], selection, provider)
				if err != nil {
					return nil, nil, err
				}
				if n := len(lists[1]) - len(patch); n > 0 {
					fc.Note(api.Position{}, fmt.Sprintf(
						"%s not applied to resources that are not selected",
						mutationsOfResources(n),
					))
				}
				lists[1] = patch
			}
			patched, conflicts, err := mutation.Patch(docs, lists[0], lists[1], lists[2], provider)
			resources := len(lists[1])
			for _, c := range conflicts {
				fc.Note(api.Position{}, c.String())
				if c.Reason == api.ConflictUnresolvedPath && c.Path == "" {
					resources--
				}
			}
			if wanted > 0 {
				fc.Matched(resources)
			}
			if err != nil || len(conflicts) == 0 {
				return patched, nil, err // no list, rather than an empty one
			}
			return patched, conflicts, nil
		},
	}
}

// selectedPatch returns the mutations of patch about resources that the where-expressions select.
// Resources that patch creates are tested by their new value.
func selectedPatch(
	docs gaby.Container,
	patch api.ResourceMutationList,
	selection *handler.Excluded,
	provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	selected := newSelectedMutations(docs, selection, provider)
	for i := range patch {
		if m := &patch[i]; m.ResourceMutationInfo.Value != "" &&
			m.ResourceMutationInfo.MutationType != api.MutationTypeDelete {
			doc, err := gaby.ParseYAML([]byte(m.ResourceMutationInfo.Value))
			if err == nil {
				err = selected.addAll(gaby.Container{doc}, selection)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return selected.of(patch), nil
}

// mutationsOfResources returns the subject of a message about n mutations.
func mutationsOfResources(n int) string {
	if n == 1 {
		return "1 mutation is"
	}
	return fmt.Sprintf("%d mutations are", n)
}

// resetFunction returns reset.
func resetFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "reset",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterMutations,
					"mutations whose paths are reset, unless they are Protected", true,
					"mutation-predicates", "mutation-protection",
				),
				{
					ParameterName: "path", DataType: api.DataTypeString, Example: "spec.template",
					Description: "only paths at and below this one, in which * matches any key or element",
				},
				{
					ParameterName: parameterResource, DataType: api.DataTypeString,
					Example:     "shop/web",
					Description: "only the resource with this name, given with or without its namespace",
				},
			},
			RequiredParameters: 1,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description: fmt.Sprintf(
				"Make the values at the paths of mutations placeholders again: strings %s, numbers %d. Others stay as they are",
				configkit.PlaceholderString, configkit.PlaceholderInt),
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				`reset '` + mutationsExample + `'`,
				`reset '` + mutationsExample + `' spec shop/web`,
			},
		},
		ValueParameter: parameterMutations,
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkMutations(provider, args, parameterMutations)
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			list, err := decodeMutations(handler.Arguments(args).String(parameterMutations))
			if err != nil {
				return nil, nil, err
			}
			list = mutation.Limit(
				list, api.ResourceName(handler.Arguments(args).String(parameterResource)),
				api.UnresolvedPath(handler.Arguments(args).String("path")), provider)
			matches, err := mutation.Reset(docs, list, provider)
			fc.Matched(matches)
			return docs, nil, err
		},
	}
}

// setProtectionFunction returns set-protection.
func setProtectionFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-protection",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterMutations, "the mutations in which places are to be protected", true,
					"mutation-sources",
				),
				{
					ParameterName: parameterRows, Required: true,
					DataType:    api.DataTypeAttributeValueList,
					Example:     placesExample,
					Description: "JSON list of ResourceType, ResourceName (empty for all resources of the type) and Path (empty for the whole resource), such as a getter's output",
				},
				{
					ParameterName: parameterProtected, DataType: api.DataTypeBool, Example: "true",
					Description: "false to protect them no more; true when it is left out",
				},
			},
			RequiredParameters: 2,
			OutputInfo: &api.FunctionOutput{
				ResultName: "mutations", Description: "the mutations with the places protected",
				OutputType: api.OutputTypeResourceMutationList,
			},
			Hermetic: true, Idempotent: true,
			Description:  "Protect places in mutations, so that patch-mutations and reset leave them alone. The configuration is not looked at",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				`set-protection '` + mutationsExample + `' '` + placesExample + `'`,
				`set-protection '` + mutationsExample + `' '` + placesExample + `' false`,
			},
		},
		ValueParameter: parameterMutations,
		CheckArguments: func(args []api.FunctionArgument) error {
			if err := checkMutations(provider, args, parameterMutations); err != nil {
				return err
			}
			if _, err := handler.DecodeAttributes(
				handler.Arguments(args).String(parameterRows),
			); err != nil {
				return &handler.ArgumentError{
					Parameter: parameterRows,
					Message:   fmt.Sprintf("argument %s: %v", parameterRows, err), Err: err,
				}
			}
			return nil
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			list, err := decodeMutations(handler.Arguments(args).String(parameterMutations))
			if err != nil {
				return nil, nil, err
			}
			rows, err := handler.DecodeAttributes(handler.Arguments(args).String(parameterRows))
			if err != nil {
				return nil, nil, err
			}
			protected := true
			if _, given := handler.Arguments(args).Lookup(parameterProtected); given {
				protected = handler.Arguments(args).Bool(parameterProtected)
			}
			list, matches := mutation.Protect(list, rows, protected, provider)
			fc.Matched(matches)
			return docs, list, nil
		},
	}
}

// decodeMutations parses a list of mutations. An empty text is an empty list.
func decodeMutations(text string) (api.ResourceMutationList, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return handler.DecodeList[api.ResourceMutation](text, "mutations")
}

// checkMutations checks the named arguments, which are mutations, before any file is read. The
// errors are *handler.ArgumentError, joined.
func checkMutations(
	provider configkit.ResourceProvider, args handler.Arguments, names ...string,
) error {
	var problems []error
	for _, name := range names {
		list, err := decodeMutations(args.String(name))
		if err == nil {
			err = mutation.Check(list, provider)
		}
		if err != nil {
			problems = append(problems, handler.ArgumentErrors(name, err))
		}
	}
	return errors.Join(problems...)
}
