package cli

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/usage"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/settings"
)

// newHelp makes `fctl help`. cobra's own help command exits with status 0 for an unknown topic.
func newHelp(a *command.App, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				problem := command.UnknownCommand(root, "help topic", strings.Join(words, " "), "help ")
				if a.IsFunction(words[0]) {
					problem.Hint = "it is a function: fctl explain " + words[0]
				}
				return problem
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string,
			_ string,
		) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(words) == 0 {
				for _, c := range root.Commands() {
					if !c.Hidden { // cobra's own command for completion is hidden
						names = append(names, c.Name()+"\t"+c.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

//go:embed help
var helpTexts embed.FS

// topic is a help topic. Its text is help/NAME.txt.
type topic struct{ name, short string }

func topics() []topic {
	return []topic{
		{"exit-codes", "What the exit statuses mean"},
		{"paths", "Paths to values in resources"},
		{"where", "Expressions that select resources"},
		{"filters", "Expressions that select units, links and other entities"},
		{"resource-types", "Define your own resource types"},
		{"schemas", "Schemas that resources are checked against"},
		{"chains", "Chains of functions in files"},
		{"policies", "Policies, fixes, and exceptions from them"},
		{"files", "Which files are read, and how they are written"},
		{"formats", "Formats: JSON, TOML, INI, properties, env, text, HCL"},
		{"mutations", "Lists of changes, and how to apply them elsewhere"},
		{"secrets", "Which values are masked, and where"},
		{"merging", "The rules of fctl merge, and how to use it with git"},
		{"templates", "Prefixes of arguments: file:, template:, cel:, text:"},
		{"cel", "Expressions in CEL: variables, functions, limits"},
		{"starlark", "Programs in Starlark: variables, modules, limits"},
		{"glossary", "What unit, space, placeholder and other words mean"},
		{usage.Topic, "The flags of all commands"},
		{"environment", "Settings, settings files and environment variables"},
		{"limits", "How much memory and time a run may take"},
	}
}

// addTopics adds commands that only have a help text.
func addTopics(root *cobra.Command) {
	add := func(t topic, text func() string) {
		cmd := &cobra.Command{Use: t.name, Short: t.short}
		cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
			_, _ = io.WriteString(cmd.OutOrStdout(), text())
		})
		root.AddCommand(cmd)
	}
	for _, t := range topics() {
		add(t, func() string {
			return strings.Replace(t.text(), "{{flags}}\n", root.LocalFlags().FlagUsagesWrapped(usage.Width), 1)
		})
	}
	for _, g := range groups() {
		add(g.topic, func() string {
			return strings.Replace(g.text(), "{{commands}}\n", usage.Table(root, g.commands)+"\n", 1)
		})
	}
	add(topic{commandsTopic, "All commands and topics"}, func() string { return allCommands(root) })
}

// text returns help/NAME.txt with the generated tables filled in.
func (t topic) text() string {
	text, err := helpTexts.ReadFile("help/" + t.name + ".txt")
	if err != nil {
		return err.Error()
	}
	return strings.NewReplacer("{{statuses}}\n", exitCodeTable(), "{{settings}}\n", settingTable(),
		"{{formats}}\n", formatTable(), "{{policies}}\n", policyTable()).Replace(string(text))
}

func exitCodeTable() string {
	var b strings.Builder
	for _, c := range diag.ExitCodes() {
		fmt.Fprintf(&b, "%5d  %s\n", c.Status, strings.ReplaceAll(c.Meaning, "\n", "\n       "))
	}
	return b.String()
}

func formatTable() string {
	var b strings.Builder
	for _, t := range functions.Toolchains() {
		fmt.Fprintf(&b, "  %-22s %s\n", t.Name, cmp.Or(t.FilesHelp, strings.Join(t.Files, ", ")))
	}
	return b.String()
}

func policyTable() string {
	var b strings.Builder
	for _, name := range policies.Names() {
		fmt.Fprintf(&b, "  %-14s %s\n", name, policies.Description(name))
	}
	return b.String()
}

func settingTable() string {
	var b strings.Builder
	for _, name := range settings.Names() {
		note := ""
		if !settings.ProjectMaySet(name) {
			note = "  (not in .fctl.yaml)"
		}
		fmt.Fprintf(&b, "  %-19s %s%s\n", name, settings.EnvName(name), note)
	}
	return b.String()
}
