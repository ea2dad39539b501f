package krm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
)

// Executors says how functions may be run.
type Executors struct {
	// Root is the directory of the resources, "" for the standard input.
	Root string
	// Here is the directory of paths on the command line, "" for the working directory.
	Here string
	// Catalog returns a function of the published catalogue in Go, for an image tag.
	Catalog func(name, tag string) (Function, bool)
	// Own returns one of fctl's own functions.
	Own func(name string) (Function, error)

	// Untrusted says that only functions of fctl run.
	Untrusted    bool
	AllowExec    bool
	AllowOutside bool // programs and mounts outside of Root
	Network      bool
	Mounts       []process.Mount
	AllowMount   bool // declarations may have volumes, and mounts that can be written to
	Env          []string
	AllowEnv     []string // variables of the caller that declarations may pass on
	AsUser       bool     // containers run as the caller
	Sandbox      *process.Sandbox
	Limits       process.Limits
	Engine       string // the name of the container engine, "" for the first that answers
	Pull         process.PullPolicy
	ImagePrefix  string
	// Configs are the FunctionConfigs, which decide how the images that they name are run.
	Configs *functionconfig.Set
	// Programs runs what they name as binaries.
	Programs functionconfig.Programs
	// IgnoreDigests lets binaries and Go functions run for an image with a tag and a digest.
	IgnoreDigests bool
	// Runner is the address of the fctl-runner that runs images, "" for none.
	Runner string
	// FindRunner returns the path of fctl-runner, and Cluster are its flags for pods.
	FindRunner func() (string, error)
	Cluster    []string
	// Client asks registries for tags.
	Client *http.Client
	// Names returns the functions of the catalogue, and Series the versions of one, such as v0.2.
	Names  func() []string
	Series func(name string) []string
	// Builtin says that functions of the catalogue run also where FunctionConfigs name others.
	Builtin bool
	// Only are the kinds of executors that may be asked, nil for all; Configs have their order.
	Only []functionconfig.ExecutorKind
	// NoLocal keeps the directory of the functionConfig from the function.
	NoLocal bool

	images process.Images
	engine *process.Engine
	tags   map[string]string // the tags that constraints gave, by image and constraint
}

// Resolve returns how a declared function is run, and which executors were asked. Nothing runs yet.
// config is the directory of its functionConfig, "" if it is not from a file. The step is not nil
// if only its executor is missing.
func (e *Executors) Resolve(ctx context.Context, d *Declared, config string,
) (*Step, functionconfig.Trace, error) {
	step := &Step{Name: d.Name(), Version: d.Version, DeferFailure: d.DeferFailure}
	if d.Builtin != "" {
		step.Exec = d.Builtin
		f, err := e.Own(d.Builtin)
		step.Runner.InProcess = e.limited(f)
		return step, functionconfig.Trace{taken(functionconfig.KindGo, "a function of fctl")}, err
	}
	call := process.Call{
		Function: d.Name(), Dir: e.workDir(), NetworkWanted: d.Network, NetworkAllowed: e.Network,
		AsCurrentUser: e.AsUser, Limits: e.Limits,
		Env: append(append([]string{}, d.Envs...), e.Env...),
	}
	if !e.NoLocal && config != "" {
		if abs, err := filepath.Abs(config); err == nil {
			call.Local = abs
		}
	}
	if d.Exec != "" {
		step.Exec = d.Name()
		executor, err := e.program(d)
		if err == nil {
			err = e.checkEnv(d)
		}
		if err != nil {
			return nil, nil, err
		}
		step.Runner.Program = runProgram(executor, call)
		return step, functionconfig.Trace{taken("exec", executor.Path)}, nil
	}
	trace, err := e.image(ctx, d, step, call)
	if err == nil && step.Runner.Program != nil {
		err = e.checkEnv(d)
	}
	return step, trace, err
}

// checkEnv returns an error if a declaration passes on variables that the user did not name.
func (e *Executors) checkEnv(d *Declared) error {
	denied := process.DeniedEnv(d.Envs, e.Env, e.AllowEnv)
	if len(denied) == 0 {
		return nil
	}
	f := diag.UsageHint("--allow-env "+strings.Join(denied, ",")+" passes on what you have, "+
		"and --env NAME=VALUE something else", "it declares that it gets your environment "+
		"variables %s, which is not allowed", strings.Join(denied, ", "))
	f.Function = d.Name()
	return f
}

func taken(kind functionconfig.ExecutorKind, why string) functionconfig.Attempt {
	return functionconfig.Attempt{Kind: kind, Reason: why, Taken: true}
}

// workDir returns the working directory of programs.
func (e *Executors) workDir() string {
	dir, err := filepath.Abs(e.Root)
	if err != nil || dir == string(filepath.Separator) {
		return os.TempDir()
	}
	return dir
}

// program finds the program of a declared function.
func (e *Executors) program(d *Declared) (*process.Program, error) {
	refused := func(hint, format string, args ...any) error {
		return &api.Failure{
			Class: api.FailureUsage, Function: d.Name(), Message: fmt.Sprintf(format, args...),
			Hint: hint,
		}
	}
	if e.Untrusted {
		f := diag.Untrusted("it is a program, which is not run")
		f.Function = d.Name()
		return nil, f
	}
	if !e.AllowExec {
		return nil, refused("--allow-exec lets programs run",
			"it is a program, and programs are not allowed")
	}
	if !e.allows(functionconfig.KindBinary) {
		return nil, refused("", "--executor %s does not run programs", e.only())
	}
	root := e.workDir()
	dir := filepath.Join(root, filepath.FromSlash(d.Dir))
	if d.Direct {
		dir = e.Here
	}
	path, err := process.FindProgram(d.Exec, dir, root, e.AllowOutside || d.Direct)
	if err != nil {
		return nil, &api.Failure{
			Class: api.FailureFunction, Function: d.Name(), Message: err.Error(),
			Hint: process.Hint(err), Err: err,
		}
	}
	return &process.Program{Path: path, Args: d.Args, Sandbox: e.Sandbox}, nil
}

// runProgram returns the Runner of an executor.
func runProgram(executor process.Executor, call process.Call) Program {
	return func(ctx context.Context, stdin []byte) (process.Output, error) {
		return ended(executor.Run(ctx, call.WithStdin(stdin)))
	}
}

// exitCode is a status other than 0, in words that are used for functions in this process too.
type exitCode struct{ *process.ExitError }

func (e *exitCode) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// Unwrap returns the status.
func (e *exitCode) Unwrap() error { return e.ExitError }

// Outcome implements process.Ended.
func (e *exitCode) Outcome() (function, text string) { return "", e.Error() }

// ended returns an output, whose error has these words.
func ended(out process.Output, err error) (process.Output, error) {
	if failed, ok := errors.AsType[*process.ExitError](err); ok {
		err = &exitCode{failed}
	}
	return out, err
}
