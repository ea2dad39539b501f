// Package plan turns the words of a command line, or a list in a file, into a chain of checked
// function invocations. It reads no configuration and runs nothing. Mistakes in the words or the
// list are reported here, before any file is opened.
//
// From the name of the first function on, each word is decided by these rules:
//
//	then                          the next link of the chain
//	--                            every further word is an argument, taken literally,
//	                              except --param=value of this function
//	--param=value, --param value  an argument of this function, by name
//	--flag, --flag=value, -f      a flag of fctl
//	--anything-else               an error
//	anything else                 the next argument
//
// A value may start with file: (the content of that file, file:- is the standard input; a URL,
// file://..., is literal), template: or cel: (evaluated for the unit), or text: (the rest is
// literal, so text:then is the word then).
//
// Layer: systems.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/where"
)

// Then is the word between the links of a chain.
const Then = "then"

// Functions are the methods of an executor that this package uses.
type Functions interface {
	Toolchains() []api.ToolchainType
	Signature(t api.ToolchainType, name string) (api.FunctionSignature, bool)
	Signatures(t api.ToolchainType) []api.FunctionSignature
	ValidateInvocation(t api.ToolchainType,
		invocation api.FunctionInvocation) (api.FunctionInvocation, error)
}

// CommandFlags are the command's own flags. They are recognized here and set elsewhere.
type CommandFlags interface {
	// Recognize returns the number of words of the flag that begins at words[0], 0 if words[0] is
	// not a flag.
	Recognize(words []string) int
	// Names returns the long names of all flags.
	Names() []string
}

// Resolver resolves words against the functions of one toolchain.
type Resolver struct {
	Toolchain api.ToolchainType
	Functions Functions
	Flags     CommandFlags
	// ResourceType returns the type that a word names, such as deploy, and a hint if it is probably
	// misspelled. nil takes words as they are.
	ResourceType func(word string) (t api.ResourceType, hint string, err error)
	// NoParams accepts parameters without a value, to explain a chain.
	NoParams bool
	// Params are the values of --param, for parameters that chains in files declare.
	Params map[string]string
	// Defaults are the values of parameters of functions that the settings have, by name. A
	// function gets them unless they are given.
	Defaults map[string]string
	// ReadFile reads the files that words name, and those that a Text names that has no ReadFile.
	ReadFile ReadFunc
}

// Plan is a resolved chain.
type Plan struct {
	Invocations api.FunctionInvocationList
	// Signatures are those of the invocations, in the same order.
	Signatures []api.FunctionSignature
	// Comments are those above the invocations of a chain in a file, in the same order. Append
	// ignores them.
	Comments []string
	// Parameters are those that chains in files declare, with their values.
	Parameters []Parameter
	// Fixes are the chains that fix what invocations find, by index. Those without one may be
	// missing at the end.
	Fixes []*Plan
	// Only are the resources that functions see, in the order of the invocations. Those that see all
	// have nil, and may be missing at the end.
	Only []handler.Selection
	// Defaults says that nobody named the functions.
	Defaults bool
	// Notes are about deprecated parameters, and about words that may not mean what was intended.
	Notes []api.Note
}

// Append adds the functions of another chain after those of p.
func (p *Plan) Append(other *Plan) {
	if len(other.Fixes) > 0 {
		p.Fixes = append(p.Fixes, make([]*Plan, len(p.Invocations)-len(p.Fixes))...)
		p.Fixes = append(p.Fixes, other.Fixes...)
	}
	if len(other.Only) > 0 {
		p.Only = append(p.Only, make([]handler.Selection, len(p.Invocations)-len(p.Only))...)
		p.Only = append(p.Only, other.Only...)
	}
	p.Invocations = append(p.Invocations, other.Invocations...)
	p.Signatures = append(p.Signatures, other.Signatures...)
	p.Notes = append(p.Notes, other.Notes...)
	p.Parameters = append(p.Parameters, other.Parameters...)
}

// Fix returns the chain that fixes what an invocation finds, or nil.
func (p *Plan) Fix(i int) *Plan {
	if i < len(p.Fixes) {
		return p.Fixes[i]
	}
	return nil
}

