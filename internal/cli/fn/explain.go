package fn

import (
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
)

// explainFlags are the flags of fn explain.
type explainFlags struct {
	app       *command.App
	tag       string
	execution runflags.Flags
}

func newExplain(a *command.App) *cobra.Command {
	o := &explainFlags{app: a}
	cmd := &cobra.Command{
		Use:   "explain [flags] IMAGE",
		Short: "Say what would run an image, and why nothing else",
		Long: `Print, for each kind of executor in the order in which they are asked, whether it
would run IMAGE, and why not. A FunctionConfig that names the image decides; of
other images, those of the published catalogue run in fctl, and the rest in
containers. Of a function in fctl it prints which versions it is for, how
many of the answers recorded of the published program it gives, and in which
points it differs. With --runner it prints what the server would do. Nothing is
run or pulled. The status is 4 if no executor would run it.`,
		Example: `  fctl fn explain set-labels:v0.2
  fctl fn explain registry.example.com/functions/check:v1
  fctl fn explain set-labels --tag '~0.2' --function-configs configs/`,
	}
	cmd.Flags().StringVar(&o.tag, "tag", "", tagUsage)
	o.execution.Add(cmd.Flags())
	cmd.RunE = o.run
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (o *explainFlags) run(cmd *cobra.Command, words []string) error {
	ctx, a := cmd.Context(), o.app
	if err := command.Words(1, 1)(cmd, words); err != nil {
		return err
	}
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	executors, err := o.execution.Executors(ctx, r.app, r.settings, ".", nil)
	if err != nil {
		return err
	}
	step, trace, problem := executors.Resolve(ctx, &krm.Declared{
		Image: words[0], Tag: o.tag, Network: o.execution.Network, Direct: true,
	}, "")
	if len(trace) == 0 && problem != nil {
		return problem
	}
	text := "image: " + step.Image + "\n" + trace.String()
	if problem == nil && step.Runner.InProcess != nil {
		name, _, _ := strings.Cut(path.Base(step.Image), ":")
		text += catalog.Explain(name)
	}
	if problem == nil {
		steps, err := o.execution.AskServer(ctx, a, step.Image, o.tag)
		if err != nil {
			return err
		}
		if steps != "" {
			text += "  " + strings.ReplaceAll(strings.TrimSuffix(steps, "\n"), "\n", "\n  ") + "\n"
		}
	}
	if err := r.app.WriteText(text); err != nil {
		return err
	}
	if problem == nil {
		return nil
	}
	return &api.Failure{
		Class: api.FailureFunction, Function: step.Image, Message: "no executor would run it",
		Hint: "docker, podman or nerdctl runs images that fctl does not have",
	}
}
