package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// newFn makes the commands that run KRM functions.
func (a *App) newFn() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fn",
		Short: "Run KRM functions",
		Long: `Run functions that read and write Kubernetes resources as a ResourceList:
programs, container images, and those of fctl. They work on directories of
resources. A resource that a function did not change keeps its bytes; a changed
one changes as little as possible, and keeps its comments and the order of its
fields.`,
		Args: a.noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(a.newFnRun(), a.newFnEval(), a.newFnRender(), a.newFnExplain(),
		a.newFnSource(), a.newFnSink(), a.newFnWrap(), a.newFnXargs(), a.newFnDoc(),
		a.newFnInit(), a.newFnTest())
	return cmd
}

// fnRun is what the commands of fn work with.
type fnRun struct {
	*App
	settings *settings.Settings
	provider configkit.ResourceProvider
}

// fnRun loads the settings and the resource types.
func (a *App) fnRun(ctx context.Context, cmd *cobra.Command) (*fnRun, error) {
	s, err := a.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	executor, err := a.executorFor(ctx, s)
	if err != nil {
		return nil, err
	}
	if !s.Quiet {
		a.console().Notes("", run.SettingsNotes(s, executor)...)
	}
	return &fnRun{
		App: a, settings: s,
		provider: executor.ResourceProvider(api.ToolchainKubernetesYAML),
	}, nil
}

// reader returns the reader of files.
func (r *fnRun) reader() *source.Reader { return run.Reader(r.settings, r.Streams) }

// note writes a note on the error stream.
func (r *fnRun) note(file, message string) {
	if !r.settings.Quiet {
		r.console().Notes(file, api.Note{Message: message})
	}
}

// pathWord returns the only word, or otherwise without words.
func pathWord(cmd *cobra.Command, words []string, otherwise string) (string, error) {
	switch {
	case len(words) > 1:
		return "", diag.UsageHint(cmd.UseLine(), "one directory is expected, got %d words", len(words))
	case len(words) == 1 && words[0] == "":
		return "", diag.Usage("the name of the directory is empty")
	case len(words) == 1:
		return words[0], nil
	case otherwise == "":
		return "", diag.UsageHint(cmd.UseLine(), "a directory is expected")
	}
	return otherwise, nil
}

// readPackage reads a directory, and notes what it did not read as resources.
func (r *fnRun) readPackage(ctx context.Context, dir string, o krm.ReadOptions,
) (*krm.Package, error) {
	o.Reader = r.reader()
	p, err := krm.ReadPackage(ctx, source.InDirectory(r.global.dir, dir), o)
	if err != nil {
		return nil, err
	}
	if r.settings.Verbose {
		r.note("", run.SkippedFiles(p.Skipped, true))
	}
	return p, nil
}

// readStream reads the standard input.
func (r *fnRun) readStream(ctx context.Context, cmd *cobra.Command) (*krm.Stream, error) {
	if err := r.rejectTerminal(cmd); err != nil {
		return nil, err
	}
	text, err := r.reader().Bytes(ctx, "-")
	if err != nil {
		return nil, err
	}
	s, err := krm.ReadStream(text, diag.Stdin)
	if err != nil {
		return nil, err
	}
	for _, note := range s.Notes {
		r.note(diag.Stdin, note)
	}
	return s, nil
}

// fnConfigFile reads the one resource of --fn-config.
func (r *fnRun) fnConfigFile(ctx context.Context, file string) (*krm.Item, error) {
	if file == "" {
		return nil, nil
	}
	path := source.InDirectory(r.global.dir, file)
	text, err := r.reader().Bytes(ctx, path)
	if err != nil {
		return nil, err
	}
	item, err := krm.ReadConfig(text, diag.FileName(path))
	if err != nil {
		return nil, err
	}
	item.File, item.Dir = path, filepath.Dir(path)
	return item, nil
}

// writePackage writes changes to the files of a package.
func (r *fnRun) writePackage(ctx context.Context, p *krm.Package, changes []*krm.Change, fsync bool,
) error {
	r.writes.Begin()
	defer r.writes.End()
	err := p.Write(ctx, changes, krm.WriteOptions{Sync: fsync, One: r.writes.Write})
	return withHints(err)
}

// withHints adds the hints about files that could not be written.
func withHints(err error) error {
	if err == nil {
		return nil
	}
	problems := diag.Failures(err, api.FailureFunction)
	for i, f := range problems {
		if f.Err != nil && f.Class == api.FailureFunction && f.Hint == "" {
			problems[i] = run.NotWritten(f.Pos.File, f.Err)
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