// WithFixes returns the chain of all fixes, followed by p.
func (p *Plan) WithFixes() *Plan {
	all := &Plan{}
	for i := range p.Invocations {
		if fix := p.Fix(i); fix != nil {
			all.Append(fix)
		}
	}
	all.Append(p)
	return all
}

// Resolve resolves words. The error is a diag.List of everything that is wrong with them.
func (r *Resolver) Resolve(words *Words) (*Plan, error) {
	p := &Plan{}
	var problems diag.List
	for _, l := range words.links {
		switch {
		case l.missing != nil:
			problems = append(problems, l.missing)
		case l.name == "":
			_, err := r.arguments(&l)
			problems = append(problems,
				diag.Failures(errors.Join(r.noFunction(l.after), err), api.FailureUsage)...)
		default:
			linked, err := r.link(&l)
			if err != nil {
				problems = append(problems, diag.Failures(err, api.FailureUsage)...)
			}
			if l.known {
				p.Invocations = append(p.Invocations, linked.invocation)
				p.Signatures = append(p.Signatures, l.signature)
				p.Notes = append(p.Notes, linked.notes...)
			}
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return p, nil
}

func missingFunction(first, end bool) *api.Failure {
	where := "between two 'then'"
	switch {
	case first:
		return diag.Usage("a function is missing before the first 'then'")
	case end:
		where = "after the last 'then'"
	}
	return diag.UsageHint("for the argument 'then' write text:then", "a function is missing %s",
		where)
}

// noFunction returns the problem of a link that begins with a flag or with --, not with a function.
func (r *Resolver) noFunction(words []string) *api.Failure {
	if words[0] != "--" {
		return missingFunction(false, true)
	}
	function := "FUNCTION"
	if len(words) > 1 {
		if _, known := r.Functions.Signature(r.Toolchain, words[1]); known {
			function = words[1]
		}
	}
	return diag.UsageHint("put '--' after the function: then "+function+" -- ARGUMENT",
		"a function is expected after 'then', not '--'")
}

// link is one function of the chain and its arguments.
type link struct {
	invocation api.FunctionInvocation
	signature  api.FunctionSignature
	notes      []api.Note
}

// link resolves the words of one function.
func (r *Resolver) link(words *linkWords) (l link, err error) {
	name := words.name
	l.signature = words.signature
	l.invocation.FunctionName = name
	args, err := r.arguments(words)
	if !words.known { // a misplaced flag may be why
		return l, errors.Join(err, r.unknownFunction(name))
	}
	if err != nil {
		return l, err
	}
	if l.notes, err = r.nameTypes(l.signature, args, l.notes); err != nil {
		return l, argumentProblems(name, "", err)
	}
	l.invocation.Arguments = r.withDefaults(l.signature, args)
	hint := cmp.Or(r.thenHint(&l), r.flagHint(&l))
	checked, err := r.Functions.ValidateInvocation(r.Toolchain, l.invocation)
	if err != nil {
		return l, argumentProblems(name, hint, err)
	}
	l.notes = append(l.notes, handler.DeprecatedParameters(l.signature, args)...)
	l.invocation = checked
	return l, nil
}

// withDefaults adds the Defaults of parameters that are not given.
func (r *Resolver) withDefaults(s api.FunctionSignature,
	args []api.FunctionArgument,
) []api.FunctionArgument {
	for i, p := range s.Parameters {
		value, known := r.Defaults[p.ParameterName]
		if !known || value == "" || slices.ContainsFunc(args, func(a api.FunctionArgument) bool {
			return a.ParameterName == p.ParameterName
		}) {
			continue
		}
		if i >= len(args) || args[i].ParameterName != "" {
			args = append(slices.Clip(args),
				api.FunctionArgument{ParameterName: p.ParameterName, Value: value})
		}
	}
	return args
}

// parameterResourceType is the parameter for a resource type.
const parameterResourceType = "resource-type"

// nameTypes replaces names of resource types, such as deploy, by the types. It adds notes about
// types that are probably misspelled.
func (r *Resolver) nameTypes(s api.FunctionSignature, args []api.FunctionArgument,
	notes []api.Note,
) ([]api.Note, error) {
	at := slices.IndexFunc(s.Parameters, func(p api.FunctionParameter) bool {
		return p.ParameterName == parameterResourceType
	})
	if r.ResourceType == nil || r.Toolchain != api.ToolchainKubernetesYAML || at < 0 ||
		len(args) < s.RequiredParameters {
		return notes, nil
	}
	for i := range args {
		// A named argument takes the place of its parameter, so the index of an argument without a
		// name is the name of its parameter.
		named := args[i].ParameterName == parameterResourceType ||
			args[i].ParameterName == "" && i == at
		text, isText := args[i].Value.(string)
		if !named || !isText || args[i].Evaluator != "" || text == "" {
			continue
		}
		t, hint, err := r.ResourceType(text)
		if err != nil {
			e := &handler.ArgumentError{
				Parameter: parameterResourceType, Value: text,
				Message: "argument " + parameterResourceType + ": " + err.Error(), Err: err,
			}
			if f, ok := errors.AsType[*api.Failure](err); ok {
				e.Message, e.HintText = "argument "+parameterResourceType+": "+f.Message, f.Hint
			}
			return notes, e
		}
		if hint != "" {
			notes = append(notes, api.Note{
				Function: s.FunctionName,
				Message:  "Kubernetes has no resource type " + string(t) + "; " + hint,
			})
		}
		args[i].Value = string(t)
	}
	return notes, nil
}

// arguments reads the arguments of one link. It collects all problems, so that a command line can
// be corrected in one go.
func (r *Resolver) arguments(l *linkWords) (args []api.FunctionArgument, err error) {
	var problems diag.List
	for _, word := range l.words {
		switch {
		case word.flag != nil:
			if word.flag.Problem != nil {
				problems = append(problems, diag.Failures(word.flag.Problem, api.FailureUsage)...)
			}
		case word.kind == noValue:
			problems = append(problems,
				inFunction(l.name, diag.Usage("--%s needs a value", word.parameter)))
		case !l.known && word.kind != literal:
		case word.kind == unknown:
			problems = append(problems, r.unknownWord(l.signature, word.parameter))
		case word.kind == literal:
			args = append(args, api.FunctionArgument{Value: word.value})
		default:
			value, evaluator, err := valueOf(word.value, "", r.ReadFile)
			if err != nil {
				for _, f := range diag.Failures(err, api.FailureInput) {
					f.Function = l.name
					problems = append(problems, f)
				}
				continue
			}
			args = append(args, api.FunctionArgument{
				ParameterName: word.parameter, Value: value,
				Evaluator: evaluator,
			})
		}
	}
	return args, problems.Err()
}

func hasParameter(s api.FunctionSignature, name string) bool {
	return handler.ParameterIndex(s.Parameters, name) >= 0
}

func (r *Resolver) unknownWord(s api.FunctionSignature, name string) *api.Failure {
	names := r.Flags.Names()
	if slices.Contains(names, name) { // Recognize knows the flags that may be here
		return inFunction(s.FunctionName, diag.UsageHint("to use it as a value, write '--' before it",
			"--%s must come before FUNCTION", name))
	}
	for _, p := range s.Parameters {
		names = append(names, p.ParameterName)
	}
	hint := configkit.DidYouMean("--", configkit.Suggest(name, names))
	if hint == "" {
		hint = fmt.Sprintf("to use it as a value, write '--' before it: %s ... -- --%s",
			s.FunctionName, name)
	}
	return inFunction(s.FunctionName,
		diag.UsageHint(hint, "--%s is neither a parameter of this function nor a flag", name))
}

func (r *Resolver) unknownFunction(name string) *api.Failure {
	former := (&handler.UnknownFunctionError{Name: name}).Hint()
	hint := cmp.Or(former, r.toolchainHint(name),
		configkit.DidYouMean("", configkit.Suggest(name, r.names())))
	if hint == "" {
		hint = "'fctl list' shows the functions"
		if r.Toolchain != "" && r.Toolchain != api.ToolchainKubernetesYAML {
			hint = "'fctl list --toolchain " + string(r.Toolchain) + "' shows the functions"
		}
	}
	return diag.UsageHint(hint, "unknown function %q", name)
}

// toolchainHint returns ToolchainHint, or for configuration that is not YAML, and so cannot be of
// another toolchain, a hint at its own toolchain.
func (r *Resolver) toolchainHint(name string) string {
	switch r.Toolchain {
	case "", api.ToolchainKubernetesYAML, api.ToolchainAppConfigYAML:
		return ToolchainHint(r.Functions, name)
	}
	if have := toolchainsOf(r.Functions, name); len(have) > 0 {
		return "it is a function of " + strings.Join(have, ", ") + ", and this is " +
			string(r.Toolchain)
	}
	return ""
}

// ToolchainHint returns a hint at the toolchains that have a function of the name, "" if there are
// none.
func ToolchainHint(functions Functions, name string) string {
	switch have := toolchainsOf(functions, name); len(have) {
	case 0:
		return ""
	case 1:
		return "it is a function of " + have[0] + ": add --toolchain " + have[0]
	default:
		return "it is a function of " + strings.Join(have, ", ") + ": add --toolchain with one of them"
	}
}

func toolchainsOf(functions Functions, name string) (have []string) {
	for _, t := range functions.Toolchains() {
		if _, ok := functions.Signature(t, name); ok {
			have = append(have, string(t))
		}
	}
	return have
}

func (r *Resolver) names() []string {
	signatures := r.Functions.Signatures(r.Toolchain)
	names := make([]string, len(signatures))
	for i, s := range signatures {
		names[i] = s.FunctionName
	}
	return names
}

// thenHint returns the hint for an excess argument that is the name of a function, which suggests a
// forgotten then. A function that takes any number of arguments may swallow the name, so that gets
// a note.
func (r *Resolver) thenHint(l *link) string {
	params := len(l.signature.Parameters)
	for i, arg := range l.invocation.Arguments {
		name, ok := arg.Value.(string)
		if !ok || arg.Evaluator != "" || arg.ParameterName != "" || i < params-1 {
			continue
		}
		if _, isFunction := r.Functions.Signature(r.Toolchain, name); !isFunction {
			continue
		}
		switch {
		case l.signature.VarArgs:
			l.notes = append(l.notes, api.Note{
				Function: l.signature.FunctionName,
				Message: fmt.Sprintf("the argument %s is also the name of a function; to run it, "+
					"write: then %s",
					name, name),
			})
			fallthrough
		case i >= params:
			return fmt.Sprintf("%s is a function; to run it next, write: then %s", name, name)
		}
	}
	return ""
}

// flagHint returns the hint for an argument that is given both by name and by position, if the name
// is also that of a flag.
func (r *Resolver) flagHint(l *link) string {
	unnamed := 0
	for _, arg := range l.invocation.Arguments {
		name := arg.ParameterName
		switch {
		case name == "":
			unnamed++
		case handler.ParameterIndex(l.signature.Parameters, name) < unnamed &&
			slices.Contains(r.Flags.Names(), name):
			before := shellwords.Quote("fctl", "do", "--"+name, fmt.Sprint(arg.Value), "FILE",
				"UNIT",
				l.signature.FunctionName)
			return fmt.Sprintf("after FUNCTION, --%s is its argument; before FUNCTION it is the "+
				"flag: %s",
				name, before)
		}
	}
	return ""
}

// argumentProblems converts the errors of ValidateInvocation to failures.
func argumentProblems(function, hint string, err error) diag.List {
	var problems diag.List
	for _, e := range configkit.Unjoin(err) {
		f := inFunction(function, diag.UsageHint(hint, "%w", e))
		if described, ok := e.(interface{ Hint() string }); ok && f.Hint == "" {
			f.Hint = described.Hint()
		}
		if a, ok := e.(*handler.ArgumentError); ok {
			f.Argument = a.Parameter
		}
		if w, ok := e.(*where.Error); ok {
			f.Message, f.Hint = "where: "+f.Message,
				cmp.Or(w.Hint, "'fctl help where' explains such expressions")
		}
		problems = append(problems, f)
	}
	return problems
}

func inFunction(name string, f *api.Failure) *api.Failure {
	f.Function = name
	return f
}
