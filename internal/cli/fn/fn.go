// Package fn implements the commands of KRM functions: fctl fn and fctl krm, one file each.
//
// Layer: commands.
package fn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// New makes the commands that run KRM functions.
func New(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fn",
		Short: "Run KRM functions",
		Long: `Run functions that read and write Kubernetes resources as a ResourceList:
programs, container images, and those of fctl. They work on directories of
resources. A resource that a function did not change keeps its bytes; a changed
one changes as little as possible, and keeps its comments and the order of its
fields.`,
		Args: a.NoSuchCommand,
		RunE: command.ShowHelp,
	}
	cmd.AddCommand(newRun(a), newEval(a), newRender(a), newExplain(a),
		newSource(a), newSink(a), newWrap(a), newXargs(a), newDoc(a),
		newInit(a), newTest(a))
	return cmd
}

// runner is what the commands of fn work with.
type runner struct {
	app      *command.App
	settings *settings.Settings
	executor *functions.Executor
	provider configkit.ResourceProvider

	showSecrets bool
	hidden      hidden
}

// newRunner loads the settings and the resource types.
func newRunner(a *command.App, cmd *cobra.Command) (*runner, error) {
	s, err := a.Settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	executor, err := a.ExecutorFor(cmd.Context(), s)
	if err != nil {
		return nil, err
	}
	a.Console().Notes("", do.SettingsNotes(s, executor)...)
	r := &runner{
		app: a, settings: s, executor: executor,
		provider: executor.ResourceProvider(api.ToolchainKubernetesYAML),
	}
	if cmd.Flags().Lookup("show-secrets") != nil {
		r.showSecrets, err = cmd.Flags().GetBool("show-secrets")
	}
	return r, err
}

// reader returns the reader of files.
func (r *runner) reader() *source.Reader { return do.Reader(r.settings, r.app.Streams) }

// note writes a note on the error stream.
func (r *runner) note(file, message string) {
	if !r.settings.Quiet {
		r.app.Console().Notes(file, api.Note{Message: message})
	}
}

// pathWord returns the only word, or otherwise without words.
func pathWord(cmd *cobra.Command, words []string, otherwise string) (string, error) {
	switch {
	case len(words) > 1:
		return "", command.Surplus(cmd, words[1])
	case len(words) == 1 && words[0] == "":
		return "", diag.Usage("the name of the directory is empty")
	case len(words) == 1:
		return words[0], nil
	case otherwise == "":
		return "", command.Missing(cmd, "DIR")
	}
	return otherwise, nil
}

// readPackage reads a directory, and notes what it did not read as resources.
func (r *runner) readPackage(ctx context.Context, dir string, o krm.ReadOptions,
) (*krm.Package, error) {
	o.Reader = r.reader()
	p, err := krm.ReadPackage(ctx, source.InDirectory(r.app.Dir, dir), o)
	if err != nil {
		return nil, err
	}
	if r.settings.Verbose && len(p.Skipped) > 0 {
		r.note("", do.SkippedFiles(p.Skipped, true))
	}
	r.hide(p.Items())
	return p, nil
}

// stdin returns the text of the standard input.
func (r *runner) stdin(ctx context.Context, cmd *cobra.Command) ([]byte, error) {
	if err := r.app.RejectTerminal(cmd); err != nil {
		return nil, err
	}
	return r.reader().Bytes(ctx, "-")
}

// readList reads the ResourceList on the standard input of a function.
func (r *runner) readList(ctx context.Context, cmd *cobra.Command) (*krm.ResourceList, error) {
	text, err := r.stdin(ctx, cmd)
	if err != nil {
		return nil, err
	}
	list, err := krm.ParseNamed(text, diag.Stdin)
	if err != nil {
		return nil, err
	}
	r.hideList(list)
	return list, r.deviations(list.Notes())
}

// deviations notes how the text on the standard input deviates from the specification. With
// --strict that is an error.
func (r *runner) deviations(notes []string) error {
	var problems []error
	for _, note := range notes {
		if r.settings.Strict {
			problems = append(problems, diag.Input(diag.Stdin, "only --strict makes an error "+
				"of this",
				errors.New(note)))
			continue
		}
		r.note(diag.Stdin, note)
	}
	return errors.Join(problems...)
}

// readStream reads resources on the standard input, in a ResourceList or as documents.
func (r *runner) readStream(ctx context.Context, cmd *cobra.Command) (*krm.Stream, error) {
	text, err := r.stdin(ctx, cmd)
	if err != nil {
		return nil, err
	}
	s, err := krm.ReadStream(text, diag.Stdin)
	if err != nil {
		return nil, err
	}
	r.hideList(s.List)
	return s, r.deviations(s.Notes)
}

// configFile reads the one resource of --fn-config.
func (r *runner) configFile(ctx context.Context, file string) (*krm.Item, error) {
	if file == "" {
		return nil, nil
	}
	path := source.InDirectory(r.app.Dir, file)
	text, err := r.reader().Bytes(ctx, path)
	if err != nil {
		return nil, err
	}
	item, err := krm.ReadConfig(text, diag.FileName(path))
	if err != nil {
		return nil, err
	}
	r.hide([]*krm.Item{item})
	item.File, item.Dir = path, filepath.Dir(path)
	return item, nil
}

// writePackage writes changes to the files of a package.
func (r *runner) writePackage(ctx context.Context, p *krm.Package, changes []*krm.ChangedFile,
	fsync bool,
) error {
	r.app.Writes.Begin()
	defer r.app.Writes.End()
	var done atomic.Int64
	o := r.writeOptions(fsync)
	o.One = func(write func() error) error {
		err := r.app.Writes.Write(write)
		if err == nil {
			done.Add(1)
		}
		return err
	}
	err := p.Write(ctx, changes, o)
	if err != nil {
		r.note("", fmt.Sprintf("%d of %s written", done.Load(), diag.Count(len(changes), "file")))
	}
	return withHints(err)
}

func (r *runner) writeOptions(fsync bool) krm.WriteOptions {
	return krm.WriteOptions{
		Sync: fsync, One: r.app.Writes.Write, Secret: r.isSecret,
	}
}

// withHints adds the hints about files that could not be written.
func withHints(err error) error {
	if err == nil {
		return nil
	}
	problems := diag.Failures(err, api.FailureFunction)
	for i, f := range problems {
		if f.Err != nil && f.Class == api.FailureFunction && f.Hint == "" {
			problems[i] = do.NotWritten(f.Pos.File, f.Err)
		}
	}
	return problems
}

// absent returns an error if a path exists.
func absent(path, flag string) error {
	if _, err := os.Lstat(path); err == nil {
		return diag.UsageHint("remove it, or name a directory that does not exist",
			"%s: %s exists already", flag, diag.FileName(path))
	}
	return nil
}
