package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// pluginFlags are the flags that declare plugins that are programs or images.
type pluginFlags struct {
	declared  []string
	execution runflags.Flags
	elsewhere *surroundings // where programs run as well, for a test; nil for nowhere
}

func (o *pluginFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.declared, "plugin", nil,
		"add a plugin that is a program or an image, `NAME=COMMAND` or NAME=image:IMAGE")
	o.execution.Add(flags)
}

// plugins makes the plugins: those of fctl, those of a team's own program, and those declared by
// flags.
func (r *runner) plugins(ctx context.Context, o *pluginFlags) (*bundle.Plugins, error) {
	plugins, err := r.builtIn(ctx, r.app.Limits.Time())
	if err != nil {
		return nil, err
	}
	declared := append(r.settled(o), o.declared...)
	if len(declared) == 0 {
		return plugins, nil
	}
	executors, err := o.execution.Executors(ctx, r.app, r.settings, r.app.Dir, nil)
	if err != nil {
		return nil, err
	}
	executors.Limits.Output = min(executors.Limits.Output, bundle.MaxProgramOutput)
	var problems diag.List
	for _, text := range declared {
		if err := addProgram(ctx, plugins, executors, o, text); err != nil {
			problems = append(problems, diag.Failures(err, api.FailureFunction)...)
		}
	}
	return plugins, problems.Err()
}

// builtIn makes the plugins of fctl and of a team's own program. Each call of one has a limit.
func (r *runner) builtIn(ctx context.Context, limit time.Duration) (*bundle.Plugins, error) {
	plugins, err := bundle.NewPlugins(ctx, limit, r.app.Plugins, filter.New)
	if err != nil {
		return nil, diag.Failures(err, api.FailureFunction)
	}
	return plugins, nil
}

// withPlugins returns what a command works with, and the plugins.
func withPlugins(ctx context.Context, a *command.App, cmd *cobra.Command, o *pluginFlags,
) (*runner, *bundle.Plugins, error) {
	r, err := newRunner(a, cmd)
	if err != nil {
		return nil, nil, err
	}
	plugins, err := r.plugins(ctx, o)
	return r, plugins, err
}

// settled returns the plugins that the user's own settings declare and that flags do not declare
// again. Programs are only among them if they may run, so that Bundles without them need no
// permission.
func (r *runner) settled(o *pluginFlags) []string {
	var declared []string
	for line := range strings.Lines(r.settings.SmithPlugins) {
		line = strings.TrimSpace(line)
		name, command, _ := strings.Cut(line, "=")
		again := func(flag string) bool { return strings.HasPrefix(flag, name+"=") }
		switch {
		case line == "" || slices.ContainsFunc(o.declared, again):
		case o.execution.AllowsExec(r.settings) != "false", strings.HasPrefix(command, "image:"):
			declared = append(declared, line)
		case r.settings.Verbose:
			r.notes(api.Note{Message: fmt.Sprintf(
				"the plugin %s of the settings is a program, which needs --allow-exec", name)})
		}
	}
	return declared
}

// addProgram adds the plugin of one --plugin.
func addProgram(ctx context.Context, plugins *bundle.Plugins, executors *krm.Executors,
	flags *pluginFlags, text string,
) error {
	name, command, ok := strings.Cut(text, "=")
	if !ok || name == "" || command == "" {
		return diag.UsageHint("--plugin NAME=COMMAND or --plugin NAME=image:IMAGE",
			"--plugin: %q is not a plugin", text)
	}
	d := &krm.Declared{Direct: true, Network: flags.execution.Network}
	if image, ok := strings.CutPrefix(command, "image:"); ok {
		d.Image = image
	} else {
		words, err := shellwords.Split(command)
		if err != nil || len(words) == 0 {
			return diag.Usage("--plugin %s: %q is not a command", name, command)
		}
		d.Exec, d.Args = words[0], words[1:]
	}
	step := func(call string) (*krm.Step, error) {
		called := *d
		called.Envs = []string{bundle.CallVariable + "=" + call}
		s, _, err := executors.Resolve(ctx, &called, "")
		return s, err
	}
	describe, err := step("describe")
	if err != nil {
		return err
	}
	process, err := step("process")
	if err != nil {
		return err
	}
	var variations []bundle.Variation
	if flags.elsewhere != nil && d.Exec != "" { // a container has surroundings of its own
		if variations, err = flags.elsewhere.variations(ctx, executors, d); err != nil {
			return err
		}
	}
	made, err := bundle.NewProgram(ctx, smithv1.PluginName(name), describe, process, variations...)
	if err != nil {
		return err
	}
	return plugins.Add(made, command)
}

func newPlugins(a *command.App) *cobra.Command {
	o := &pluginFlags{}
	cmd := &cobra.Command{
		Use:   "plugins [flags]",
		Short: "List the plugins with what they make",
		Long: `List the plugins that Bundles can use: their names, the type of the objects that
they make, and where they come from. -o json adds the schemas of their specs.`,
		Example: `  fctl bundle plugins
  fctl bundle plugins --allow-exec --plugin labels=./labels.sh -o json`,
		Args: command.NoArguments,
	}
	output := command.AddOutput(cmd.Flags(), "table or json", "table", "json")
	o.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, plugins, err := withPlugins(cmd.Context(), a, cmd, o)
		if err != nil {
			return err
		}
		return r.list(plugins.List(), output.Value)
	}
	return cmd
}

// pluginRow is a plugin as JSON has it.
type pluginRow struct {
	Name    smithv1.PluginName `json:"name"`
	Group   string             `json:"group"`
	Version string             `json:"version"`
	Kind    string             `json:"kind"`
	Origin  string             `json:"origin"`
	Schema  json.RawMessage    `json:"schema,omitempty"`
}

// list prints plugins.
func (r *runner) list(plugins []*bundle.Plugin, output string) error {
	if output == "json" {
		rows := []pluginRow{}
		for _, p := range plugins {
			row := pluginRow{p.Name, p.GVK.Group, p.GVK.Version, p.GVK.Kind, p.Origin, nil}
			if len(p.SpecSchema) > 0 {
				doc, err := gaby.ParseYAML(p.SpecSchema)
				if err != nil {
					return err
				}
				if row.Schema, err = json.Marshal(doc.Data()); err != nil {
					return err
				}
			}
			rows = append(rows, row)
		}
		return r.app.WriteJSON(rows)
	}
	table := out.Table{Head: []string{"NAME", "MAKES", "FROM"}}
	for _, p := range plugins {
		makes := p.GVK.APIVersion() + " " + p.GVK.Kind
		if p.Undescribed {
			makes = "any object"
		}
		table.Rows = append(table.Rows, []string{string(p.Name), makes, p.Origin})
	}
	return r.app.WriteText(table.String())
}
