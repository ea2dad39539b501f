package handler

import (
	"errors"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// FunctionHandler is the registry and the pipeline of one toolchain. Register functions first; afterwards it can be used
// concurrently.
type FunctionHandler struct {
	toolchain api.ToolchainType
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	functions map[string]*function
	patterns  *patterns
	programs  *programs
}

// function is a registration under one of its names.
type function struct {
	*FunctionRegistration
	name       string // as invoked: the function's name or an alias
	deprecated bool
	patterns   *patterns
	programs   *programs
}

// patterns keeps the regular expressions of parameters, which are compiled when an argument is first checked: most functions
// are not invoked.
type patterns struct {
	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

func newPatterns() *patterns { return &patterns{compiled: map[string]*regexp.Regexp{}} }

// match tells whether s matches an expression that was checked when its function was registered.
func (p *patterns) match(expression, s string) bool {
	return p.get(expression).MatchString(s)
}

func (p *patterns) get(expression string) *regexp.Regexp {
	p.mu.Lock()
	defer p.mu.Unlock()
	compiled, ok := p.compiled[expression]
	if !ok {
		compiled = regexp.MustCompile(expression)
		p.compiled[expression] = compiled
	}
	return compiled
}

// New makes a handler without functions.
func New(toolchain api.ToolchainType, converter configkit.ConfigConverter, provider configkit.ResourceProvider) *FunctionHandler {
	return &FunctionHandler{
		toolchain: toolchain, converter: converter, provider: provider,
		functions: make(map[string]*function, 128), // growing it would be the dearest part of starting up
		patterns:  newPatterns(),
		programs:  newPrograms(),
	}
}

// Converter is the converter of the toolchain.
func (h *FunctionHandler) Converter() configkit.ConfigConverter { return h.converter }

// converterFor is the converter for what is in a file of this name, "" if that is not known.
func (h *FunctionHandler) converterFor(file string) configkit.ConfigConverter {
	if c, ok := h.converter.(configkit.DialectConverter); ok && file != "" {
		return c.ForFile(file)
	}
	return h.converter
}

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
	s.Deprecated = s.Deprecated || f.deprecated
	return s
}

// Registration is what a function was registered as, by any of its names.
func (h *FunctionHandler) Registration(name string) (FunctionRegistration, bool) {
	f, ok := h.functions[name]
	if !ok {
		return FunctionRegistration{}, false
	}
	return *f.FunctionRegistration, true
}

// ValidateInvocation checks an invocation without running it and returns it normalised: every argument named, converted
// and in the order of the parameters. Expressions are left as they are. The error is an *UnknownFunctionError, or one or
// several (joined) *ArgumentError and *yamlkit.Error.
func (h *FunctionHandler) ValidateInvocation(invocation api.FunctionInvocation) (api.FunctionInvocation, error) {
	f, err := h.lookup(invocation.FunctionName)
	if err != nil {
		return invocation, err
	}
	args, err := f.validate(invocation.Arguments)
	if _, whereErr := parseWhere(invocation.WhereResource); whereErr != nil {
		err = errors.Join(append(configkit.Unjoin(err), whereErr)...) // one list, whatever it is made of
	}
	if err != nil {
		return invocation, err
	}
	invocation.Arguments = args
	return invocation, nil
}

// CheckWhereResource tells what is wrong with a where-expression of a request. The error is a *yamlkit.Error.
func (h *FunctionHandler) CheckWhereResource(text string) error {
	_, err := parseWhere(text)
	return err
}

// validate is normalize, and what the function itself has to say about its arguments, unless some are not known yet.
func (f *function) validate(args []api.FunctionArgument) ([]api.FunctionArgument, error) {
	normalized, err := f.normalize(args)
	if err != nil || slices.ContainsFunc(normalized, func(a api.FunctionArgument) bool { return a.Evaluator != "" }) {
		return normalized, err
	}
	return normalized, f.checkArguments(normalized)
}

// checkArguments asks the function about its arguments and gives what it says, or that it panicked, the type callers branch on.
func (f *function) checkArguments(args []api.FunctionArgument) (err error) {
	if f.CheckArguments == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Function: f.name, Value: p, Stack: debug.Stack()}
		}
		if _, ok := errors.AsType[*ArgumentError](err); !ok && err != nil {
			err = &ArgumentError{Function: f.name, Message: err.Error(), Err: err}
		}
	}()
	return f.CheckArguments(args)
}

// mayRun refuses a function that depends on more than its input, unless that is allowed.
func (f *function) mayRun(allowExternal bool) error {
	if f.Hermetic || allowExternal {
		return nil
	}
	return &NotHermeticError{Function: f.name}
}

func (h *FunctionHandler) lookup(name string) (*function, error) {
	if f, ok := h.functions[name]; ok {
		return f, nil
	}
	// Names this long are no slips of the finger, and comparing them with all others takes time.
	if len(name) > api.MaxFunctionNameLength {
		return nil, &UnknownFunctionError{Name: name[:api.MaxFunctionNameLength] + "..."}
	}
	return nil, &UnknownFunctionError{Name: name, Suggestions: configkit.Suggest(name, slices.Sorted(maps.Keys(h.functions)))}
}
