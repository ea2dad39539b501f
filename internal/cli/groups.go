package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/usage"
	"github.com/fctl-dev/fctl/internal/out"
)

// group is a group of commands, and the help topic about them. Its text is help/NAME.txt.
type group struct {
	topic
	title    string
	commands []string
}

// groups returns the groups of the front page. Commands in none of them are kept for compatibility
// or needed seldom: 'fctl help commands' has them all.
func groups() []group {
	return []group{
		{
			topic{"editing", "How to read and change configuration"},
			"Edit and read",
			[]string{"do", "doseq", "diff", "merge", "review", "images"},
		},
		{topic{"checking", "How to check configuration"}, "Check", []string{"vet"}},
		{
			topic{"looking-up", "How to find functions"},
			"Look up",
			[]string{"list", "explain", "help"},
		},
		{
			topic{"krm-functions", "How to run KRM functions, and to be one"},
			"KRM functions",
			[]string{"fn", "krm", "functionconfig"},
		},
		{
			topic{"workspaces", "How to work with units and links"},
			"Workspaces",
			[]string{"ws", "space", "unit", "link"},
		},
		{topic{"bundles", "How to render Bundles"}, "Bundles", []string{"bundle"}},
		{
			topic{"serving", "How to give the functions to browsers, editors and agents"},
			"Serve",
			[]string{"serve", "lsp", "mcp"},
		},
		{
			topic{"customizing", "How to set defaults and completion"},
			"Settings",
			[]string{"config", "completion", "version"},
		},
	}
}

// commandsTopic is the help topic that lists all commands.
const commandsTopic = "commands"

// setUsage sets the usage of the commands. That of the program is the front page.
func setUsage(root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		text := frontPage
		if cmd != root {
			text = usage.Text
		}
		_, err := io.WriteString(cmd.OutOrStderr(), text(cmd))
		return err
	})
}

// frontPage is the usage of the program: the commands of the groups, and the names of the topics.
func frontPage(root *cobra.Command) string {
	name := root.Name()
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s COMMAND [flags]\n\nExamples:\n%s\n", name, root.Example)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n%s ('%s help %s'):\n%s", g.title, name, g.name, usage.Table(root, g.commands))
	}
	fmt.Fprintf(&b, "\nTopics ('%s help TOPIC'):\n%s\n\n'%s COMMAND --help' explains a "+
		"command, '%s help %s' lists all.\n", name,
		out.Wrap(strings.Join(namesOfTopics(topics()), ", "), usage.Width-2, "  "),
		name, name, commandsTopic)
	return b.String()
}

func namesOfTopics(all []topic) []string {
	var names []string
	for _, t := range all {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names
}

// allCommands lists the commands of the groups, all others, and the topics.
func allCommands(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "'%s COMMAND --help' explains a command, '%[1]s help TOPIC' a topic.\n", root.Name())
	grouped := map[string]bool{}
	for _, g := range groups() {
		for _, name := range g.commands {
			grouped[name] = true
		}
		fmt.Fprintf(&b, "\n%s\n%s", g.title, usage.Table(root, g.commands))
	}
	names := namesOfTopics(allTopics())
	var others []string
	for _, c := range root.Commands() {
		if !c.Hidden && !grouped[c.Name()] && c.Name() != commandsTopic && !slices.Contains(names, c.Name()) {
			others = append(others, c.Name())
		}
	}
	fmt.Fprintf(&b, "\nMore commands, most of them for scripts made for other programs\n%s\nTopics\n%s",
		usage.Table(root, others), usage.Table(root, names))
	return b.String()
}

// allTopics returns the topics with those of the groups.
func allTopics() []topic {
	all := topics()
	for _, g := range groups() {
		all = append(all, g.topic)
	}
	return all
}
