package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
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
		Use:   "explain [flags] FUNCTION",
		Short: "Explain a function, or a chain in a file",
		Long: `Explain a function: its parameters, what it does, where it applies, examples.
The files of the examples are in examples/explain of fctl's repository. With
--file, explain a chain in a file step by step. With --schema, print the JSON
Schema of such files for editors: 'fctl help chains'. With --policy, print the
text of a policy, to read or to copy it: 'fctl help policies'.`,
		Example: `  fctl explain set-container-image
  fctl explain -o json get-replicas
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
	o.resourceTypes = addToolchainFlags(cmd.Flags())
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
			return diag.UsageHint("'fctl list' shows the functions",
				"one FUNCTION is expected, got %d", len(words))
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
		return unknownFunction(set.executor, set.toolchain, name)
	}
	if o.output.Value == "json" {
		return a.WriteJSON(d)
	}
	return a.WriteText(explanation(d, newCommandLine(cmd, o, set),
		a.Streams.OutStyle(color.Bold)))
}

// commandLine has the parts of a command line that calls an explained function.
type commandLine struct {
	program string // its name
	flags   string // those that decide which functions there are, with a space before each
	file    string // an example file
}

func newCommandLine(cmd *cobra.Command, o *explainFlags, set functionSet) commandLine {
	c := commandLine{
		program: cmd.Root().Name(), file: set.executor.ExampleFile(set.toolchain),
	}
	formats := source.Formats(set.executor.ToolchainsOf)
	if named, _ := formats.ByName(c.file); named != set.toolchain {
		c.flags += " " + shellwords.Quote("--toolchain", string(set.toolchain))
	}
	for _, file := range *o.resourceTypes { // those of the settings apply to every command
		c.flags += " " + shellwords.Quote("--resource-types", file)
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
	former := (&handler.UnknownFunctionError{Name: name}).Hint()
	hint := cmp.Or(former, plan.ToolchainHint(executor, name),
		configkit.DidYouMean("", configkit.Suggest(name, names)))
	if hint == "" {
		hint = "'fctl list' shows the functions"
	}
	return diag.UsageHint(hint, "unknown function %q", name)
}

// explanation returns all there is to know about a function. head styles headings.
func explanation(d *functions.Description, c commandLine, head func(string) string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	section := func(title string) { say("\n%s", head(title)) }

	say("%s: %s", head(d.FunctionName), strings.TrimSpace(d.Description))
	switch {
	case d.AliasOf != "" && d.Deprecated:
		say("This name is deprecated. Use %s.", d.AliasOf)
	case d.AliasOf != "":
		say("This is an alias of %s.", d.AliasOf)
	}
	do := c.program + " do" + c.flags
	if !d.Hermetic {
		do += " --allow-external"
	}
	section("Usage")
	say("  %s", strings.TrimRight(fmt.Sprintf("%s FILE %s %s", do, d.FunctionName,
		usageOf(d.FunctionSignature)), " "))
	if len(d.Parameters) > 0 {
		section("Parameters")
	}
	parameters := out.Table{Indent: "  "}
	for i, p := range d.Parameters {
		of := constraints(p, d.VarArgs && i == len(d.Parameters)-1)
		parameters.Rows = append(parameters.Rows, []string{p.ParameterName, p.Description},
			[]string{"", strings.Join(of, "; ")})
	}
	b.WriteString(parameters.String())
	section("What it does")
	for _, line := range behaviour(d.FunctionSignature, c) {
		say("  %s", line)
	}
	if others := otherNames(d); len(others) > 0 {
		section("Other names")
		say("  %s", strings.Join(others, ", "))
	}
	if len(d.Examples) > 0 {
		section("Examples")
		for _, example := range d.Examples {
			unit := ""
			if strings.Contains(example, "UnitSlug") {
				unit = " MyUnit" // the name matters
			}
			say("  %s %s%s %s", do, c.file, unit, example)
		}
	}
	if len(d.Paths) > 0 {
		section("Where it applies")
		own := maps.Clone(d.Paths)
		for _, t := range d.Operators {
			delete(own, t)
		}
		b.WriteString(pathGroups(own))
		if len(d.Operators) > 0 {
			say("  %d types of operators (%s)", len(d.Operators), allPaths(d, c))
		}
	} else if len(d.AffectedResourceTypes) > 0 {
		section("Resource types")
		for _, t := range d.AffectedResourceTypes {
			say("  %s", t)
		}
	}
	return b.String()
}

// allPaths returns the command that lists the paths of a function in all types.
func allPaths(d *functions.Description, c commandLine) string {
	if d.AttributeName == "" {
		return c.program + " explain" + c.flags + " -o json " + d.FunctionName
	}
	return c.program + " listpaths" + c.flags + " --attribute " + string(d.AttributeName)
}

func otherNames(d *functions.Description) []string {
	all := append([]string{}, d.Aliases...)
	if d.AliasOf != "" {
		all = append([]string{d.AliasOf}, all...)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == d.FunctionName })
	for _, name := range d.DeprecatedAliases {
		if name != d.FunctionName {
			all = append(all, name+" (deprecated)")
		}
	}
	return all
}

// longRegexp is the length from which a regular expression is not printed: it would explain
// nothing.
const longRegexp = 60

// constraints returns what the values of a parameter must satisfy.
func constraints(p api.FunctionParameter, repeated bool) []string {
	words := []string{string(p.DataType), "optional"}
	if p.Required {
		words[1] = "required"
	}
	if repeated {
		words = append(words, "may be repeated")
	}
	if len(p.EnumValues) > 0 {
		words = append(words, "one of "+strings.Join(p.EnumValues, ", "))
	}
	switch {
	case p.Min != nil && p.Max != nil:
		words = append(words, fmt.Sprintf("%d to %d", *p.Min, *p.Max))
	case p.Min != nil:
		words = append(words, fmt.Sprintf("at least %d", *p.Min))
	case p.Max != nil:
		words = append(words, fmt.Sprintf("at most %d", *p.Max))
	}
	switch {
	case len(p.Regexp) > longRegexp:
		words = append(words, "matches a regular expression (-o json prints it)")
	case p.Regexp != "":
		words = append(words, "matches "+p.Regexp)
	}
	if p.Schema != "" {
		words = append(words, "with a JSON schema (-o json prints it)")
	}
	if p.Default != "" {
		words = append(words, "default "+p.Default)
	}
	if p.Example != "" {
		words = append(words, "for example "+p.Example)
	}
	if len(p.DeprecatedNames) > 0 {
		words = append(words, "deprecated names: "+strings.Join(p.DeprecatedNames, ", "))
	}
	return words
}

// behaviour describes a function's effect, output and requirements, one line each.
func behaviour(s api.FunctionSignature, c commandLine) []string {
	var lines []string
	switch kindOf(s) {
	case "changes":
		lines = append(lines, "changes the configuration")
	case "validates":
		lines = append(lines, "validates: the exit status is 1 if something does not pass")
	default:
		lines = append(lines, "reads the configuration")
	}
	if s.OutputInfo != nil {
		lines = append(lines, fmt.Sprintf("returns %s (%s): %s", s.OutputInfo.ResultName,
			s.OutputInfo.OutputType, s.OutputInfo.Description))
	}
	if s.Idempotent && s.Mutating {
		lines = append(lines, "is idempotent: run again, it changes nothing")
	}
	if !s.Hermetic {
		lines = append(lines, "uses files, programs or the network, and needs --allow-external")
	}
	if len(s.OtherDataExpected) > 0 {
		sources := strings.Join(s.OtherDataExpected, "=FILE or --other-data ") + "=FILE"
		lines = append(lines, "reads other data: --other-data "+strings.ReplaceAll(sources, ":=",
			":SOURCE="))
	}
	if s.AttributeName != "" {
		lines = append(lines, fmt.Sprintf("uses the attribute %s: '%s listpaths%s --attribute %s'",
			s.AttributeName, c.program, c.flags, s.AttributeName))
	}
	return lines
}

// pathGroups lists the paths of an attribute. Types with the same paths share one group.
func pathGroups(paths api.ResourceTypeToPathToVisitorInfoType) string {
	types := map[string][]string{}
	var order []string
	for _, t := range slices.Sorted(maps.Keys(paths)) {
		var b strings.Builder
		for _, path := range slices.Sorted(maps.Keys(paths[t])) {
			shown := path
			if info := paths[t][path]; info != nil && info.Path != "" {
				shown = info.Path
			}
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(string(shown), "%s", "*"))
		}
		if _, known := types[b.String()]; !known {
			order = append(order, b.String())
		}
		name := string(t)
		if t == api.ResourceTypeAny {
			name = "every resource"
		}
		types[b.String()] = append(types[b.String()], name)
	}
	var b strings.Builder
	for _, text := range order {
		b.WriteString("  " + strings.Join(types[text], ", ") + "\n" + text)
	}
	return b.String()
}
