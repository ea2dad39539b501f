package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
)

// Choice is the value of a flag that takes one of several words.
type Choice struct {
	What, Value string
	Values      []string
}

// AddOutput adds the flag -o to a command. The first form is the default. note explains the forms.
func AddOutput(flags *pflag.FlagSet, note string, forms ...string) *Choice {
	c := &Choice{What: "output format", Value: forms[0], Values: forms}
	flags.VarP(c, "output", "o", "output `FORMAT`: "+note)
	return c
}

// Set implements pflag.Value.
func (c *Choice) Set(text string) error {
	if !slices.Contains(c.Values, text) {
		return diag.Usage("%s %q is not one of %s", c.What, text, strings.Join(c.Values, ", "))
	}
	c.Value = text
	return nil
}

// String implements pflag.Value.
func (c *Choice) String() string { return c.Value }

// Type implements pflag.Value.
func (c *Choice) Type() string { return "string" }

// Offer returns the candidates that begin with what was typed. A candidate may have a description
// after a tab.
func Offer(candidates []string, typed string) ([]string, cobra.ShellCompDirective) {
	var fitting []string
	for _, candidate := range candidates {
		if strings.HasPrefix(candidate, typed) && !slices.Contains(fitting, candidate) {
			fitting = append(fitting, candidate)
		}
	}
	return fitting, cobra.ShellCompDirectiveNoFileComp
}

// CompleteFiles completes up to n words that are all files.
func CompleteFiles(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(words) < n {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// AddShowSecrets adds the flag that turns masking off. It is not a setting: a project's file must
// not reveal the secrets of others.
func AddShowSecrets(flags *pflag.FlagSet, show *bool) {
	flags.BoolVar(show, "show-secrets", false,
		"do not mask the values of Secrets in messages, reports, tables and diffs")
}

// AddShard adds the flag --shard.
func AddShard(flags *pflag.FlagSet, shard *source.Shard) {
	flags.Var(&shardFlag{to: shard}, "shard",
		"work only on part `I/N` of the files, to share them among machines; the parts are "+
			"about equal")
}

// shardFlag is the value of --shard.
type shardFlag struct {
	to   *source.Shard
	text string
}

// Set implements pflag.Value.
func (f *shardFlag) Set(text string) (err error) {
	f.text = text
	*f.to, err = source.ParseShard(text)
	return err
}

// String implements pflag.Value.
func (f *shardFlag) String() string { return f.text }

// Type implements pflag.Value.
func (f *shardFlag) Type() string { return "string" }

// FlagNames returns the long names of flags.
func FlagNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
