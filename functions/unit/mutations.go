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
const mutationsExample = `[{"Resource": {"ResourceType": "apps/v1/Deployment", "ResourceName": ` +
	`"shop/web"}, "ResourceMutationInfo": {"MutationType": "Update"}, "PathMutationMap": ` +
	`{"spec.replicas": {"MutationType": "Update", "Value": "5\n"}}}]`

// pathsExample is a list of paths to protect in mutationsExample.
const pathsExample = `[{"ResourceType": "apps/v1/Deployment", "ResourceName": "shop/web", ` +
	`"Path": "spec.replicas"}]`

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
					Description:     "the earlier configuration, usually file:PATH",
					DeprecatedNames: []string{"config-doc-list"},
				},
				{
					ParameterName: parameterIndex, DataType: api.DataTypeInt, Example: "0",
					Description:     "Index of every entry; 0 if omitted",
					DeprecatedNames: []string{"functionIndex"},
				},
				{
					ParameterName: parameterConverted, DataType: api.DataTypeBool, Example: "false",
					Description: "the earlier configuration is YAML, whatever the format of " +
						"the unit",
					DeprecatedNames: []string{"alreadyConverted"},
				},
				handler.Optional(parameterReverse, api.DataTypeBool, "false",
					"return the mutations that turn the current configuration into the "+
						"earlier one"),
			},
			OutputInfo: handler.Output(api.OutputTypeResourceMutationList, "mutations",
				"the changes of each resource, value by value"),
			Hermetic: true, Idempotent: true,
			Description: "Compare the configuration with an earlier version, resource by " +
				"resource. Elements of lists are identified by their merge keys",
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
				return handler.InvalidArgument(parameterPrevious, "%w", err)
			}
			return nil
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			before, err := parse(c.Args)
			if err != nil {
				return nil, err
			}
			return computeMutations(c, before, provider)
		}),
	}
}

// computeMutations returns the mutations from before to the selected resources of c, or back.
func computeMutations(
	c *handler.Call, before gaby.Container, provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	after := c.Docs
	selection := handler.ExcludedOf(c.FunctionContext)
	var selected *selectedMutations
	if selection != nil {
		// Include the resources that are not selected, so that they do not look deleted.
		after = append(slices.Clone(c.Docs), selection.Docs...)
		selected = newSelectedMutations(c.Docs, selection, provider)
		if err := selected.addAll(before, selection); err != nil {
			return nil, err
		}
	}
	if c.Args.Bool(parameterReverse) {
		before, after = after, before
	}
	mutations, err := mutation.Compute(before, after, c.Args.Int(parameterIndex), provider)
	if selected != nil {
		mutations = selected.of(mutations)
	}
	return mutations, err
}

// patchMutationsFunction returns patch-mutations.
func patchMutationsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "patch-mutations",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterProtection,
					"mutations whose Protected resources and paths do not change; [] for none",
					true,
					"mutation-predicates", "mutation-protection"),
				mutationsParameter(
					parameterPatch,
					"the mutations to apply, as compute-mutations, fctl diff -o patch and -o "+
						"mutations print them",
					true, "mutation-patch",
				),
				mutationsParameter(
					parameterSubtract,
					"changes of the configuration since the version that the patch is based on; "+
						"they are kept",
					false, "mutations-to-subtract",
				),
			},
			OutputInfo: handler.Output(api.OutputTypeMutationConflictList, "conflicts",
				"the changes that were not applied, and the values that applied changes lost"),
			Mutating: true, Hermetic: true, Idempotent: true,
			Description: "Apply mutations, such as those of another variant of the " +
				"configuration. Elements of lists are found by their merge keys, wherever they " +
				"are. Changes that cannot be applied are reported as conflicts",
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
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			conflicts, err := patchMutations(c, provider)
			if err != nil || len(conflicts) == 0 {
				return nil, err // no list, rather than an empty one
			}
			return conflicts, nil
		}),
	}
}

