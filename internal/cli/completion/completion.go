// Package completion corrects the scripts for shells that cobra generates. It changes their text
// and fails, instead of printing a broken script, if cobra's has changed.
//
// Layer: commands.
package completion

import (
	"bytes"
	_ "embed" // the functions of the script for bash
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
)

// bashFunctions are functions that replace those of the package bash-completion. NAME means
// the name of the program in them.
//
//go:embed completion.bash
var bashFunctions string

// Prepare changes cobra's command completion: it accepts no unknown shell, the
// script for bash works without the package bash-completion, and that for fish with arguments in
// quotes.
func Prepare(a *command.App, c *cobra.Command) {
	c.Args, c.RunE = a.NoSuchCommand, command.ShowHelp // cobra's accepts any shell and exits with 0
	for _, shell := range c.Commands() {
		var script func(*cobra.Command, bool) ([]byte, error)
		switch shell.Name() {
		case "bash":
			script = bashScript
		case "fish":
			script = fishScript
		default:
			continue
		}
		shell.Long = strings.Replace(shell.Long,
			`This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`, `The script works with bash 4 and newer. It does not need the package
bash-completion, but the directory of the second command belongs to it; without
the package, write the first command into ~/.bashrc.
`, 1)
		shell.RunE = func(cmd *cobra.Command, _ []string) error {
			plain, err := cmd.Flags().GetBool("no-descriptions")
			if err != nil {
				return err
			}
			text, err := script(cmd.Root(), !plain)
			if err != nil {
				return diag.Failures(err, api.FailureFunction)
			}
			return a.Write(text)
		}
	}
}

// bashScript returns cobra's script for bash, with functions of its own where cobra's calls those
// of the package bash-completion.
func bashScript(root *cobra.Command, descriptions bool) ([]byte, error) {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, descriptions); err != nil {
		return nil, err
	}
	name := strings.NewReplacer("-", "_", ":", "_").Replace(root.Name())
	text := script.String()
	words := regexp.MustCompile(`(?s)    # Call _init_completion from.*?\n    fi\n`)
	if !words.MatchString(text) || strings.Count(text, "_get_comp_words_by_ref") != 1 {
		return nil, errors.New("cobra's script for bash has changed")
	}
	text = words.ReplaceAllString(text, "    __"+name+"_words\n")
	helper := regexp.MustCompile(`(?s)# Macs have bash3 for which.*?\n}\n\n`)
	text = helper.ReplaceAllString(text, "")
	text = regexp.MustCompile(`\b_filedir\b`).ReplaceAllString(text, "__"+name+"_filedir")
	first, rest, _ := strings.Cut(text, "\n")
	return []byte(first + "\n" + strings.ReplaceAll(bashFunctions, "NAME", name) + rest), nil
}

// fishScript returns cobra's script for fish, but escapes the words before the last one. fish has
// removed their quotes, and would replace an argument * by the names of files.
func fishScript(root *cobra.Command, descriptions bool) ([]byte, error) {
	var script bytes.Buffer
	if err := root.GenFishCompletion(&script, descriptions); err != nil {
		return nil, err
	}
	const words, request = "$args[2..-1]", "    # Disable ActiveHelp"
	text := script.String()
	if strings.Count(text, words) != 1 || strings.Count(text, request) != 1 {
		return nil, errors.New("cobra's script for fish has changed")
	}
	text = strings.Replace(text, words, "$words", 1)
	return []byte(strings.Replace(text, request, `    set -l words
    if test (count $args) -gt 1
        set words (string escape -- $args[2..-1])
    end

`+request, 1)), nil
}
