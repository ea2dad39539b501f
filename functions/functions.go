// Package functions provides the Executor, which runs the functions of all toolchains.
//
// Invariants: The command line, the server and the tests use the same executor. An executor depends
// on nothing but what is registered with it. No function registers itself; NewStandardExecutor
// lists all of them.
//
// Layer: functions.
package functions

import (
	"context"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

// Executor runs functions. Register functions and add resource types before its first use; from
// then on it is safe for concurrent use.
type Executor struct {
	handlers map[api.ToolchainType]func() *handler.FunctionHandler
	// toolchains are the built-in ones and then those of authors, in the order of registration.
	toolchains []Toolchain
	added      Added
	remote     Remote // nil if requests run here
}

// NewEmptyExecutor returns an executor that knows the toolchains but has no functions. It uses a
// snapshot of what the default providers, such as k8skit.K8sResourceProvider, know now.
func NewEmptyExecutor() *Executor { return newExecutor(false) }

// NewStandardExecutor returns an executor with all built-in functions. The first use of a toolchain
// panics if two of its functions have the same name, which is a programming error that no input can
// cause.
func NewStandardExecutor() *Executor { return newExecutor(true) }

// newExecutor returns an executor with the built-in toolchains, with their functions if standard is
// set. It takes the snapshot of the Kubernetes provider at once, although handlers are made later.
func newExecutor(standard bool) *Executor {
	toolchains := builtIn()
	e := &Executor{
		handlers:   make(map[api.ToolchainType]func() *handler.FunctionHandler, len(toolchains)),
		toolchains: slices.Clip(toolchains),
	}
	known := k8skit.K8sResourceProvider.Snapshot()
	for _, t := range toolchains {
		provider := t.Provider
		t.Provider = func() configkit.ResourceProvider {
			if t.Name == api.ToolchainKubernetesYAML {
				return known
			}
			p := provider()
			if p, ok := p.(interface{ ShareSecrets(*resourcetypes.Registry) }); ok {
				p.ShareSecrets(known.Registry)
			}
			return p
		}
		e.add(t, standard)
	}
	return e
}

// RegisterFunction adds a function to a toolchain. The error is an *UnsupportedToolchainError or a
// *handler.RegistrationError.
func (e *Executor) RegisterFunction(
	t api.ToolchainType, registration handler.FunctionRegistration,
) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	return h.RegisterFunction(registration)
}

// Check checks the registrations of all functions, including the built-in ones, which are
// registered unchecked. The errors are *handler.RegistrationError, joined. It is meant for tests.
func (e *Executor) Check() error {
	var wrong []error
	for _, t := range e.Toolchains() {
		wrong = append(wrong, e.handlers[t]().Check())
	}
	return errors.Join(wrong...)
}

// Registry returns the registry of a toolchain, for functions that register other functions, such
// as the helpers of functions/generic. It performs the same checks as RegisterFunction.
func (e *Executor) Registry(t api.ToolchainType) handler.FunctionRegistry { return registry{e, t} }

// registry registers functions with one toolchain of an executor.
type registry struct {
	executor  *Executor
	toolchain api.ToolchainType
}

// RegisterFunction implements handler.FunctionRegistry.
func (r registry) RegisterFunction(registration handler.FunctionRegistration) error {
	return r.executor.RegisterFunction(r.toolchain, registration)
}

// ResourceProvider returns the resource provider that this executor uses for a toolchain, or nil if
// it does not know the toolchain. Paths registered with the provider are visible to this executor
// only.
func (e *Executor) ResourceProvider(t api.ToolchainType) configkit.ResourceProvider {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return h.ResourceProvider()
}

// Signatures returns the signatures of a toolchain's functions, sorted by name. Each alias has a
// signature of its own, with AliasOf set.
func (e *Executor) Signatures(t api.ToolchainType) []api.FunctionSignature {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return h.Signatures()
}

// Signature returns the signature of the function with the given name or alias.
func (e *Executor) Signature(t api.ToolchainType, name string) (api.FunctionSignature, bool) {
	h, err := e.handler(t)
	if err != nil {
		return api.FunctionSignature{}, false
	}
	return h.Signature(name)
}

// ValidateInvocation checks an invocation without running it and returns it normalized. The error
// is an *UnsupportedToolchainError, a *handler.UnknownFunctionError, or one or several (joined)
// *handler.ArgumentError and *where.Error.
func (e *Executor) ValidateInvocation(
	t api.ToolchainType, invocation api.FunctionInvocation,
) (api.FunctionInvocation, error) {
	h, err := e.handler(t)
	if err != nil {
		return invocation, err
	}
	return h.ValidateInvocation(invocation)
}

// CheckWhereResource checks the where-expression of a request without running the request. The
// error is an *UnsupportedToolchainError or a *where.Error.
func (e *Executor) CheckWhereResource(t api.ToolchainType, text string) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	return h.CheckWhereResource(text)
}

// CheckWhereCEL checks the WhereCEL of a request without running the request. The error is an
// *UnsupportedToolchainError, or one or several (joined) *expression.Error.
func (e *Executor) CheckWhereCEL(t api.ToolchainType, text string) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	return h.CheckWhereCEL(text)
}

// Invoke runs a chain of functions on the data of one unit, see Run.
func (e *Executor) Invoke(
	ctx context.Context, request *api.FunctionInvocationRequest,
) (*api.FunctionInvocationResponse, error) {
	result, err := e.Run(ctx, request, handler.Options{})
	if err != nil {
		return nil, err
	}
	return &result.FunctionInvocationResponse, nil
}

// Run runs a chain of functions on the data of one unit. It returns an error only if the request
// cannot be run at all or if ctx is canceled; all other problems are in the result. An empty
// ToolchainType means Kubernetes/YAML.
func (e *Executor) Run(
	ctx context.Context, request *api.FunctionInvocationRequest, options handler.Options,
) (*handler.Result, error) {
	t := request.ToolchainType
	if t == "" {
		t = api.ToolchainKubernetesYAML
	}
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	var result *handler.Result
	if e.remote != nil {
		result, err = e.remote.Run(ctx, request, options, &e.added)
	} else {
		result, err = h.Run(ctx, request, options)
	}
	if err == nil && options.Secrets {
		e.hideSecrets(t, request, result, options.NamesOnly)
	}
	return result, err
}

// NeedsSurvey reports whether functions of a chain treat a resource by what others have; see
// handler.Survey.
func (e *Executor) NeedsSurvey(t api.ToolchainType, chain api.FunctionInvocationList) bool {
	h, err := e.handler(t)
	return err == nil && h.NeedsSurvey(chain)
}

// ChangesAll reports whether a function of a chain changes all files of a run or none, see
// handler.FunctionRegistration.
func (e *Executor) ChangesAll(t api.ToolchainType, chain api.FunctionInvocationList) bool {
	h, err := e.handler(t)
	return err == nil && h.ChangesAll(chain)
}

// Survey returns what the data of a request has for the functions of its chain, for
// handler.Options. It returns nil if the executor does not know the toolchain.
func (e *Executor) Survey(
	ctx context.Context, request *api.FunctionInvocationRequest,
) *handler.Survey {
	h, err := e.handler(request.ToolchainType)
	if err != nil {
		return nil
	}
	return h.Survey(ctx, request)
}