// patchMutations applies the patch of the arguments of c to its selected resources and returns the
// conflicts.
func patchMutations(
	c *handler.Call, provider configkit.ResourceProvider,
) (api.MutationConflictList, error) {
	var lists [3]api.ResourceMutationList
	for i, name := range []string{parameterProtection, parameterPatch, parameterSubtract} {
		var err error
		if lists[i], err = decodeMutations(c.Args.String(name)); err != nil {
			return nil, err
		}
	}
	wanted := len(lists[1])
	if selection := handler.ExcludedOf(c.FunctionContext); selection != nil {
		patch, err := selectedPatch(c.Docs, lists[1], selection, provider)
		if err != nil {
			return nil, err
		}
		if n := len(lists[1]) - len(patch); n > 0 {
			c.Note(api.Position{}, fmt.Sprintf(
				"%s not applied to resources that are not selected", mutationsOfResources(n),
			))
		}
		lists[1] = patch
	}
	patched, conflicts, err := mutation.Patch(c.Docs, lists[0], lists[1], lists[2], provider)
	c.Docs = patched
	resources := len(lists[1])
	for _, conflict := range conflicts {
		c.Note(api.Position{}, conflict.String())
		if conflict.Reason == api.ConflictUnresolvedPath && conflict.Path == "" {
			resources--
		}
	}
	if wanted > 0 {
		c.Matched(resources)
	}
	return conflicts, err
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
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "reset",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterMutations,
					"mutations whose paths are reset, unless they are Protected", true,
					"mutation-predicates", "mutation-protection",
				),
				handler.Optional("path", api.DataTypeString, "spec.template",
					"only paths at and below this one, in which * matches any key or element"),
				handler.Optional(parameterResource, api.DataTypeString, "shop/web",
					"only the resource with this name, given with or without its namespace"),
			},
			Description: fmt.Sprintf(
				"Turn the values at the paths of mutations into placeholders again: strings %s, "+
					"numbers %d. Other values do not change",
				configkit.PlaceholderString, configkit.PlaceholderInt),
			Examples: []string{
				`reset '` + mutationsExample + `'`,
				`reset '` + mutationsExample + `' spec shop/web`,
			},
		},
		ValueParameter: parameterMutations,
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkMutations(provider, args, parameterMutations)
		},
	}, func(c *handler.Call) (int, error) {
		list, err := decodeMutations(c.Args.String(parameterMutations))
		if err != nil {
			return 0, err
		}
		list = mutation.Limit(
			list, api.ResourceName(c.Args.String(parameterResource)),
			api.UnresolvedPath(c.Args.String("path")), provider)
		return mutation.Reset(c.Docs, list, provider)
	})
}

// setProtectionFunction returns set-protection.
func setProtectionFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-protection",
			Parameters: []api.FunctionParameter{
				mutationsParameter(
					parameterMutations, "the mutations in which to protect paths", true,
					"mutation-sources",
				),
				handler.Required(parameterRows, api.DataTypeAttributeValueList, pathsExample,
					"JSON list of ResourceType, ResourceName (empty for all resources of the "+
						"type) and Path (empty for the whole resource), such as a getter's output"),
				handler.Optional(parameterProtected, api.DataTypeBool, "true",
					"false to remove the protection; true if omitted"),
			},
			OutputInfo: handler.Output(api.OutputTypeResourceMutationList, "mutations",
				"the mutations with the paths protected"),
			Hermetic: true, Idempotent: true,
			Description: "Protect paths in mutations, so that patch-mutations and reset do not " +
				"change them. The configuration is not used",
			Examples: []string{
				`set-protection '` + mutationsExample + `' '` + pathsExample + `'`,
				`set-protection '` + mutationsExample + `' '` + pathsExample + `' false`,
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
				return handler.InvalidArgument(parameterRows, "%w", err)
			}
			return nil
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			list, err := decodeMutations(c.Args.String(parameterMutations))
			if err != nil {
				return nil, err
			}
			rows, err := handler.DecodeAttributes(c.Args.String(parameterRows))
			if err != nil {
				return nil, err
			}
			protected := true
			if _, given := c.Args.Lookup(parameterProtected); given {
				protected = c.Args.Bool(parameterProtected)
			}
			list, matches := mutation.Protect(list, rows, protected, provider)
			c.Matched(matches)
			return list, nil
		}),
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
