package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
)

// completer completes words from the Bundles that are on the command line. What cannot be read
// only offers less.
type completer struct {
	app *command.App
	cmd *cobra.Command
}

// complete registers the completion of a command whose words are BUNDLE..., or one BUNDLE and the
// name of a resource.
func complete(a *command.App, cmd *cobra.Command, oneBundle bool) {
	c := &completer{a, cmd}
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string, typed string) ([]string,
		cobra.ShellCompDirective,
	) {
		switch {
		case len(words) == 0 || !oneBundle:
			return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
		case len(words) == 1:
			return command.Offer(c.resources(words), typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for name, values := range map[string]cobra.CompletionFunc{
		"observed":     c.observed,
		"assume-ready": c.assumeReady,
		"ready":        c.ready,
		"plugin":       c.plugin,
		"outputs":      fileNames,
		"ready-rules": func(_ *cobra.Command, _ []string, typed string) ([]string,
			cobra.ShellCompDirective,
		) {
			return command.Offer([]string{kstatusRules, smithRules}, typed)
		},
	} {
		if cmd.Flags().Lookup(name) != nil {
			// fails only if it is registered already
			_ = cmd.RegisterFlagCompletionFunc(name, values)
		}
	}
}

func fileNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// bundles reads the Bundles of files as far as that is possible.
func (c *completer) bundles(words []string) []*bundle.Bundle {
	if _, err := c.app.Settings(c.cmd.Flags()); err != nil {
		return nil
	}
	reader := &source.Reader{}
	var all []*bundle.Bundle
	for _, path := range words {
		if path == "-" || path == "" {
			continue
		}
		text, err := reader.Bytes(c.cmd.Context(), source.InDirectory(c.app.Dir, path))
		if err != nil {
			continue
		}
		read, _, _ := bundle.Read(text, path, "default") // problems only offer less
		all = append(all, read...)
	}
	return all
}

// plugins returns the plugins of this program.
func (c *completer) plugins() *bundle.Plugins {
	plugins, err := bundle.NewPlugins(c.cmd.Context(), 0, c.app.Plugins, filter.New)
	if err != nil {
		return &bundle.Plugins{}
	}
	return plugins
}

// resources returns the names of resources with what they make.
func (c *completer) resources(words []string) []string {
	plugins := c.plugins()
	var names []string
	for _, b := range c.bundles(words) {
		for _, r := range b.Resources {
			gvk, object := r.Identity(plugins)
			what := strings.TrimSpace(gvk.Kind + " " + object)
			if r.Plugin() != "" {
				what = fmt.Sprintf("%s by the plugin %s", what, r.Plugin())
			}
			names = append(names, string(r.Name)+"\t"+what)
		}
	}
	return names
}

// observed completes files, directories and kube:.
func (c *completer) observed(_ *cobra.Command, _ []string, typed string) ([]string,
	cobra.ShellCompDirective,
) {
	values, directive := command.Offer([]string{kube + "\twhat kubectl gets"}, typed)
	return values, directive &^ cobra.ShellCompDirectiveNoFileComp
}

// assumeReady completes the last of several names.
func (c *completer) assumeReady(_ *cobra.Command, words []string, typed string) ([]string,
	cobra.ShellCompDirective,
) {
	given := typed[:strings.LastIndex(typed, ",")+1]
	names := append(c.resources(words), "all\tevery resource")
	taken := strings.Split(given, ",")
	names = slices.DeleteFunc(names, func(name string) bool {
		name, _, _ = strings.Cut(name, "\t")
		return slices.Contains(taken, name)
	})
	for i := range names {
		names[i] = given + names[i]
	}
	return command.Offer(names, typed)
}

// ready completes the kinds that need a rule.
func (c *completer) ready(_ *cobra.Command, words []string, typed string) ([]string,
	cobra.ShellCompDirective,
) {
	plugins := c.plugins()
	var kinds []string
	for _, b := range c.bundles(words) {
		for _, r := range b.Resources {
			gvk, _ := r.Identity(plugins)
			if gvk.Kind != "" && !ready.HasRule(gvk) {
				kinds = append(kinds, bundle.KindAndGroup(gvk))
			}
		}
	}
	slices.Sort(kinds)
	values, directive := command.Offer(kinds, typed)
	return values, directive | cobra.ShellCompDirectiveNoSpace
}

// plugin completes the names of plugins that the Bundles use and that do not exist, then a command.
func (c *completer) plugin(_ *cobra.Command, words []string, typed string) ([]string,
	cobra.ShellCompDirective,
) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	plugins := c.plugins()
	var names []string
	for _, b := range c.bundles(words) {
		for _, r := range b.Resources {
			if _, err := plugins.Find(r.Plugin()); r.Plugin() != "" && err != nil {
				names = append(names, string(r.Plugin())+"=")
			}
		}
	}
	values, directive := command.Offer(names, typed)
	return values, directive | cobra.ShellCompDirectiveNoSpace
}

// completePluginTest completes NAME and CASES.
func completePluginTest(a *command.App, cmd *cobra.Command) {
	c := &completer{a, cmd}
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string, typed string) ([]string,
		cobra.ShellCompDirective,
	) {
		switch len(words) {
		case 0:
			var names []string
			for _, p := range c.plugins().List() {
				names = append(names, string(p.Name)+"\tmakes "+p.GVK.APIVersion()+" "+p.GVK.Kind)
			}
			declared, err := cmd.Flags().GetStringArray("plugin")
			for _, text := range declared {
				if name, command, ok := strings.Cut(text, "="); ok && err == nil {
					names = append(names, name+"\t"+command)
				}
			}
			return command.Offer(names, typed)
		case 1:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
