package cli

import (
	"cmp"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/explain"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	output        *command.Choice
	file, policy  string
	schema        bool
	resourceTypes *[]string
}

func newExplain(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [flags] {FUNCTION | TYPE[.PATH] | ERROR}",
		Short: "Explain a function, a field, an error, or a chain in a file",
		Long: `Explain a function: its parameters, what it does, where it applies, examples.
The files of the examples are in examples/explain of fctl's repository. Of a
resource type, or of a field, list the fields, their types and limits, from the
schemas of Kubernetes, of operators and of the setting schema (FCTL_SCHEMA), as
kubectl explain does with a cluster. Of an error, say what it means, the way
out, and a command that ends with it: ERROR is its message in quotes, or its
name on the page of errors. With --file, explain a chain in a file step by step.
With --schema, print the JSON Schema of such files for editors:
'fctl help chains'. With --policy, print the text of a policy, to read or to
copy it: 'fctl help policies'.`,
		Example: `  fctl explain set-container-image
  fctl explain -o json get-replicas
  fctl explain Deployment.spec.strategy
  fctl explain 'path a..b: column 3: a segment is empty'
  fctl explain --file release.yaml
  fctl explain --schema > chain.schema.json
  fctl explain --policy restricted > policy.yaml`,
	}
	o := &explainFlags{}
	o.output = command.AddOutput(cmd.Flags(), "text, json", "text", "json")
	cmd.Flags().StringVar(&o.file, "file", "", "explain the chain in this `FILE`")
	cmd.Flags().BoolVar(&o.schema, "schema", false, "print the JSON Schema of chains")
	cmd.Flags().StringVar(&o.policy, "policy", "",
		"print the text of a `POLICY`: "+strings.Join(policies.Names(), ", "))
	o.resourceTypes = command.AddToolchainFlags(cmd.Flags())
	command.AddServer(cmd.Flags(), "use the functions of")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		switch {
		case o.file != "" && o.schema, o.policy != "" && (o.file != "" || o.schema):
			return diag.Usage("--file, --schema and --policy exclude each other")
		case (o.file != "" || o.schema || o.policy != "") && len(words) > 0:
			return diag.Usage("--file, --schema and --policy take no FUNCTION")
		case o.policy != "":
			return printPolicy(a, o.policy)
		case o.file != "":
			return explainChain(a, cmd, o)
		case o.schema:
			return printSchema(a, cmd)
		case len(words) == 0:
			return diag.UsageHint("'fctl list' shows the functions", "FUNCTION is missing")
		case len(words) > 1:
			return command.Surplus(cmd, words[1])
		}
		return explainFunction(a, cmd, o, words[0])
	}
	cmd.ValidArgsFunction = completeFunctions(a)
	return cmd
}

func explainFunction(a *command.App, cmd *cobra.Command, o *explainFlags, name string) error {
	set, err := functionsOf(a, cmd)
	if err != nil {
		return err
	}
	d, ok := set.executor.Describe(set.toolchain, name)
	if !ok {
		if e, ok := explain.FindError(name); ok {
			if o.output.Value == "json" {
				return a.WriteJSON(e)
			}
			return a.WriteText(e.String())
		}
		if strings.Contains(name, " ") {
			return diag.UsageHint("errors.md in fctl's documentation lists the known ones; 'fctl list WORD' finds functions",
				"no explained error has the text %s", configkit.Quote(name))
		}
		word, path := explain.SplitField(name)
		names, err := do.WithSchemas(cmd.Context(), set.executor, set.settings,
			do.Reader(set.settings, a.Streams))
		if err != nil {
			return err
		}
		of, _, err := names.Resolve(word)
		fields, has := set.executor.ResourceProvider(api.ToolchainKubernetesYAML).(yamlpath.FieldProvider)
		if err != nil && path != "" {
			return err
		}
		if err != nil || !has {
			return unknownFunction(set.executor, set.toolchain, name)
		}
		field, err := explain.Field(fields, of, path)
		if err != nil {
			return err
		}
		if o.output.Value == "json" {
			return a.WriteJSON(field)
		}
		return a.WriteText(field.Text(a.Streams.OutStyle(color.Bold)))
	}
	if o.output.Value == "json" {
		return a.WriteJSON(d)
	}
	return a.WriteText(explain.Function(d, newCommandLine(cmd, o, set),
		a.Streams.OutStyle(color.Bold)))
}

func newCommandLine(cmd *cobra.Command, o *explainFlags, set functionSet) explain.CommandLine {
	c := explain.CommandLine{
		Program: cmd.Root().Name(), File: set.executor.ExampleFile(set.toolchain),
	}
	formats := source.Formats(set.executor.ToolchainsOf)
	if named, _ := formats.ByName(c.File); named != set.toolchain {
		c.Flags += " " + shellwords.Quote("--toolchain", string(set.toolchain))
	}
	for _, file := range *o.resourceTypes { // those of the settings apply to every command
		c.Flags += " " + shellwords.Quote("--resource-types", file)
	}
	return c
}

func explainChain(a *command.App, cmd *cobra.Command, o *explainFlags) error {
	set, err := functionsOf(a, cmd)
	if err != nil {
		return err
	}
	steps, parameters, err := chainSteps(cmd.Context(), a, set, o.file)
	if err != nil {
		return err
	}
	switch {
	case o.output.Value == "json" && len(parameters) > 0:
		return a.WriteJSON(struct {
			Parameters []plan.Parameter
			Steps      []chainStep
		}{parameters, steps})
	case o.output.Value == "json":
		return a.WriteJSON(steps)
	}
	return a.WriteText(chainText(o.file, steps, parameters,
		newCommandLine(cmd, o, set),
		a.Streams.OutStyle(color.Bold)))
}

func printPolicy(a *command.App, name string) error {
	text, known := policies.Text(name)
	if !known {
		hint := configkit.DidYouMean("", configkit.Suggest(name, policies.Names()))
		if hint == "" {
			hint = "the policies are " + strings.Join(policies.Names(), ", ") +
				"; --file explains a chain in a file"
		}
		return diag.UsageHint(hint, "--policy: unknown policy %q", name)
	}
	return a.Write(text)
}

func printSchema(a *command.App, cmd *cobra.Command) error {
	set, err := functionsOf(a, cmd)
	if err != nil {
		return err
	}
	schema, err := plan.Schema(set.executor.Signatures(set.toolchain))
	if err != nil {
		return err
	}
	return a.WriteJSON(schema)
}

func unknownFunction(executor *functions.Executor, t api.ToolchainType, name string) error {
	var names []string
	for _, s := range executor.Signatures(t) {
		names = append(names, s.FunctionName)
	}
	for _, e := range explain.KnownErrors() {
		names = append(names, e.ID)
	}
	former := (&handler.UnknownFunctionError{Name: name}).Hint()
	hint := cmp.Or(former, plan.ToolchainHint(executor, name),
		configkit.DidYouMean("", configkit.Suggest(name, names)))
	if hint == "" {
		hint = "'fctl list' shows the functions"
	}
	return diag.UsageHint(hint, "unknown function %q", name)
}
