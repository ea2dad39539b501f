package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/usage"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/explain"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

const generated = "<!-- Made by `make gen` from the source: do not edit. -->\n"

// TestDocs compares the generated files in docs/ with the signatures and the commands.
// UPDATE_DOCS=1 writes them.
func TestDocs(t *testing.T) {
	for name, text := range map[string]string{
		"functions.md": functionReference(t), "cli.md": commandReference(),
		"chain.schema.json": chainSchema(t), "errors.md": errorReference(),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "docs", name)
			if os.Getenv("UPDATE_DOCS") != "" {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			have, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(have), text); d != "" {
				t.Errorf("docs/%s is stale, make gen writes it (-file +source)\n%s", name, d)
			}
		})
	}
}

// TestHelpNamesNoPages checks that help does not send people to files that come without the program.
func TestHelpNamesNoPages(t *testing.T) {
	for _, m := range regexp.MustCompile(`.*\bdocs/.*`).FindAllString(commandReference(), -1) {
		if !strings.Contains(m, "://") {
			t.Errorf("help names a page: %s", m)
		}
	}
}

// TestNamesOfSettings checks that help and docs name only settings and variables that exist.
func TestNamesOfSettings(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	guides, err := filepath.Glob(filepath.Join("..", "..", "docs", "guide", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Concat(docs, guides,
		[]string{filepath.Join("..", "..", "README.md")}) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	inAFile := regexp.MustCompile("([\\w-]+)`?\\s+in\\s+(?:a|your|the)\\s+settings\\s+file")
	known, found := settings.Names(), 0
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			for _, m := range inAFile.FindAllStringSubmatch(text, -1) {
				if found++; !slices.Contains(known, m[1]) {
					t.Errorf("%s: %q: unknown setting", name, m[0])
				}
			}
			for _, variable := range regexp.MustCompile(`FCTL_[A-Z_]*[A-Z]`).FindAllString(text,
				-1) {
				isName := func(name string) bool { return settings.EnvName(name) == variable }
				other := []string{ // not settings
					"FCTL_CONFIG", "FCTL_ENGINE", "FCTL_FORCE_TTY", "FCTL_LOCAL", "FCTL_MCP",
					"FCTL_PAGER", "FCTL_PLUGIN_CALL",
					"FCTL_RUNNER", "FCTL_RUNNER_IMAGE",
				}
				if !slices.ContainsFunc(known, isName) && !slices.Contains(other, variable) {
					t.Errorf("%s: unknown variable %s", name, variable)
				}
			}
		})
	}
	if found < 3 {
		t.Errorf("only %d settings are named: the test looks for other words than those that "+
			"name them",
			found)
	}
}

// functionReference has a section for each function: under Kubernetes all of its functions, under
// other toolchains those that Kubernetes does not have.
func functionReference(t *testing.T) string {
	t.Helper()
	executor := functions.NewStandardExecutor()
	var b strings.Builder
	b.WriteString(generated + "\n# Functions\n\n`fctl explain NAME` says the same and where in " +
		"resources a function applies. The files of its examples are in " +
		"[examples/explain](../examples/explain).\n")
	const kubernetes = api.ToolchainKubernetesYAML
	fmt.Fprintf(&b, "\n## %s\n", kubernetes)
	b.WriteString(functionSections(t, executor, kubernetes, namesOf(executor, kubernetes)))
	var sets [][]string
	toolchains := map[string][]string{} // by the functions they have
	for _, toolchain := range executor.Toolchains() {
		if toolchain == kubernetes {
			continue
		}
		names := namesOf(executor, toolchain)
		set := strings.Join(names, " ")
		if toolchains[set] == nil {
			sets = append(sets, names)
		}
		toolchains[set] = append(toolchains[set], string(toolchain))
	}
	for _, names := range sets {
		of := toolchains[strings.Join(names, " ")]
		var shared []string
		own := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			_, is := executor.Signature(kubernetes, name)
			if is {
				shared = append(shared, fmt.Sprintf("[%s](#%s)", name, name))
			}
			return is
		})
		fmt.Fprintf(&b, "\n## %s\n\nThese functions work as those described above: %s.\n",
			strings.Join(of, ", "), strings.Join(shared, ", "))
		if len(own) > 0 {
			b.WriteString(functionSections(t, executor, api.ToolchainType(of[0]), own))
		}
	}
	return b.String()
}

// errorReference has a section for each error that is explained.
func errorReference() string {
	var b strings.Builder
	b.WriteString(generated + "\n# Errors\n\n`fctl explain` says the same of a name below, or of a message in " +
		"quotes. Parts that differ are shown as …. Each example is a golden case, run in `testdata`.\n")
	section := ""
	for _, p := range explain.KnownErrors() {
		if p.Section != section {
			section = p.Section
			b.WriteString("\n## " + section + "\n")
		}
		fmt.Fprintf(&b, "\n### %s\n\n> %s\n\n%s %s\n\n```console\n%s```\n", p.ID, cellText(p.Text),
			p.Meaning, p.WayOut, p.Example)
	}
	return b.String()
}

