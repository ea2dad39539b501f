package krm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/runtime"
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

	AllowExec    bool
	AllowOutside bool // programs and mounts outside of Root
	Network      bool
	Mounts       []runtime.Mount
	Env          []string
	AsUser       bool // containers run as the caller
	Sandbox      *runtime.Sandbox
	Limits       runtime.Limits
	Engine       string // the name of the container engine, "" for the first that answers
	Pull         runtime.PullPolicy
	ImagePrefix  string
	// Only is the only kind of executor: go, exec or container; "" for any.
	Only string
	// NoLocal keeps the directory of the functionConfig from the function.
	NoLocal bool

	images runtime.Images
	engine *runtime.Engine
}

// Resolve returns how a declared function is run, and why no executor before it was taken. Nothing
// runs yet. config is the directory of its functionConfig, "" if it is not from a file.
func (e *Executors) Resolve(ctx context.Context, d *Declared, config string,
) (*Step, []string, error) {
	step := &Step{Name: d.Name(), Version: d.Version, DeferFailure: d.DeferFailure}
	if d.Builtin != "" {
		step.Exec = d.Builtin
		f, err := e.Own(d.Builtin)
		step.Runner.InProcess = f
		return step, []string{"go: a function of fctl"}, err
	}
	call := runtime.Call{
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
		if err != nil {
			return nil, nil, err
		}
		step.Runner.Program = runProgram(executor, call)
		return step, []string{"exec: " + executor.Path}, nil
	}
	step.Image = runtime.FullImage(d.Image, e.ImagePrefix)
	step.Name = step.Image
	reasons, err := e.image(ctx, d, step, call)
	return step, reasons, err
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
func (e *Executors) program(d *Declared) (*runtime.Program, error) {
	refused := func(hint, format string, args ...any) error {
		return &api.Failure{
			Class: api.FailureUsage, Function: d.Name(), Message: fmt.Sprintf(format, args...),
			Hint: hint,
		}
	}
	if !e.AllowExec {
		return nil, refused("--allow-exec lets programs run",
			"it is a program, and programs are not allowed")
	}
	if e.Only != "" && e.Only != "exec" {
		return nil, refused("", "--executor %s does not run programs", e.Only)
	}
	root := e.workDir()
	dir := filepath.Join(root, filepath.FromSlash(d.Dir))
	if d.Direct {
		dir = e.Here
	}
	path, err := runtime.FindProgram(d.Exec, dir, root, e.AllowOutside || d.Direct)
	if err != nil {
		return nil, &api.Failure{
			Class: api.FailureFunction, Function: d.Name(), Message: err.Error(), Err: err,
		}
	}
	return &runtime.Program{Path: path, Args: d.Args, Sandbox: e.Sandbox}, nil
}

// image decides what runs an image: a function in Go if the catalogue has it, else a container.
func (e *Executors) image(ctx context.Context, d *Declared, step *Step, call runtime.Call,
) (reasons []string, err error) {
	image, err := runtime.ParseImage(d.Image)
	if err != nil {
		return nil, &api.Failure{Class: api.FailureUsage, Message: err.Error(), Err: err}
	}
	isRange := strings.ContainsAny(d.Tag, "<>=~^*|, ")
	if d.Tag != "" {
		image.Tag = d.Tag
	}
	if isRange { // the catalogue has series of versions: take the one that the range begins with
		image.Tag = "v" + regexp.MustCompile(`[0-9]+(\.[0-9]+)*`).FindString(d.Tag)
	}
	f, why := e.inCatalog(image, d)
	reasons = append(reasons, "go: "+why)
	if f != nil {
		step.Runner.InProcess = f
		return reasons, nil
	}
	if e.Only != "" && e.Only != "container" {
		return reasons, &api.Failure{
			Class: api.FailureUsage, Function: step.Image,
			Message: fmt.Sprintf("--executor %s does not run it: %s", e.Only, why),
		}
	}
	if isRange {
		return reasons, &api.Failure{
			Class: api.FailureUsage, Function: step.Image,
			Message: fmt.Sprintf("the tag %q is a range of versions, which only functions of fctl can have",
				d.Tag),
			Hint: "name one version",
		}
	}
	if d.Network && !e.Network {
		return reasons, &api.Failure{
			Class: api.FailureUsage, Function: step.Image,
			Message: "network required but not enabled with --network",
		}
	}
	for _, m := range d.Mounts {
		call.Mounts = append(call.Mounts, runtime.Mount{
			Type: m.Type, Source: m.Source, Target: m.Target, ReadWrite: m.ReadWrite,
		})
	}
	root := e.workDir()
	for i, m := range call.Mounts {
		dir := filepath.Join(root, filepath.FromSlash(d.Dir))
		if call.Mounts[i], err = m.Resolve(dir, root, e.AllowOutside); err != nil {
			return reasons, &api.Failure{
				Class: api.FailureUsage, Function: step.Image, Message: err.Error(), Err: err,
			}
		}
	}
	for _, m := range e.Mounts {
		here, err := os.Getwd()
		if err != nil {
			return reasons, err
		}
		resolved, err := m.Resolve(here, here, true)
		if err != nil {
			return reasons, &api.Failure{Class: api.FailureUsage, Message: err.Error(), Err: err}
		}
		call.Mounts = append(call.Mounts, resolved)
	}
	if e.engine == nil {
		engine, err := runtime.FindEngine(ctx, e.Engine)
		if err != nil {
			reasons = append(reasons, "container: "+err.Error())
			return reasons, &api.Failure{
				Class: api.FailureFunction, Function: step.Image, Message: err.Error(), Err: err,
				Hint: "fctl fn explain " + d.Image + " shows what else could run it",
			}
		}
		e.engine = &engine
	}
	reasons = append(reasons, "container: "+e.engine.Name)
	name := step.Image
	if d.Tag != "" && image.Digest == "" {
		name = strings.TrimSuffix(name, ":"+tagOf(name)) + ":" + d.Tag
		step.Image, step.Name = name, name
	}
	step.Runner.Program = runProgram(&runtime.Container{
		Engine: *e.engine, Image: name, Pull: e.Pull, Prepared: &e.images,
	}, call)
	return reasons, nil
}

// tagOf returns the tag of an image name, "" if it has none.
func tagOf(name string) string {
	image, err := runtime.ParseImage(name)
	if err != nil {
		return ""
	}
	return image.Tag
}

// inCatalog returns the function of the catalogue for an image, or nil and why it has none.
func (e *Executors) inCatalog(image runtime.Image, d *Declared) (Function, string) {
	prefix := e.ImagePrefix
	if prefix == "" {
		prefix = runtime.DefaultPrefix
	}
	switch {
	case e.Only != "" && e.Only != "go":
		return nil, "--executor " + e.Only
	case e.Catalog == nil:
		return nil, "without a catalogue"
	case image.Digest != "":
		return nil, "the image is pinned by its digest"
	case image.Repository != "" && image.Repository != strings.TrimSuffix(prefix, "/") &&
		image.Repository != "gcr.io/kpt-fn":
		return nil, "the image is not from " + prefix
	case len(d.Mounts) > 0:
		return nil, "the function declares mounts"
	}
	f, ok := e.Catalog(image.Base, image.Tag)
	if !ok {
		return nil, fmt.Sprintf("the catalogue has no %s with the tag %q", image.Base, image.Tag)
	}
	return f, "the catalogue has " + image.Base
}

// runProgram returns the Runner of an executor.
func runProgram(executor runtime.Executor, call runtime.Call,
) func(context.Context, []byte) (stdout, stderr []byte, exit int, err error) {
	return func(ctx context.Context, stdin []byte) (stdout, stderr []byte, exit int, err error) {
		one := call
		one.Stdin = stdin
		out, err := executor.Run(ctx, one)
		exit = out.ExitCode
		if failed, ok := errors.AsType[*runtime.ExitError](err); ok {
			err = fmt.Errorf("exit code %d", failed.Code)
		}
		return out.Stdout, out.Stderr, exit, err
	}
}
