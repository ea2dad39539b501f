// Package starlark runs programs in Starlark, a small dialect of Python, on resources.
//
// A program sees a resource as dicts and lists that are copies of its own (see value.go). It has
// the modules json and re, and no access to the machine. The interpreter limits its steps and does
// not allow recursion. What one step may make is limited as well (guard.go), and a watch of package
// limit ends programs that collect too much or take too long. The same program on the same resource
// always has the same result.
//
// Layer: languages.
package starlark

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/quiet"
)

// The library has been initialized by now, and cannot log any more.
var _ = quiet.End()

// Language is the name of the language in errors.
const Language = "Starlark"

// maxSteps is the number of interpreter steps a program may take on one resource. They take a
// fraction of a second.
const maxSteps = 10_000_000

// file is the name that the interpreter uses for the program's file.
const file = "program"

// Program is a compiled program. It is safe for concurrent use.
type Program struct {
	expression.Source
	program *starlark.Program
	// the function to call with the resource, or "" if the program itself changes it
	function string
}

// Compile compiles a program. If function is not "", the program must define it, and it is called
// with the resource. Otherwise the program itself is run on the resource, which is called r or
// object. The error is one or several (joined) *[expression.Error].
func Compile(text, function string) (*Program, error) {
	// Allow statements and reassignment at top level, where most of what programs do to a resource
	// is written.
	options := syntax.FileOptions{
		Set: true, While: true, TopLevelControl: true, GlobalReassign: true,
	}
	p := newProgram(text, function)
	known := slices.Concat([]string{"json", "re", "params", "functionContext"}, p.resourceNames())
	guarded := guarded()
	parsed, err := options.Parse(file, text, 0)
	if err != nil {
		return nil, p.compileErrors(err, known)
	}
	rewrite(parsed)
	program, err := starlark.FileProgram(parsed, func(name string) bool {
		return slices.Contains(known, name) || guarded.Has(name)
	})
	if err != nil {
		return nil, p.compileErrors(err, known)
	}
	var globals []string
	for _, binding := range parsed.Module.(*resolve.Module).Globals {
		globals = append(globals, binding.First.Name)
		if slices.Contains(p.resourceNames(), binding.First.Name) {
			problem := p.problem(binding.First.NamePos,
				binding.First.Name+" cannot be given another value")
			problem.Hint = "change its contents: r[\"spec\"][\"replicas\"] = 3, " +
				"r.pop(\"status\"), r.update(...)"
			return nil, problem
		}
	}
	if function != "" && !slices.Contains(globals, function) {
		problem := p.Fail(0, "the program defines no function %s", function)
		problem.Hint = "write def " + function + "(r):"
		return nil, problem
	}
	p.program = program
	return p, nil
}

// resourceNames returns the names under which the program sees the resource as a variable.
func (p *Program) resourceNames() []string {
	if p.function != "" {
		return nil
	}
	return []string{"r", "object"}
}

func newProgram(text, function string) *Program {
	return &Program{
		Source: expression.Source{Language: Language, Text: text}, function: function,
	}
}

func (p *Program) problem(at syntax.Position, message string) *expression.Error {
	return p.Fail(p.At(int(at.Line), int(at.Col)), "%s", message)
}

// compileErrors turns errors of the parser or resolver into *[expression.Error]. known holds the
// names that the program may use.
func (p *Program) compileErrors(err error, known []string) error {
	if e, ok := errors.AsType[syntax.Error](err); ok {
		return p.problem(e.Pos, e.Msg)
	}
	list, ok := errors.AsType[resolve.ErrorList](err)
	if !ok {
		return p.Failed(err)
	}
	var problems []error
	for _, e := range list {
		problem := p.problem(e.Pos, e.Msg)
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok {
			name, _, _ = strings.Cut(name, " ")
			problem.Msg = name + " is not known"
			problem.Hint = configkit.DidYouMean("",
				configkit.Suggest(name,
					append(slices.Sorted(maps.Keys(starlark.Universe)), known...)))
		}
		problems = append(problems, problem)
	}
	return errors.Join(problems...)
}