// namesOf returns the names of a toolchain's functions, without aliases.
func namesOf(executor *functions.Executor, toolchain api.ToolchainType) []string {
	var names []string
	for _, s := range executor.Signatures(toolchain) {
		if s.AliasOf == "" {
			names = append(names, s.FunctionName)
		}
	}
	return names
}

// functionSections returns a table of functions and a section for each.
func functionSections(t *testing.T, executor *functions.Executor, toolchain api.ToolchainType,
	names []string,
) string {
	t.Helper()
	table := "\n| function | kind | |\n|---|---|---|\n"
	var sections strings.Builder
	for _, name := range names {
		d, ok := executor.Describe(toolchain, name)
		if !ok {
			t.Fatalf("%s cannot be described", name)
		}
		first, _, _ := strings.Cut(d.Description, "\n")
		table += fmt.Sprintf("| [%s](#%s) | %s | %s |\n", name, name, explain.KindOf(d.FunctionSignature),
			cellText(first))
		sections.WriteString(functionSection(d))
	}
	return table + sections.String()
}

// chainSchema returns the JSON Schema of chains, which editors use.
func chainSchema(t *testing.T) string {
	t.Helper()
	streams, _, out, errOut := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	if status := Run(t.Context(), a, []string{"explain", "--schema"}); status != diag.ExitDone {
		t.Fatalf("status %d: %s", status, errOut)
	}
	return out.String()
}

