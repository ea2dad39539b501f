package handler

import (
	"errors"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// FunctionHandler is the registry and the pipeline of one toolchain. All functions must be
// registered before it is used; after that it is safe for concurrent use.
type FunctionHandler struct {
	toolchain api.ToolchainType
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	functions map[string]*function
	patterns  *patternCache
	programs  programs
	selectors *expression.Programs[*cel.Expression] // of WhereCEL
}

// function is a registration under one of its names.
type function struct {
	*FunctionRegistration
	name       string // as invoked: the function's name or an alias
	deprecated bool
	patterns   *patternCache
	programs   programs
}

// patternCache caches the regular expressions of parameters. They are compiled when an argument is
// first checked, because most functions of the registry are never invoked.
type patternCache = expression.Programs[*regexp.Regexp]

func newPatterns() *patternCache { return expression.NewPrograms("regexp", pattern.Compile) }

// matches reports whether s matches an expression, which registration has checked.
func (f *function) matches(pattern, s string) bool {
	re, err := f.patterns.Get(pattern)
	return err == nil && re.MatchString(s)
}

// New returns a handler without functions.
func New(
	toolchain api.ToolchainType, converter configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) *FunctionHandler {
	return &FunctionHandler{
		toolchain: toolchain, converter: converter, provider: provider,
		// growing it would be the most expensive part of starting up
		functions: make(map[string]*function, 128),
		patterns:  newPatterns(),
		programs:  newPrograms(),
		selectors: newSelectorPrograms(),
	}
}

// Converter returns the converter of the toolchain.
func (h *FunctionHandler) Converter() configkit.ConfigConverter { return h.converter }

// converterFor returns the converter for the contents of a file with this name, which is "" if
// unknown.
func (h *FunctionHandler) converterFor(file string) configkit.ConfigConverter {
	if c, ok := h.converter.(configkit.DialectConverter); ok && file != "" {
		return c.ForFile(file)
	}
	return h.converter
}

// ResourceProvider returns the provider of what is known about the toolchain's resources.
func (h *FunctionHandler) ResourceProvider() configkit.ResourceProvider { return h.provider }

// Signatures returns the signatures of all functions, sorted by name. Every alias has a signature
// of its own.
func (h *FunctionHandler) Signatures() []api.FunctionSignature {
	signatures := make([]api.FunctionSignature, 0, len(h.functions))
	for _, name := range slices.Sorted(maps.Keys(h.functions)) {
		signatures = append(signatures, h.functions[name].signature())
	}
	return signatures
}

// Signature returns the signature of the function with this name or alias.
func (h *FunctionHandler) Signature(name string) (api.FunctionSignature, bool) {
	f, ok := h.functions[name]
	if !ok {
		return api.FunctionSignature{}, false
	}
	return f.signature(), true
}

// signature returns the signature under the name it was looked up by.
func (f *function) signature() api.FunctionSignature {
	s := f.FunctionSignature
	if f.name != s.FunctionName {
		s.AliasOf, s.FunctionName = s.FunctionName, f.name
	}
	s.Deprecated = s.Deprecated || f.deprecated
	return s
}

// Registration returns the registration of the function with this name or alias.
func (h *FunctionHandler) Registration(name string) (FunctionRegistration, bool) {
	f, ok := h.functions[name]
	if !ok {
		return FunctionRegistration{}, false
	}
	return *f.FunctionRegistration, true
}

// ValidateInvocation checks an invocation without running it and returns it normalized: every
// argument is named, converted and at the position of its parameter. Expressions are kept. The
// error is an *UnknownFunctionError, or one or several (joined) *ArgumentError and *where.Error.
func (h *FunctionHandler) ValidateInvocation(
	invocation api.FunctionInvocation,
) (api.FunctionInvocation, error) {
	f, err := h.lookup(invocation.FunctionName)
	if err != nil {
		return invocation, err
	}
	args, err := f.validate(invocation.Arguments)
	if _, whereErr := parseWhere(invocation.WhereResource); whereErr != nil {
		// one flat list, also if err is joined or nil
		err = errors.Join(append(configkit.Unjoin(err), whereErr)...)
	}
	if err != nil {
		return invocation, err
	}
	invocation.Arguments = args
	return invocation, nil
}

// CheckWhereCEL checks the WhereCEL of a request. The error is one or several (joined)
// *expression.Error.
func (h *FunctionHandler) CheckWhereCEL(text string) error {
	_, err := h.parseCEL(nil, text)
	return err
}

// CheckWhereResource checks a where-expression of a request. The error is a *where.Error.
func (h *FunctionHandler) CheckWhereResource(text string) error {
	_, err := parseWhere(text)
	return err
}

// validate normalizes the arguments and has the function check them, unless some are expressions,
// whose values are not known yet.
func (f *function) validate(args []api.FunctionArgument) ([]api.FunctionArgument, error) {
	normalized, err := f.normalize(args)
	if err != nil || slices.ContainsFunc(normalized, isExpression) {
		return normalized, err
	}
	return normalized, f.checkArguments(normalized)
}

// checkArguments has the function check its arguments. Its error, or its panic, becomes an
// *ArgumentError.
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

// mayRun returns an error if the function depends on more than its input and that is not allowed.
func (f *function) mayRun(allowExternal bool) error {
	if f.Hermetic || allowExternal {
		return nil
	}
	return &NotHermeticError{Function: f.name}
}

// lookup returns the function with this name or alias. The error is an *UnknownFunctionError.
func (h *FunctionHandler) lookup(name string) (*function, error) {
	if f, ok := h.functions[name]; ok {
		return f, nil
	}
	// A name this long is not a typo, and comparing it with all others is expensive.
	if len(name) > api.MaxFunctionNameLength {
		return nil, &UnknownFunctionError{Name: name[:api.MaxFunctionNameLength] + "..."}
	}
	return nil, &UnknownFunctionError{
		Name: name, Suggestions: configkit.Suggest(name, slices.Sorted(maps.Keys(h.functions))),
	}
}
