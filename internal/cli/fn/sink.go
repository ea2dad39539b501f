package fn

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// sinkFlags are the flags of fn sink.
type sinkFlags struct {
	app   *command.App
	write writeFlags
}

func newSink(a *command.App) *cobra.Command {
	o := &sinkFlags{app: a}
	cmd := &cobra.Command{
		Use:   "sink [flags] DIR",
		Short: "Write a ResourceList to the files of a directory",
		Long: `Write the resources on the standard input, a ResourceList or documents, to the
files in DIR that their annotations name. DIR is created if it does not exist.

In a file that exists, a resource that is the same keeps its bytes, a changed
one changes as little as possible, and a resource that is not in the input is
removed. Files of which the input has no resource stay as they are. A resource
of 'fctl fn source' has its text in a new file too: comments, line endings and
layout, also after programs that lose them.`,
		Example: `  fctl fn source apps | my-function | fctl fn sink apps
  fctl fn source apps | fctl fn sink --diff other-apps`,
	}
	addListStrictFlag(cmd.Flags())
	o.write.add(cmd.Flags())
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

func (o *sinkFlags) run(cmd *cobra.Command, words []string) error {
	ctx, a := cmd.Context(), o.app
	dir, err := pathWord(cmd, words, "")
	if err != nil {
		return err
	}
	if err := o.write.exclusive(); err != nil {
		return err
	}
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	stream, err := r.readStream(ctx, cmd)
	if err != nil {
		return err
	}
	if len(stream.List.Items) == 0 && !stream.Wrapped {
		return diag.Input(diag.Stdin, "a ResourceList with \"items: []\" is one without resources",
			errors.New("the input is empty"))
	}
	p, changes, err := krm.Sink(ctx, source.InDirectory(r.app.Dir, dir), stream.List.Items,
		krm.ReadOptions{Reader: r.reader()}, r.provider)
	if err != nil {
		return err
	}
	r.pipeNotes(p.Notes)
	return r.apply(ctx, p, changes, &o.write)
}