func functionSection(d *functions.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", d.FunctionName, sentence(d.Description))
	fmt.Fprintf(&b, "`%s`\n", strings.TrimRight(d.FunctionName+" "+explain.UsageOf(d.FunctionSignature),
		" "))
	if len(d.Parameters) > 0 {
		b.WriteString("\n| parameter | | |\n|---|---|---|\n")
	}
	for i, p := range d.Parameters {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.ParameterName, cellText(p.Description),
			cellText(strings.Join(explain.Constraints(p, d.VarArgs && i == len(d.Parameters)-1), "; ")))
	}
	b.WriteByte('\n')
	for _, line := range explain.Behaviour(d.FunctionSignature, explain.CommandLine{Program: "fctl"}) {
		b.WriteString("* " + line + "\n")
	}
	if others := explain.OtherNames(d); len(others) > 0 {
		b.WriteString("* other names: " + strings.Join(others, ", ") + "\n")
	}
	if len(d.Examples) > 0 {
		b.WriteString("\n```sh\n")
		for _, example := range d.Examples {
			b.WriteString("fctl do deployment.yaml " + example + "\n")
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func sentence(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") + "." }

func cellText(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`).Replace(s)
}

// commandReference has a section for each command and topic.
func commandReference() string {
	streams, _, _, _ := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	root := newRoot(a, io.Discard)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	var b strings.Builder
	b.WriteString(generated + "\n# Commands\n")
	writeCommand(&b, root)
	b.WriteString("\n# Topics\n")
	for _, topic := range allTopics() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: `fctl help %s`.\n\n```\n%s```\n", topic.name, topic.short,
			topic.name, helpOf(root, topic.name))
	}
	return b.String()
}

// helpOf returns what help prints about a command or a topic.
func helpOf(root *cobra.Command, name string) string {
	cmd, _, err := root.Find([]string{name})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	cmd.SetOut(&b)
	if err := cmd.Help(); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestGroups checks that the front page has each command once, if at all, and that the commands on
// the pages of the groups exist with their flags.
func TestGroups(t *testing.T) {
	streams, _, _, _ := iostreams.Test()
	root := newRoot(&command.App{Streams: streams}, io.Discard)
	root.InitDefaultHelpCmd()
	in := map[string]string{}
	for _, g := range groups() {
		for _, name := range g.commands {
			if cmd, _, err := root.Find([]string{name}); err != nil || cmd == root || in[name] != "" {
				t.Errorf("%s has %s: %v %s", g.title, name, err, in[name])
			}
			in[name] = g.title
		}
		page := helpOf(root, g.name)
		if strings.Contains(page, "{{") {
			t.Errorf("%s has no table of commands", g.name)
		}
		found := 0
		for line := range strings.Lines(strings.ReplaceAll(page, "\\\n", "")) {
			line, ok := strings.CutPrefix(line, "  fctl ")
			if !ok {
				continue
			}
			found++
			line, _, _ = strings.Cut(line, "  ") // what it does
			line, _, _ = strings.Cut(line, " > ")
			words, err := shellwords.Split(strings.TrimSuffix(line, "\n"))
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			cmd, rest, err := root.Find(words)
			if err != nil || cmd == root {
				t.Errorf("%s: %v", line, err)
				continue
			}
			for _, word := range rest {
				name, long := strings.CutPrefix(word, "--")
				if short, ok := strings.CutPrefix(word, "-"); ok && !long && short != "" && cmd.Flags().ShorthandLookup(short) == nil ||
					long && name != "" && cmd.Flag(name) == nil {
					t.Errorf("%s: %s has no flag %s", line, cmd.Name(), word)
				}
			}
		}
		if found < 2 {
			t.Errorf("%s has %d examples", g.name, found)
		}
	}
	all := helpOf(root, commandsTopic)
	for _, cmd := range root.Commands() {
		if n := strings.Count(all, "\n  "+cmd.Name()+" "); n != 1 && !cmd.Hidden && cmd.Name() != commandsTopic {
			t.Errorf("'fctl help commands' has %s %d times", cmd.Name(), n)
		}
	}
}

// TestFlagsHaveAGroup checks that the help of commands with many flags leaves none for the end.
func TestFlagsHaveAGroup(t *testing.T) {
	streams, _, _, _ := iostreams.Test()
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if _, flags, found := strings.Cut(usage.Flags(cmd), "\n"+usage.More+":\n"); found {
			t.Errorf("no group of usage.Groups has these flags of %s:\n%s", cmd.CommandPath(), flags)
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	root := newRoot(&command.App{Streams: streams}, io.Discard)
	check(root)
	for _, g := range usage.Groups() {
		for name := range strings.FieldsSeq(g.Flags) {
			if !hasFlag(root, name) {
				t.Errorf("%s: no command has --%s", g.Title, name)
			}
		}
	}
}

// hasFlag reports whether a command or one below it has a flag of its own with the name.
func hasFlag(cmd *cobra.Command, name string) bool {
	return cmd.LocalFlags().Lookup(name) != nil ||
		slices.ContainsFunc(cmd.Commands(), func(sub *cobra.Command) bool { return hasFlag(sub, name) })
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Hidden || cmd.Name() == "help" || !cmd.Runnable() && !cmd.HasSubCommands() {
		return // topics have a section of their own
	}
	fmt.Fprintf(b, "\n## %s\n\n", cmd.CommandPath())
	text := cmd.Long
	if text == "" {
		text = sentence(cmd.Short)
	}
	fmt.Fprintf(b, "```\n%s\n\n%s\n```\n", strings.TrimSpace(text), cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n\n```sh\n%s\n```\n",
			strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	if flags := strings.TrimPrefix(usage.Flags(cmd), "\n"); flags != "" {
		fmt.Fprintf(b, "\n```\n%s```\n", flags)
	}
	for _, sub := range cmd.Commands() {
		writeCommand(b, sub)
	}
}

// TestHelpFitsATerminal finds lines that are too long in the help of commands and topics. Command
// lines and programs may be longer.
func TestHelpFitsATerminal(t *testing.T) {
	program := regexp.MustCompile(`^ +(fctl|git|cat|--where-resource|for) `)
	streams, _, _, _ := iostreams.Test()
	asked := [][]string{{"help"}}
	for _, cmd := range newRoot(&command.App{Streams: streams}, io.Discard).Commands() {
		asked = append(asked, []string{"help", cmd.Name()})
	}
	executor := functions.NewStandardExecutor()
	for _, words := range asked {
		t.Run(words[0], func(t *testing.T) {
			for line := range strings.Lines(ran(t, executor, diag.ExitDone, words...)) {
				if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(
					line) > usage.Width &&
					!program.MatchString(line) {
					t.Errorf("%v: %s", words, line)
				}
			}
		})
	}
}

// TestFlagTexts checks that the text of a flag begins with a verb, or with the name of its value.
func TestFlagTexts(t *testing.T) {
	talk := regexp.MustCompile(
		`^(an?|every|how|no|not|of|only|that|the|these|those|what|when|where|which|with) `)
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if talk.MatchString(strings.ReplaceAll(f.Usage, "`", "")) {
				t.Errorf("%s --%s: %s", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	streams, _, _, _ := iostreams.Test()
	check(newRoot(&command.App{Streams: streams}, io.Discard))
}

// ran runs fctl with an executor and returns its output. The exit status may be 0 or the one given.
func ran(t *testing.T, executor *functions.Executor, status int, words ...string) string {
	t.Helper()
	streams, _, out, errOut := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return executor, nil
	}}
	if got := Run(t.Context(), a, words); got != diag.ExitDone && got != status {
		t.Errorf("fctl %s: status %d\n%s", strings.Join(words, " "), got, errOut)
	}
	return out.String()
}
