package handler

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/api"
)

// FunctionHandler is the registry and the pipeline of one toolchain. Register functions first; afterwards it can be used
// concurrently.
type FunctionHandler struct {
	toolchain api.ToolchainType
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	functions map[string]*function
}

// function is a registration under one of its names.
type function struct {
	FunctionRegistration
	name    string                  // as invoked: the function's name or an alias
	regexps []func() *regexp.Regexp // of the parameters that have one; compiled when first needed
}

// New makes a handler without functions.
func New(toolchain api.ToolchainType, converter configkit.ConfigConverter, provider configkit.ResourceProvider) *FunctionHandler {
	return &FunctionHandler{toolchain: toolchain, converter: converter, provider: provider, functions: map[string]*function{}}
}

// Converter is the converter of the toolchain.
func (h *FunctionHandler) Converter() configkit.ConfigConverter { return h.converter }

// ResourceProvider is the knowledge about the toolchain's resources.
func (h *FunctionHandler) ResourceProvider() configkit.ResourceProvider { return h.provider }

// Signatures are those of all functions, sorted by name; an alias is a row of its own.
func (h *FunctionHandler) Signatures() []api.FunctionSignature {
	signatures := make([]api.FunctionSignature, 0, len(h.functions))
	for _, name := range slices.Sorted(maps.Keys(h.functions)) {
		signatures = append(signatures, h.functions[name].signature())
	}
	return signatures
}

// Signature is that of one function.
func (h *FunctionHandler) Signature(name string) (api.FunctionSignature, bool) {
	f, ok := h.functions[name]
	if !ok {
		return api.FunctionSignature{}, false
	}
	return f.signature(), true
}

func (f *function) signature() api.FunctionSignature {
	s := f.FunctionSignature
	if f.name != s.FunctionName {
		s.AliasOf, s.FunctionName = s.FunctionName, f.name
	}
	return s
}

// ValidateInvocation checks an invocation without running it and returns it normalised: every argument named, converted
// and in the order of the parameters. Expressions are left as they are. The error is an *UnknownFunctionError, or one or
// several (joined) *ArgumentError.
func (h *FunctionHandler) ValidateInvocation(invocation api.FunctionInvocation) (api.FunctionInvocation, error) {
	f, err := h.lookup(invocation.FunctionName)
	if err != nil {
		return invocation, err
	}
	args, err := f.normalize(invocation.Arguments)
	if err != nil {
		return invocation, err
	}
	invocation.Arguments = args
	if f.CheckArguments != nil && !slices.ContainsFunc(args, func(a api.FunctionArgument) bool { return a.Evaluator != "" }) {
		if err := f.CheckArguments(args); err != nil {
			return invocation, f.asArgumentError(err)
		}
	}
	return invocation, nil
}

// asArgumentError gives errors of CheckArguments the type callers branch on.
func (f *function) asArgumentError(err error) error {
	if _, ok := errors.AsType[*ArgumentError](err); ok {
		return err
	}
	return &ArgumentError{Function: f.name, Message: err.Error(), Err: err}
}

func (h *FunctionHandler) lookup(name string) (*function, error) {
	if f, ok := h.functions[name]; ok {
		return f, nil
	}
	return nil, &UnknownFunctionError{Name: name, Suggestions: Suggest(name, slices.Sorted(maps.Keys(h.functions)))}
}
