// Package functions has the executor: the functions of all toolchains behind one Invoke.
//
// The rules of this room: the command line, the server and tests use the same executor, and an executor depends on nothing
// but what is registered with it. There are no functions that register themselves; NewStandardExecutor lists them.
package functions

import (
	"context"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Executor runs functions. Register functions and add resource types first; afterwards it can be used concurrently.
type Executor struct {
	handlers map[api.ToolchainType]func() *handler.FunctionHandler
}

// NewEmptyExecutor makes an executor that knows the toolchains but has no functions. It works with what the default providers,
// such as k8skit.K8sResourceProvider, know at this moment.
func NewEmptyExecutor() *Executor { return newExecutor(false) }

// NewStandardExecutor makes an executor with all built-in functions. It panics, when a toolchain is first used, if two of its
// functions have the same name, which no input can bring about.
func NewStandardExecutor() *Executor { return newExecutor(true) }

func newExecutor(standard bool) *Executor {
	toolchains := Toolchains()
	e := &Executor{handlers: make(map[api.ToolchainType]func() *handler.FunctionHandler, len(toolchains))}
	known := k8skit.K8sResourceProvider.Snapshot()
	for _, t := range toolchains {
		if t.Name == api.ToolchainKubernetesYAML {
			t.Provider = func() configkit.ResourceProvider { return known }
		}
		e.add(t, standard)
	}
	return e
}

// RegisterFunction adds a function to a toolchain.
func (e *Executor) RegisterFunction(t api.ToolchainType, registration handler.FunctionRegistration) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	return h.RegisterFunction(registration)
}

// Check tells what is wrong with the registrations of all functions, of the built-in ones too, which are registered unchecked.
// The errors are *handler.RegistrationError. It is for tests.
func (e *Executor) Check() error {
	var wrong []error
	for _, t := range e.Toolchains() {
		wrong = append(wrong, e.handlers[t]().Check())
	}
	return errors.Join(wrong...)
}

// Registry is what families of functions, and the helpers of functions/generic, register with for a toolchain. It checks what
// it is given as RegisterFunction does.
func (e *Executor) Registry(t api.ToolchainType) handler.FunctionRegistry { return registry{e, t} }

type registry struct {
	executor  *Executor
	toolchain api.ToolchainType
}

// RegisterFunction implements handler.FunctionRegistry.
func (r registry) RegisterFunction(registration handler.FunctionRegistration) error {
	return r.executor.RegisterFunction(r.toolchain, registration)
}

// ResourceProvider is the knowledge about a toolchain's resources that this executor works with, nil when it does not know the
// toolchain. Paths registered on it are seen by this executor only.
func (e *Executor) ResourceProvider(t api.ToolchainType) configkit.ResourceProvider {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return h.ResourceProvider()
}

// Signatures are those of a toolchain's functions, sorted by name; an alias is a row of its own, with AliasOf.
func (e *Executor) Signatures(t api.ToolchainType) []api.FunctionSignature {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return h.Signatures()
}

// Signature is that of one function.
func (e *Executor) Signature(t api.ToolchainType, name string) (api.FunctionSignature, bool) {
	h, err := e.handler(t)
	if err != nil {
		return api.FunctionSignature{}, false
	}
	return h.Signature(name)
}

// ValidateInvocation checks an invocation without running it and returns it normalised. The error is an
// *UnsupportedToolchainError, a *handler.UnknownFunctionError, or one or several (joined) *handler.ArgumentError and
// *yamlkit.Error.
func (e *Executor) ValidateInvocation(t api.ToolchainType, invocation api.FunctionInvocation) (api.FunctionInvocation, error) {
	h, err := e.handler(t)
	if err != nil {
		return invocation, err
	}
	return h.ValidateInvocation(invocation)
}

// CheckWhereResource tells what is wrong with the where-expression of a request without running one. The error is an
// *UnsupportedToolchainError or a *yamlkit.Error.
func (e *Executor) CheckWhereResource(t api.ToolchainType, text string) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	return h.CheckWhereResource(text)
}

// Invoke runs a chain of functions on the data of one unit, see Run.
func (e *Executor) Invoke(ctx context.Context, request *api.FunctionInvocationRequest) (*api.FunctionInvocationResponse, error) {
	result, err := e.Run(ctx, request, handler.Options{})
	if err != nil {
		return nil, err
	}
	return &result.FunctionInvocationResponse, nil
}

// Run runs a chain of functions on the data of one unit. It returns an error only for a request that cannot be run at all, and
// when ctx is cancelled; everything else that goes wrong is in the result. An empty ToolchainType means Kubernetes/YAML.
func (e *Executor) Run(ctx context.Context, request *api.FunctionInvocationRequest, options handler.Options) (*handler.Result, error) {
	t := request.ToolchainType
	if t == "" {
		t = api.ToolchainKubernetesYAML
	}
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	return h.Run(ctx, request, options)
}
