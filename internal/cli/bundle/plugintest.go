package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// NewPlugin makes the commands for authors of plugins.
func NewPlugin(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Test Smith plugins",
		Long:  `Commands for authors of plugins of Smith Bundles.`,
		Args:  a.NoSuchCommand,
		RunE:  command.ShowHelp,
	}
	cmd.AddCommand(newPluginTest(a))
	return cmd
}

// testFlags are the flags of plugin test.
type testFlags struct {
	plugins     pluginFlags
	runs        int
	showSecrets bool
}

func newPluginTest(a *command.App) *cobra.Command {
	o := &testFlags{}
	cmd := &cobra.Command{
		Use:   "test [flags] NAME CASES",
		Short: "Check that a plugin keeps its contract",
		Long: `Run the plugin NAME on the cases in CASES, a file or a directory of files, and
check that it keeps its contract: it returns the same every time, however maps
were filled and without environment variables; it does not change its inputs; the
object has the type of the description, no other namespace, and a spec that fits
the schema; nothing panics. A program returns the same with another HOME, LANG,
TMPDIR and TZ, with one more directory in PATH, and, without --sandbox, in another
working directory; a variable that --env sets stays. A case is a document:

  name: two keys
  spec: {filterByPrefix: FOO_}
  dependencies:
    binding:
      actual: {apiVersion: v1, kind: ...}
      outputs: [{apiVersion: v1, kind: Secret, ...}]
  expect:
    object: {apiVersion: ..., kind: ..., spec: ...}

In place of object, expect may have error, a part of the failure, with external
and retriable. Without expect any object passes. Names and namespaces, which are
set later, are only compared if object has them.`,
		Example: `  fctl plugin test filter cases.yaml
  fctl plugin test labels cases/ --allow-exec --plugin labels=./labels.sh`,
	}
	cmd.Flags().IntVar(&o.runs, "runs", 0,
		"run each case `N` times (default 100, and 3 for programs)")
	command.AddShowSecrets(cmd.Flags(), &o.showSecrets)
	o.plugins.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return testPlugin(cmd.Context(), a, cmd, o, words)
	}
	completePluginTest(a, cmd)
	return cmd
}

// testPlugin runs the cases.
func testPlugin(ctx context.Context, a *command.App, cmd *cobra.Command, o *testFlags, words []string,
) error {
	if err := command.Words(2, 2)(cmd, words); err != nil {
		return err
	}
	if cmd.Flags().Changed("runs") && o.runs < 1 {
		return diag.Usage("--runs: a number above 0 is expected, got %d", o.runs)
	}
	o.plugins.elsewhere = &surroundings{app: a}
	defer o.plugins.elsewhere.remove()
	r, plugins, err := withPlugins(ctx, a, cmd, &o.plugins)
	if err != nil {
		return err
	}
	tested, err := plugins.Find(smithv1.PluginName(words[0]))
	if err != nil {
		return diag.UsageHint("'fctl bundle plugins' lists them", "%w", err)
	}
	cases, err := r.cases(ctx, words[1])
	if err != nil {
		return err
	}
	runs := o.runs
	if runs == 0 {
		runs = 100
		if tested.IsProgram() {
			runs = 3
		}
	}
	if !o.showSecrets {
		hide, err := r.hideObjects(ctx)
		if err != nil {
			return err
		}
		for i := range cases {
			for _, object := range cases[i].Objects() {
				hide(object)
			}
			cases[i].Made = hide
		}
	}
	var b strings.Builder
	passed := tested.Test(cases, runs, func(name string, err error) {
		if err == nil {
			fmt.Fprintf(&b, "ok    %s\n", name)
			return
		}
		fmt.Fprintf(&b, "FAIL  %s\n      %s\n", name,
			strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n      "))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := a.WriteText(b.String()); err != nil {
		return err
	}
	if !passed {
		return diag.ExitError(diag.ExitNo)
	}
	return nil
}

// hideObjects returns a function that masks the values of a Secret in everything that people read.
func (r *runner) hideObjects(ctx context.Context) (func(*plugin.Object), error) {
	executor, err := r.knowledge(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	return func(o *plugin.Object) {
		if !bundle.IsSecret(o.GVK()) {
			return
		}
		text, err := json.Marshal(o.Object)
		if err != nil || known[string(text)] { // an object that is not data is never shown
			return
		}
		known[string(text)] = true
		r.app.Hide(executor.Sensitive(api.ToolchainKubernetesYAML, [][]byte{text}), false)
	}, nil
}

// cases reads the cases in a file or in the files of a directory.
func (r *runner) cases(ctx context.Context, path string) ([]contract.PluginCase, error) {
	finder := &source.Finder{
		Dir: r.app.Dir, Recursive: true, Toolchain: api.ToolchainKubernetesYAML,
	}
	found, err := finder.Find(ctx, []string{path})
	if err != nil {
		return nil, err
	}
	var all []contract.PluginCase
	var problems diag.List
	for _, file := range found.Files {
		text, err := []byte(nil), file.Problem
		if err == nil {
			text, err = r.reader.Bytes(ctx, file.Path)
		}
		var cases []contract.PluginCase
		if err == nil {
			cases, err = bundle.ReadCases(text, diag.FileName(file.Path))
		}
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		all = append(all, cases...)
	}
	if len(all) == 0 && len(problems) == 0 {
		return nil, diag.UsageHint("'fctl plugin test --help' shows one", "%s has no cases",
			diag.FileName(path))
	}
	return all, problems.Err()
}
