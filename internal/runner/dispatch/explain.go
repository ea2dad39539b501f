package dispatch

import (
	"context"
	"errors"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// Explain implements evaluator.ExplainerServer.
func (d *Dispatcher) Explain(ctx context.Context, r *evaluator.ExplainRequest,
) (*evaluator.ExplainResponse, error) {
	match, err := d.find(r.GetImage(), r.GetTag())
	if err != nil {
		return nil, err
	}
	response := &evaluator.ExplainResponse{Image: match.Image.String()}
	attempts := functionconfig.NewAttempts(&match, d.prepare(&match, response))
	if _, err = attempts.Next(ctx); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, missing := errors.AsType[*functionconfig.NoExecutorError](err); err != nil && !missing {
		return nil, err
	}
	for _, step := range attempts.Trace() {
		response.Steps = append(response.Steps, &evaluator.ExplainStep{
			Executor: string(step.Kind), Taken: step.Taken, Reason: step.Reason,
		})
	}
	return response, nil
}

// prepare returns for each kind of executor what finds out whether it could start a candidate.
func (d *Dispatcher) prepare(match *functionconfig.ConfigMatch, response *evaluator.ExplainResponse,
) func(functionconfig.ExecutorKind) func(context.Context, functionconfig.Candidate) (struct{}, error) {
	none := struct{}{}
	return func(kind functionconfig.ExecutorKind,
	) func(context.Context, functionconfig.Candidate) (struct{}, error) {
		switch {
		case !d.asks(kind):
		case kind == functionconfig.KindGo:
			return func(_ context.Context, c functionconfig.Candidate) (struct{}, error) {
				_, err := builtIn(c)
				return none, err
			}
		case kind == functionconfig.KindBinary && d.options.Programs != nil:
			return func(_ context.Context, c functionconfig.Candidate) (struct{}, error) {
				program, err := d.options.Programs.Open(c)
				if err == nil {
					_ = program.File.Close()
				}
				return none, err
			}
		case kind == functionconfig.KindPod && d.pods != nil:
			return func(ctx context.Context, c functionconfig.Candidate) (struct{}, error) {
				image, err := d.pods.image(ctx, match)
				if err == nil {
					response.Image = image
					_, err = d.pods.function(c.Config, image)
				}
				return none, err
			}
		}
		return nil
	}
}
