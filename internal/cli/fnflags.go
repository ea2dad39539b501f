package cli

import (
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
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
