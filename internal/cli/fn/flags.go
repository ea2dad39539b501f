package fn

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// commonFlags are the flags of the commands that run functions on resources.
type commonFlags struct {
	listVersion string
	execution   runflags.Flags
	output      outputFlags
	results     resultFlags
}

func (o *commonFlags) add(flags *pflag.FlagSet) {
	addListVersion(flags, &o.listVersion)
	addStrictFlag(flags)
	o.execution.Add(flags)
	o.output.add(flags)
	o.results.add(flags)
}

// start checks the flags and loads the settings. stdin says that the resources come from the
// standard input. version is that of the ResourceList that programs get, "" for what their
// declarations say.
func (o *commonFlags) start(a *command.App, cmd *cobra.Command, stdin bool,
) (r *runner, version string, err error) {
	o.results.asJSON = o.output.output == "json"
	if err := errors.Join(o.results.validate(), o.output.validate(stdin)); err != nil {
		return nil, "", err
	}
	if o.results.report.Value != string(report.Text) &&
		(stdin || o.output.output != "" || o.output.diff || o.output.check) {
		return nil, "", diag.Usage("--report prints to the standard output: the standard input, -o, " +
			"--diff and --check exclude it")
	}
	if version, err = listVersion(o.listVersion); err != nil {
		return nil, "", err
	}
	if r, err = newRunner(a, cmd); err != nil {
		return nil, "", err
	}
	return r, version, r.checkOutput(&o.output)
}

// splitCommand splits the command of a flag into words, as a shell does.
func splitCommand(flag, text string) (program string, args []string, err error) {
	words, err := shellwords.Split(text)
	switch {
	case err != nil:
		return "", nil, diag.Usage("%s: %w", flag, err)
	case len(words) == 0:
		return "", nil, diag.Usage("%s: the command is empty", flag)
	}
	return words[0], words[1:], nil
}

// chosen are the flags that say which one function is run.
type chosen struct{ image, exec, function string }

// declared returns the function that one of the flags names. For a comparison --image and --exec go
// together: the program then runs for the image.
func (o *chosen) declared(cmd *cobra.Command, network, compared bool) (*krm.Declared, error) {
	ways := 0
	for _, way := range []string{"image", "exec", "exec-path", "function"} {
		if cmd.Flags().Changed(way) {
			ways++
		}
	}
	if ways != 1 && !(ways == 2 && compared && o.image != "" && o.exec != "") {
		return nil, diag.UsageHint("--function is one of fctl's own functions",
			"must specify --image or --exec or --function, and only one of them")
	}
	d := &krm.Declared{Image: o.image, Builtin: o.function, Network: network, Direct: true}
	if d.Builtin != "" || o.exec == "" {
		return d, nil
	}
	var err error
	d.Exec, d.Args, err = splitCommand("--exec", o.exec)
	return d, err
}

// tagUsage describes the flag --tag.
const tagUsage = "replace the image's tag by `TAG`, which may be a range of versions"

// addMetaFlag adds the flag that decides whether Kptfiles are resources.
func addMetaFlag(flags *pflag.FlagSet, meta *bool) {
	flags.BoolVar(meta, "include-meta-resources", true,
		"give functions also Kptfiles and the resources that are their functionConfigs")
}

// addSubpackagesFlag adds the flag that decides whether packages below the directory are read.
func addSubpackagesFlag(flags *pflag.FlagSet, included *bool) {
	flags.BoolVar(included, "include-subpackages", true,
		"give functions also the resources of directories below that have a Kptfile")
}

// addStrictFlag adds the flag that makes errors of notes.
func addStrictFlag(flags *pflag.FlagSet) {
	flags.Bool("strict", false, "fail on documents that are not resources, and on "+
		"deviations from the specification: lists of an unknown version, malformed results")
}

// addListStrictFlag adds the flag that makes errors of notes about the list that is read.
func addListStrictFlag(flags *pflag.FlagSet) {
	flags.Bool("strict", false, "fail on a ResourceList that deviates from the specification: "+
		"an unknown version, malformed results")
}

// addListVersion adds the flag for the version of the ResourceList.
func addListVersion(flags *pflag.FlagSet, version *string) {
	flags.StringVar(version, "resource-list-version", "",
		"write a ResourceList of `VERSION`: v1, v1beta1, v1alpha1")
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
		values, directive := command.Offer([]string{
			"stdout\ta ResourceList", "unwrap\tdocuments", "json\twhat happened",
		}, typed)
		return values, directive &^ cobra.ShellCompDirectiveNoFileComp
	case "type":
		return command.Offer(saveTypes(), typed)
	case "fail-on-results":
		return command.Offer(severities(), typed)
	case "resource-list-version":
		return command.Offer([]string{"v1", "v1beta1", "v1alpha1"}, typed)
	case "color":
		return command.Offer([]string{"auto", "always", "never"}, typed)
	case "image":
		values, directive := command.Offer(catalog.Names(), typed)
		return values, directive | cobra.ShellCompDirectiveNoSpace
	case "function":
		return command.Offer(own(), typed)
	case "results-dir", "keep-io", "fn-path", "directory":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "fn-config", "exec", "config":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
