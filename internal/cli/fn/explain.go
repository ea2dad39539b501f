package fn

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/cli/execution"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
)

// explainFlags are the flags of fn explain.
type explainFlags struct{ execution execution.Flags }

func newExplain(a *app.App) *cobra.Command {
	o := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain [flags] IMAGE",
		Short: "Say what would run an image, and why nothing else",
		Long: `Print, for each kind of executor in the order in which they are asked, whether it
would run IMAGE, and why not. Nothing is run or pulled. The status is 4 if no
executor would run it.`,
		Example: `  fctl fn explain set-labels:v0.2
  fctl fn explain registry.example.com/functions/check:v1`,
	}
	o.execution.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return explain(cmd.Context(), a, cmd, o, words)
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func explain(ctx context.Context, a *app.App, cmd *cobra.Command, o *explainFlags,
	words []string,
) error {
	if len(words) != 1 {
		return diag.UsageHint(cmd.UseLine(), "the name of one image is expected, got %d words",
			len(words))
	}
	r, err := newRunner(ctx, a, cmd)
	if err != nil {
		return err
	}
	executors, err := o.execution.Executors(r.app, ".")
	if err != nil {
		return err
	}
	step, reasons, problem := executors.Resolve(ctx,
		&krm.Declared{Image: words[0], Network: o.execution.Network, Direct: true}, "")
	if len(reasons) == 0 && problem != nil {
		return problem
	}
	var b strings.Builder
	b.WriteString("image: " + step.Image + "\n")
	for i, reason := range reasons {
		taken := "skipped"
		if problem == nil && i == len(reasons)-1 {
			taken = "taken"
		}
		kind, why, _ := strings.Cut(reason, ": ")
		b.WriteString(kind + ": " + taken + ": " + why + "\n")
	}
	if err := r.app.Write([]byte(b.String())); err != nil {
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
