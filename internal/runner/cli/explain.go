package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	runner, tag string
	timeout     time.Duration
}

func (p *program) explainCommand() *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use: "explain", Short: "say what a server would run for an image",
		Long: `Print, for each executor of a running server in the order in which they are
asked, whether it would run IMAGE, and why not. Nothing is run. The status is 4
if no executor would run it.

  fctl-runner explain --runner HOST:PORT IMAGE`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.explain(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.runner, "runner", "127.0.0.1:9445", "ask the server at `HOST:PORT`")
	f.StringVar(&o.tag, "tag", "", "`VERSION`, or a range of versions, of the image")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "stop after `TIME`")
	return cmd
}

func (p *program) explain(ctx context.Context, o *explainOptions, args []string) error {
	if len(args) != 1 {
		return diag.Usage("one argument IMAGE is expected")
	}
	if _, _, err := net.SplitHostPort(o.runner); err != nil {
		return diag.Usage("--runner: %v", err)
	}
	conn, err := connect(ctx, o.runner, o.timeout, server.DefaultMaxMessage)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer is there
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	response, err := evaluator.NewExplainerClient(conn).Explain(ctx,
		&evaluator.ExplainRequest{Image: args[0], Tag: o.tag})
	switch s := status.Convert(err); s.Code() {
	case codes.OK:
	case codes.Unimplemented:
		return fmt.Errorf("the server at %s does not explain; it is not of fctl-runner", o.runner)
	case codes.InvalidArgument:
		return diag.Usage("%s", s.Message())
	default:
		return errors.New(s.Message())
	}
	trace := functionconfig.Trace{}
	taken := false
	for _, step := range response.GetSteps() {
		taken = taken || step.GetTaken()
		trace = append(trace, functionconfig.Attempt{
			Kind: functionconfig.ExecutorKind(step.GetExecutor()), Taken: step.GetTaken(), Reason: step.GetReason(),
		})
	}
	if _, err := fmt.Fprintf(p.Streams.Out, "image: %s\n%s", response.GetImage(), trace); err != nil {
		return err
	}
	if !taken {
		return fmt.Errorf("no executor of the server would run %s", response.GetImage())
	}
	return nil
}
