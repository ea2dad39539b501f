package fn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/source"
)

// docFlags are the flags of fn doc.
type docFlags struct{ execution runflags.Flags }

func newDoc(a *command.App) *cobra.Command {
	o := &docFlags{}
	cmd := &cobra.Command{
		Use:   "doc [flags] [IMAGE|PROGRAM|NAME]",
		Short: "Print the documentation of a function",
		Long: `Print the documentation of a function: of an image of the published catalogue
that is built into fctl, of one of fctl's own functions, or what an image or a
program prints with --help. A word with a slash that is a file is a program,
which needs --allow-exec.

Without a word, list the functions of the catalogue that are built in.`,
		Example: `  fctl fn doc
  fctl fn doc set-labels:v0.2
  fctl fn doc set-replicas
  fctl fn doc --allow-exec ./my-function`,
	}
	o.execution.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if err := command.Words(0, 1)(cmd, words); err != nil {
			return err
		}
		if len(words) == 0 {
			return a.WriteText(catalogList())
		}
		return printDoc(cmd.Context(), a, cmd, o, words[0])
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string, _ string) ([]string,
		cobra.ShellCompDirective,
	) {
		if len(words) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return catalog.Names(), cobra.ShellCompDirectiveDefault
	}
	return cmd
}

// catalogList lists the functions of the catalogue.
func catalogList() string {
	var b strings.Builder
	for _, name := range catalog.Names() {
		brief, _ := catalog.Describe(name)
		fmt.Fprintf(&b, "%-30s %s\n", name, brief)
	}
	return b.String()
}

// printDoc prints the documentation of one function.
func printDoc(ctx context.Context, a *command.App, cmd *cobra.Command, o *docFlags, name string) error {
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	path := source.InDirectory(a.Dir, name)
	if info, err := os.Stat(path); err == nil && strings.ContainsAny(name, `/\`) && !info.IsDir() {
		return r.programDoc(ctx, o, path)
	}
	image, err := process.ParseImage(name)
	if err != nil {
		return diag.UsageHint("'fctl fn doc' lists the functions of the catalogue", "%w", err)
	}
	prefix := process.DefaultPrefix
	if r.settings.ImagePrefix != "" {
		prefix = strings.TrimRight(r.settings.ImagePrefix, "/")
	}
	known := slices.Contains([]string{"", prefix, "gcr.io/kpt-fn"}, image.Repository)
	if known && image.Digest == "" {
		if _, ok := catalog.Find(image.Base, image.Tag); ok {
			brief, doc := catalog.Describe(image.Base)
			return a.WriteText(fmt.Sprintf("%s: %s.\n\n%s\n\nVersions: %s\n", image.Base, brief,
				doc,
				strings.Join(catalog.Series(image.Base), ", ")))
		}
	}
	if image.Repository == "" && image.Tag == "" && image.Digest == "" && a.IsFunction(name) {
		explain, _, err := cmd.Root().Find([]string{"explain"})
		if err != nil {
			return err
		}
		explain.SetContext(ctx)
		return explain.RunE(explain, []string{name})
	}
	return r.imageDoc(ctx, o, process.FullImage(name, r.settings.ImagePrefix))
}

// programDoc prints what a program prints with --help.
func (r *runner) programDoc(ctx context.Context, o *docFlags, path string) error {
	if r.settings.Untrusted {
		return diag.Untrusted("%s is a program, which is not run", diag.FileName(path))
	}
	if o.execution.AllowsExec(r.settings) == "false" {
		return diag.UsageHint("--allow-exec lets programs run",
			"%s is a program, and programs are not allowed", diag.FileName(path))
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	p := &process.Program{Path: full}
	return r.printHelp(p.Run(ctx, helpCall(filepath.Dir(full))))
}

// imageDoc prints what an image prints with --help.
func (r *runner) imageDoc(ctx context.Context, o *docFlags, image string) error {
	if r.settings.Untrusted {
		return diag.Untrusted("fctl does not have %s, and no container is run", image)
	}
	name := o.execution.Engine
	if name == "" {
		name = r.app.Streams.Getenv("FCTL_ENGINE")
	}
	engine, err := process.FindEngine(ctx, name)
	if err != nil {
		return diag.UsageHint("'fctl fn doc' lists the functions that need no engine", "%w", err)
	}
	pull, err := process.ParsePullPolicy(o.execution.Pull)
	if err != nil {
		return diag.Usage("--image-pull-policy: %w", err)
	}
	c := &process.Container{Engine: engine, Image: image, Pull: pull}
	return r.printHelp(c.Run(ctx, helpCall("")))
}

func helpCall(dir string) process.Call {
	return process.Call{
		Args: []string{"--help"}, Dir: dir,
		Limits: process.Limits{Time: 30 * time.Second, Output: 1 << 20},
	}
}

// printHelp prints the help that a function wrote. Many functions write it to the standard error,
// and end with a status that is not 0.
func (r *runner) printHelp(out process.Output, err error) error {
	text := out.Stdout
	if len(bytes.TrimSpace(text)) == 0 {
		text = out.Stderr
	}
	if _, failed := errors.AsType[*process.ExitError](err); failed && len(text) > 0 {
		err = nil
	}
	if err != nil {
		return diag.Failures(err, api.FailureFunction)
	}
	return r.app.WriteText(string(text))
}
