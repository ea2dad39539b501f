package fn

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
)

// addMetaFlag adds the flag that decides whether Kptfiles are resources.
func addMetaFlag(flags *pflag.FlagSet, meta *bool) {
	flags.BoolVar(meta, "include-meta-resources", true,
		"functions also get Kptfiles and the resources that are their functionConfigs")
}

// addStrictFlag adds the flag that makes errors of notes.
func addStrictFlag(flags *pflag.FlagSet) {
	flags.Bool("strict", false,
		"fail on documents that are not resources, and on results that deviate from the specification")
}

// addListVersion adds the flag for the version of the ResourceList.
func addListVersion(flags *pflag.FlagSet, version *string) {
	flags.StringVar(version, "resource-list-version", "",
		"the `VERSION` of the ResourceList that is written: v1, v1beta1, v1alpha1")
}

// listVersion returns the apiVersion for a value of --resource-list-version.
func listVersion(name string) (string, error) {
	switch name {
	case "":
		return "", nil
	case "v1", krm.V1:
		return krm.V1, nil
	case "v1beta1", krm.V1Beta1:
		return krm.V1Beta1, nil
	case "v1alpha1", krm.V1Alpha1:
		return krm.V1Alpha1, nil
	}
	return "", diag.UsageHint("v1, v1beta1 or v1alpha1",
		"--resource-list-version: %q is not a version", name)
}

// FlagValues completes the value of a flag of a command of fn. own returns the names of fctl's own
// functions.
func FlagValues(name, typed string, own func() []string) ([]string, cobra.ShellCompDirective) {
	switch name {
	case "output":
		values, directive := app.Offer([]string{
			"stdout\ta ResourceList", "unwrap\tdocuments", "json\twhat happened",
		}, typed)
		return values, directive &^ cobra.ShellCompDirectiveNoFileComp
	case "type":
		return app.Offer(saveTypes(), typed)
	case "fail-on-results":
		return app.Offer(severities(), typed)
	case "resource-list-version":
		return app.Offer([]string{"v1", "v1beta1", "v1alpha1"}, typed)
	case "color":
		return app.Offer([]string{"auto", "always", "never"}, typed)
	case "image":
		values, directive := app.Offer(catalog.Names(), typed)
		return values, directive | cobra.ShellCompDirectiveNoSpace
	case "function":
		return app.Offer(own(), typed)
	case "results-dir", "keep-io", "fn-path", "directory":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "fn-config", "exec", "config":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
