package cli

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/explain"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/settings"
)

func newList(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [flags] [WORD...]",
		Short: "List the functions",
		Long: `List the functions, one per line. With words, list only functions whose name,
kind, attribute or description contains all of them, or that serve a purpose
such as scale, bump, limit or rename. Functions with the words in their names
come first. The words readonly, mutating and validating select the kinds reads,
changes and validates. Deprecated functions are listed only with --all. If no
function matches, the status is 1.`,
		Example: `  fctl list
  fctl list scale
  fctl list validating
  fctl list changes image
  fctl list -o wide replicas`,
	}
	form := command.AddOutput(cmd.Flags(), "table, wide (with parameters), json (the signatures), name",
		"table", "wide", "json", "name")
	command.AddToolchainFlags(cmd.Flags())
	command.AddServer(cmd.Flags(), "use the functions of")
	all := cmd.Flags().Bool("all", false, "also list deprecated functions")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		set, err := functionsOf(a, cmd)
		if err != nil {
			return err
		}
		signatures := matching(set.executor.Signatures(set.toolchain), words)
		deprecated := 0
		if !*all {
			n := len(signatures)
			signatures = slices.DeleteFunc(signatures,
				func(s api.FunctionSignature) bool { return s.Deprecated })
			deprecated = n - len(signatures)
		}
		if len(signatures) == 0 && len(words) > 0 {
			note := "no function matches " + strings.Join(words, " ")
			if deprecated > 0 {
				note += ", except deprecated ones, which --all lists"
			} else if meant := meantWords(set.executor.Signatures(set.toolchain),
				words); meant != "" {
				note += "; " + configkit.DidYouMean("", []string{meant})
			}
			a.Note(set.settings, note)
			if form.Value != "json" { // a table has no rows then
				return diag.ExitError(diag.ExitNo)
			}
		}
		err = writeList(a, form.Value, signatures)
		if err == nil && len(signatures) == 0 {
			err = diag.ExitError(diag.ExitNo)
		}
		return err
	}
	cmd.ValidArgsFunction = completeFunctions(a)
	return cmd
}

// functionSet is the functions that a command is about.
type functionSet struct {
	settings  *settings.Settings
	executor  *functions.Executor
	toolchain api.ToolchainType // of the settings; empty if each file decides
}

// loadFunctions loads the settings and makes the executor.
func loadFunctions(a *command.App, cmd *cobra.Command) (set functionSet, err error) {
	if set.settings, set.executor, err = command.Functions(a, cmd); err != nil {
		return set, err
	}
	set.toolchain = api.ToolchainType(set.settings.Toolchain)
	return set, nil
}

// functionsOf is functionSet for a command without files: the default toolchain is Kubernetes/YAML.
func functionsOf(a *command.App, cmd *cobra.Command) (functionSet, error) {
	set, err := loadFunctions(a, cmd)
	if err != nil {
		return set, err
	}
	set.toolchain = cmp.Or(set.toolchain, api.ToolchainKubernetesYAML)
	return set, do.Supported(set.toolchain, set.executor.Toolchains())
}

// intentions has words for what people want to do with a function, which its name and description
// do not have: lines of the form FUNCTION: WORDS.
//
//go:embed intentions.txt
var intentions string

// purposes returns the words of intentions.txt by function.
func purposes() map[string][]string {
	words := map[string][]string{}
	for line := range strings.Lines(intentions) {
		name, list, ok := strings.Cut(line, ":")
		if ok && !strings.HasPrefix(name, "#") {
			words[name] = strings.Fields(list)
		}
	}
	return words
}

// matching returns the functions that match all words. Those that have the words in their names
// come first, and those that have one only in their descriptions come last.
func matching(signatures []api.FunctionSignature, words []string) []api.FunctionSignature {
	var ranks [3][]api.FunctionSignature
	known := purposes()
	for _, s := range signatures {
		if rank := rankOf(s, known[cmp.Or(s.AliasOf, s.FunctionName)], words); rank >= 0 {
			ranks[rank] = append(ranks[rank], s)
		}
	}
	return slices.Concat(ranks[:]...)
}

// meantWords returns the words with those that match nothing replaced by what is nearest to them in
// names and purposes, or "" if a word has nothing near it.
func meantWords(signatures []api.FunctionSignature, words []string) string {
	var known []string
	for name, purposes := range purposes() {
		known = append(append(known, strings.Split(name, "-")...), purposes...)
	}
	for _, s := range signatures {
		known = append(known, strings.Split(s.FunctionName, "-")...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	meant := slices.Clone(words)
	for i, word := range words {
		if len(matching(signatures, words[i:i+1])) > 0 {
			continue
		}
		near := configkit.Suggest(word, known)
		if len(near) == 0 {
			return ""
		}
		meant[i] = near[0]
	}
	if slices.Equal(meant, words) {
		return ""
	}
	return strings.Join(meant, " ")
}

// rankOf returns how well a function matches the words, each at least as well as the result says: 0
// in its name or kind, 1 in its attribute or purposes, 2 in its description, -1 not. The words
// readonly, mutating and validating match the kind only.
func rankOf(s api.FunctionSignature, purposes, words []string) int {
	rank := 0
	for _, word := range words {
		word = strings.ToLower(word)
		kind, isKind := map[string]string{
			"readonly": "reads", "mutating": "changes", "validating": "validates",
		}[word]
		has := func(text string) bool { return strings.Contains(strings.ToLower(text), word) }
		switch {
		case isKind && kind != explain.KindOf(s):
			return -1
		case isKind, has(s.FunctionName), has(s.AliasOf), has(explain.KindOf(s)):
		case has(string(s.AttributeName)), slices.ContainsFunc(purposes,
			func(purpose string) bool { return strings.HasPrefix(purpose, word) }):
			rank = max(rank, 1)
		case has(s.Description):
			rank = 2
		default:
			return -1
		}
	}
	return rank
}

// listText prints functions in one of the forms.
func writeList(a *command.App, form string, signatures []api.FunctionSignature) error {
	switch form {
	case "name":
		var b strings.Builder
		for _, s := range signatures {
			b.WriteString(s.FunctionName + "\n")
		}
		return a.Write([]byte(b.String()))
	case "json":
		if signatures == nil {
			signatures = []api.FunctionSignature{}
		}
		return a.WriteJSON(signatures)
	}
	width := 0
	if a.Streams.OutIsTerminal() && form == "table" {
		width = a.Streams.Width()
	}
	return a.WriteText(listTable(a, signatures, form == "wide", width))
}

// listTable prints a line for each function and each alias. A width of 0 means no limit. Deprecated
// aliases are marked.
func listTable(a *command.App, signatures []api.FunctionSignature, wide bool, width int) string {
	t := out.Table{
		Head: []string{"FUNCTION", "KIND", "DESCRIPTION"}, HeadStyle: a.Streams.OutStyle(color.Bold),
		Width: width, LongNames: true,
	}
	if wide {
		t.Head = slices.Insert(t.Head, 2, "PARAMETERS")
	}
	for _, s := range signatures {
		text, _, _ := strings.Cut(s.Description, "\n")
		if s.AliasOf != "" {
			text = "alias of " + s.AliasOf
		}
		if s.Deprecated && s.AliasOf != "" {
			text = "deprecated: " + text
		}
		row := []string{s.FunctionName, explain.KindOf(s), text}
		if wide {
			row = slices.Insert(row, 2, explain.UsageOf(s))
		}
		t.Rows = append(t.Rows, row)
	}
	return t.String()
}
