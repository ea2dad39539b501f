package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/sink"
)

func (a *App) newList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the functions: name, kind and what they do",
		Example: "  fctl list",
		Args:    noArguments,
	}
	cmd.Flags().String("toolchain", "", "the toolchain whose functions are listed (default Kubernetes/YAML)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := a.settings(cmd.Flags())
		if err != nil {
			return err
		}
		executor, err := a.executor()
		if err != nil {
			return err
		}
		toolchain := api.ToolchainType(s.Toolchain)
		if toolchain == "" {
			toolchain = api.ToolchainKubernetesYAML
		}
		if err := supported(toolchain, executor.Toolchains()); err != nil {
			return err
		}
		width := 0
		if a.Streams.OutIsTerminal() {
			width = a.Streams.Width()
		}
		return sink.Stdout{W: a.Streams.Out}.Write([]byte(listText(executor.Signatures(toolchain), width)))
	}
	return cmd
}

// supported refuses a toolchain the executor does not know.
func supported(t api.ToolchainType, known []api.ToolchainType) error {
	var names []string
	for _, k := range known {
		if k == t {
			return nil
		}
		names = append(names, string(k))
	}
	return diag.UsageHint("supported: "+strings.Join(names, ", "), "unsupported toolchain %s", t)
}

// listText is a line for each function; width 0 is no limit.
func listText(signatures []api.FunctionSignature, width int) string {
	names := len("FUNCTION")
	for _, s := range signatures {
		names = max(names, len(s.FunctionName))
	}
	var b strings.Builder
	row := func(name, kind, text string) {
		line := fmt.Sprintf("%-*s  %-9s  %s", names, name, kind, text)
		b.WriteString(shorten(strings.TrimRight(line, " "), width) + "\n")
	}
	row("FUNCTION", "KIND", "DESCRIPTION")
	for _, s := range signatures {
		text, _, _ := strings.Cut(s.Description, "\n")
		if s.AliasOf != "" {
			text = "the same as " + s.AliasOf
		}
		row(s.FunctionName, kindOf(s), text)
	}
	return b.String()
}

// kindOf says what a function does with the configuration.
func kindOf(s api.FunctionSignature) string {
	switch {
	case s.Mutating:
		return "changes"
	case s.Validating:
		return "validates"
	}
	return "reads"
}

func shorten(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return strings.TrimRight(string([]rune(line)[:width-1]), " ") + "…"
}