// Bind gives the program its scope. The returned function runs the program on a resource; it must
// not be called concurrently. Its value is what the program's function returns or, if there is
// none, what the program made of the resource: data as accepted by [gaby.YamlDoc.SetData]. The
// errors are *[expression.Error].
func (p *Program) Bind(
	scope *expression.Scope,
) (func(ctx context.Context, resource gaby.Value) (any, error), error) {
	predeclared := guarded()
	predeclared["re"] = reModule()
	for name, data := range map[string]map[string]any{
		"params": scope.Params, "functionContext": scope.Context,
	} {
		value, err := fromData(data)
		if err != nil {
			return nil, p.Failed(fmt.Errorf("%s: %w", name, err))
		}
		value.Freeze()
		predeclared[name] = value
	}
	return func(ctx context.Context, resource gaby.Value) (any, error) {
		object := fromDocument(resource)
		for _, name := range p.resourceNames() {
			predeclared[name] = object
		}
		thread, watch := p.thread(ctx, scope.Print)
		defer watch.End()
		thread.SetMaxExecutionSteps(maxSteps)
		value, err := p.run(thread, predeclared, object)
		if err != nil {
			return nil, p.runError(watch, err)
		}
		data, err := newResult(watch).data(value, 0)
		if err != nil {
			return nil, p.runError(watch, err)
		}
		return data, nil
	}, nil
}

// thread returns a thread and the watch that ends it.
func (p *Program) thread(
	ctx context.Context, print func(string),
) (*starlark.Thread, *limit.Watch) {
	thread := &starlark.Thread{
		Name: file,
		Print: func(_ *starlark.Thread, text string) {
			if print != nil {
				print(text)
			}
		},
		Load: func(*starlark.Thread, string) (starlark.StringDict, error) {
			return nil, errors.New("programs cannot load other files")
		},
	}
	watch := limit.Start(ctx, func(problem error) { thread.Cancel(problem.Error()) })
	thread.SetLocal(guardsKey, guards{watch.Account()})
	return thread, watch
}

// run runs the program. Functions and values that it defined for an earlier resource are gone.
func (p *Program) run(
	thread *starlark.Thread, predeclared starlark.StringDict, object starlark.Value,
) (starlark.Value, error) {
	globals, err := p.program.Init(thread, predeclared)
	if err != nil || p.function == "" {
		return object, err
	}
	return starlark.Call(thread, globals[p.function], starlark.Tuple{object}, nil)
}

// runError turns an error of a run into an *[expression.Error]. Its position is the innermost one
// within the program, rather than in a function of the library.
func (p *Program) runError(watch *limit.Watch, err error) error {
	problem := p.Failed(err)
	ended := watch.Err()
	e, ok := errors.AsType[*starlark.EvalError](err)
	if ended == nil && ok && strings.Contains(e.Msg, "too many steps") {
		ended = limit.TooLarge("the program takes more than %d steps", maxSteps)
	}
	if ended != nil {
		problem = p.Ended(ended)
	}
	if !ok {
		return problem
	}
	for _, frame := range slices.Backward(e.CallStack) {
		if frame.Pos.Filename() == file {
			problem.Column = p.At(int(frame.Pos.Line), int(frame.Pos.Col))
			break
		}
	}
	if ended != nil {
		return problem
	}
	problem.Msg = e.Msg
	switch {
	case strings.HasPrefix(e.Msg, "dict has no ."), strings.HasSuffix(e.Msg, "field of dict"):
		problem.Hint = "the fields of a dict are written r[\"spec\"][\"replicas\"]"
	case strings.HasPrefix(e.Msg, "key ") && strings.HasSuffix(e.Msg, " not in dict"):
		key := strings.TrimSuffix(strings.TrimPrefix(e.Msg, "key "), " not in dict")
		problem.Hint = fmt.Sprintf(
			".get(%s) returns None if the key is missing, and %s in ... reports whether it exists",
			key,
			key)
	}
	return problem
}
