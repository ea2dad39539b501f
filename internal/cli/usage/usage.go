// Package usage writes the usage of commands: their flags by purpose where there are many.
//
// Layer: commands.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/out"
)

// Width is the maximum width of help in columns. Commands, which are meant to be copied, may be
// longer.
const Width = 80

// Text returns the help of a command without its description.
func Text(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", cmd.NameAndAliases())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		b.WriteString(Table(cmd, names))
	}
	b.WriteString(Flags(cmd))
	name := cmd.Root().Name()
	fmt.Fprintf(&b, "\n'%s help %s' shows the flags of all commands, such as -C DIR and --quiet.\n",
		name, Topic)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "'%s COMMAND --help' explains a command.\n", cmd.CommandPath())
	}
	return b.String()
}

// Topic is the help topic about the flags of all commands.
const Topic = "flags"

// manyFlags is the number of flags from which on a command lists them by group.
const manyFlags = 20

// More is the title of flags that no group has.
const More = "More flags"

// Group is a group of flags in the help of commands that have many. Flags are names, separated by blanks; the
// first group of a flag has it.
type Group struct{ Title, Flags string }

// Groups returns the groups in the order of the help.
func Groups() []Group {
	return []Group{
		{"Flags for input", "filename recursive files-from file from-stdin shard include-meta-resources include-subpackages " +
			"toolchain resource-types"},
		{"Flags for selecting resources", "kind name namespace selector where-resource where-cel match-api-version " +
			"match-kind match-name match-namespace match-labels match-annotations exclude-api-version " +
			"exclude-kind exclude-name exclude-namespace exclude-labels exclude-annotations"},
		{"Flags for output", "output diff output-only data-only columns report combine-validations show-secrets " +
			"results-dir no-headers select log-steps truncate-output"},
		{"Flags for writing", "in-place output-dir check dry-run fsync fix save update render-status allow-exists"},
		{"Flags for functions", "functions function image tag exec fn-config fn-path global-scope type param context " +
			"other-data upsert allow-external plugin invocation runs"},
		{"Flags for failures", "keep-going stop strict require-match allow-empty num-filters " +
			"fail-on-results fail-on-conflict exit-code exit-zero"},
		{"Flags for validation", "policy kubernetes-version schema schema-location baseline write-baseline learn"},
		{"Flags for programs and containers", "allow-exec allow-env env allow-mount mount allow-outside network " +
			"sandbox engine as-current-user no-mount-local image-prefix image-pull-policy ignore-digests " +
			"executor no-builtin compare function-configs runner pod-namespace kubeconfig keep-io " +
			"allow-self-delete resource-list-version as-nobody"},
		{"Flags for Bundles", "assume-ready ready ready-rules observed outputs owner-refs check-owner allow-lists " +
			"simulate smith-annotations status"},
		{"Flags for choosing units and links", "space create-space where filter contains all stale from " +
			"no-self no-cross-space upstream-space upstream-unit subgroup version restore reverse from-unit " +
			"to-unit to-space dest-space where-from where-to where-space where-to-space resolve"},
		{"Flags for links", "update-type auto-update no-auto-update upstream-path downstream-path " +
			"upstream-getter downstream-setter transform-invocation manual-binding make-current " +
			"use-live-state no-use-live-state where-mutation merge-disable-subtraction " +
			"no-merge-disable-subtraction origin-only no-origin-only insert-strip-metadata"},
		{"Flags for merging", "upgrade ours theirs force prune protect ambiguous adopt-namespace " +
			"to-revision merge-base merge-end merge-source merge-external what-if"},
		{"Flags for definitions", "display-name label annotation delete-gate change-desc patch " +
			"no-propagate strict-worktree"},
		{"Flags for a server", "server ca-file token-file"},
	}
}

// Flags lists the flags of a command, by group if there are many.
func Flags(cmd *cobra.Command) string {
	var all []*pflag.Flag
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			all = append(all, f)
		}
	})
	var b strings.Builder
	list := func(title string, has func(name string) bool) {
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		all = slices.DeleteFunc(all, func(f *pflag.Flag) bool {
			if !has(f.Name) {
				return false
			}
			group.AddFlag(f)
			return true
		})
		if group.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", title, group.FlagUsagesWrapped(Width))
		}
	}
	if len(all) < manyFlags {
		list("Flags", func(string) bool { return true })
		return b.String()
	}
	for _, g := range Groups() {
		names := strings.Fields(g.Flags)
		list(g.Title, func(name string) bool { return slices.Contains(names, name) })
	}
	list(More, func(string) bool { return true })
	return b.String()
}

// Table lists subcommands of a command with their descriptions.
func Table(cmd *cobra.Command, names []string) string {
	width := 0
	for _, c := range cmd.Commands() {
		width = max(width, len(c.Name()))
	}
	var b strings.Builder
	for _, name := range names {
		sub, _, err := cmd.Find([]string{name})
		if err == nil && sub != cmd {
			b.WriteString("  " + out.Pad(name, width) + "  " + sub.Short + "\n")
		}
	}
	return b.String()
}
