package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
)

func newListPaths(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "listpaths [flags]",
		Short: "List the registered paths of resource types, as JSON",
		Long: `List the registered paths as JSON: by attribute, resource type ("*" is every
type) and path, with what is known about the values there.`,
		Example: `  fctl listpaths --attribute container-image
  fctl listpaths --resource-type apps/v1/Deployment`,
		Args: command.NoArguments,
	}
	attribute := cmd.Flags().String("attribute", "", "list only paths of `ATTRIBUTE`")
	resourceType := cmd.Flags().String("resource-type", "",
		"list only paths of resources of `TYPE`")
	command.AddToolchainFlags(cmd.Flags())
	command.AddServer(cmd.Flags(), "use the functions of")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		set, err := functionsOf(a, cmd)
		if err != nil {
			return err
		}
		paths, err := set.executor.RegisteredPaths(set.toolchain)
		if err != nil {
			return err
		}
		if name := *attribute; name != "" {
			of, ok := paths[api.AttributeName(name)]
			if !ok {
				return unknownAttribute(name, paths)
			}
			paths = api.AttributeNameToResourceTypeToPathToVisitorInfoType{api.AttributeName(
				name): of}
		}
		if t := *resourceType; t != "" {
			if set.toolchain == api.ToolchainKubernetesYAML {
				named, _, err := do.NewTypeNames(set.executor).Resolve(t)
				if err != nil {
					return err
				}
				t = string(named)
			}
			if known := set.executor.ResourceTypes(set.toolchain); !slices.Contains(known,
				api.ResourceType(t)) {
				a.Note(set.settings, unknownType(t, known))
			}
			paths = pathsOfType(paths, api.ResourceType(t))
		}
		return a.WriteJSON(paths)
	}
	return cmd
}

// unknownType returns a note that only the paths of every type are registered for t. Such a type
// may exist, so this is not an error.
func unknownType(t string, known []api.ResourceType) string {
	message := fmt.Sprintf("%s has only the paths that are registered for every type", t)
	if meant := configkit.DidYouMean("", configkit.Suggest(t, texts(known))); meant != "" {
		message += "; " + meant
	}
	return message
}

func unknownAttribute(name string,
	paths api.AttributeNameToResourceTypeToPathToVisitorInfoType,
) error {
	names := texts(slices.Sorted(maps.Keys(paths)))
	hint := configkit.DidYouMean("", configkit.Suggest(name, names))
	if name == string(api.AttributeNameNone) || name == "attribute-value" {
		hint = "none (attribute-value in ConfigHub's SDK) is not an attribute; 'fctl do FILE " +
			"list-paths' lists all paths"
	} else if hint == "" {
		hint = "'fctl listpaths' lists the attributes"
	}
	return diag.UsageHint(hint, "unknown attribute %q", name)
}

// pathsOfType returns the paths that resources of the type have: its own paths, and those of every
// type except where t is listed as an exception.
func pathsOfType(paths api.AttributeNameToResourceTypeToPathToVisitorInfoType,
	t api.ResourceType,
) api.AttributeNameToResourceTypeToPathToVisitorInfoType {
	left := api.AttributeNameToResourceTypeToPathToVisitorInfoType{}
	for name, types := range paths {
		kept := api.ResourceTypeToPathToVisitorInfoType{}
		if own := types[t]; len(own) > 0 {
			kept[t] = own
		}
		universal := api.PathToVisitorInfoType{}
		for path, info := range types[api.ResourceTypeAny] {
			if info == nil || !slices.Contains(info.TypeExceptions, t) {
				universal[path] = info
			}
		}
		if len(universal) > 0 {
			kept[api.ResourceTypeAny] = universal
		}
		if len(kept) > 0 {
			left[name] = kept
		}
	}
	return left
}
