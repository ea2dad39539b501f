package fn

import (
	"context"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// ownFunction returns one of fctl's own functions with arguments by name, KEY=VALUE.
func (r *runner) ownFunction(ctx context.Context, name string, arguments []string,
) (krm.Function, error) {
	words := []string{name}
	for _, argument := range arguments {
		if !strings.Contains(argument, "=") {
			return nil, diag.UsageHint("-- KEY=VALUE...", "the argument %q has no \"=\"", argument)
		}
		words = append(words, "--"+argument)
	}
	reader := r.reader()
	resolver := &plan.Resolver{
		Toolchain: api.ToolchainKubernetesYAML, Functions: r.executor,
		Flags: noFlags{}, ResourceType: do.NewTypeNames(r.executor).Resolve,
		ReadFile: func(path string) ([]byte, error) {
			return reader.Bytes(ctx, source.InDirectory(r.app.Dir, path))
		},
	}
	chain, err := resolver.Resolve(resolver.Split(words))
	if err != nil {
		return nil, err
	}
	r.app.Console().Notes("", chain.Notes...)
	request := &api.FunctionInvocationRequest{
		FunctionInvocations: chain.Invocations, StopOnError: true,
	}
	request.ToolchainType = api.ToolchainKubernetesYAML
	return krm.Chain(r.executor, request), nil
}

// steps runs functions on items and reports them on the error stream.
func (r *runner) steps(ctx context.Context, items []*krm.Item, steps []*krm.Step, o *resultFlags,
	selfDelete bool,
) ([]*krm.Item, []*krm.StepResult, error) {
	reporter := &stepReporter{runner: r, log: o.logSteps, truncate: o.truncate}
	pipeline := &krm.Pipeline{
		Provider: r.provider, Started: reporter.started, Ended: reporter.ended,
		Gave:   r.hide,
		KeepIO: o.keepIO != "",
		Strict: r.settings.Strict, AllowSelfDelete: selfDelete,
	}
	return pipeline.Run(ctx, items, steps)
}

// noFlags implements plan.CommandFlags: all words are arguments.
type noFlags struct{}

func (noFlags) Recognize([]string) int { return 0 }
func (noFlags) Names() []string        { return nil }
