package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program runs a program of this machine (E8).
type Program struct {
	Path string // as returned by FindProgram
	Args []string
	// File is the program, opened before it was checked: it is run by its descriptor where the
	// system can, so that nothing can replace it in between. nil runs what Path names.
	File *os.File
	// Sandbox runs the program without network, on a read-only file system, as nobody in its own
	// namespaces (E11).
	Sandbox *Sandbox
	// Nobody runs the program as the user and group 65534. The caller must be root.
	Nobody bool
	// AnyDir allows the root of the file system as the working directory.
	AnyDir bool
	// Alone says that this process has called BecomeReaper and starts nothing else meanwhile. Every
	// process that the program started then ends with it, also in a session of its own.
	Alone bool
	// LookupEnv returns variables of the caller; os.LookupEnv if nil.
	LookupEnv func(string) (string, bool)
}

// Run implements Executor.
func (p *Program) Run(ctx context.Context, call Call) (Output, error) {
	call.Function = cmp.Or(call.Function, p.Path)
	call.Limits = call.Limits.withDefaults()
	switch {
	case !filepath.IsAbs(call.Dir):
		return Output{}, impossible(call.Function,
			fmt.Errorf("its working directory %q is not absolute", call.Dir))
	case filepath.Dir(call.Dir) == call.Dir && !p.AnyDir:
		return Output{}, impossible(call.Function,
			errors.New("its working directory is the root of the file system"))
	case len(call.Mounts) > 0:
		return Output{}, impossible(call.Function, errors.New("only containers have mounts"))
	case p.Sandbox != nil && call.NetworkWanted && !call.NetworkAllowed:
		return Output{}, noNetwork(call.Function)
	}
	if p.File == nil {
		if err := checkProgram(p.Path); err != nil {
			return Output{}, err
		}
	}
	if info, err := os.Stat(call.Dir); err != nil || !info.IsDir() {
		return Output{}, impossible(call.Function,
			fmt.Errorf("its working directory %s is not a directory", call.Dir))
	}
	lookup := p.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	var own []string
	if p.Sandbox != nil && call.Local != "" {
		own = []string{"FCTL_LOCAL=" + call.Local}
	}
	env, err := MergeEnv(inherited(), own, call.Env)
	if err != nil {
		return Output{}, impossible(call.Function, err)
	}
	process := &process{
		path: p.Path, args: append(p.Args[:len(p.Args):len(p.Args)], call.Args...),
		env: expandEnv(env, lookup), dir: call.Dir, call: &call,
		alone: p.Alone,
	}
	if p.Sandbox == nil {
		process.file = p.File
	}
	if p.Nobody {
		process.change = asNobody
	}
	if p.Sandbox != nil {
		if err := p.Sandbox.wrap(process); err != nil {
			return Output{}, impossible(call.Function, err)
		}
	}
	out, err := process.run(ctx)
	if p.Sandbox != nil && NotStarted(err, NotExecutable) {
		// The function is executable, so the namespaces are what failed.
		err = impossible(call.Function, fmt.Errorf("this system allows no sandbox: %w", err))
	}
	return out, err
}

// checkProgram returns the typed error for a program that is missing or not executable.
func checkProgram(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return StartProblem(path, err)
	}
	if err := CheckRegular(path, info.Mode()); err != nil {
		return err
	}
	if _, err := exec.LookPath(path); err != nil {
		return notExecutable(path, errors.New("its file mode does not allow it"))
	}
	return nil
}

// FindProgram returns the absolute path of a program that a file declares (D4). A relative path is
// relative to dir, the directory of the file. A bare name that is not in dir is looked for on PATH.
// Unless outside is set, a program with a path must be below root, symbolic links resolved.
func FindProgram(path, dir, root string, outside bool) (string, error) {
	if path == "" {
		return "", missing(`""`)
	}
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(dir, path)
	}
	if _, err := os.Stat(full); err != nil && filepath.Base(path) == path {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", missing(path)
		}
		return filepath.Abs(found)
	}
	full, err := filepath.Abs(full)
	if err != nil {
		return "", StartProblem(path, err)
	}
	if err := checkProgram(full); err != nil {
		return "", err
	}
	if !outside {
		if err := checkBelow(full, root); err != nil {
			return "", err
		}
	}
	return full, nil
}

// checkBelow returns an error if path is not below root, symbolic links resolved.
func checkBelow(path, root string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if realRoot, err = filepath.Abs(realRoot); err != nil {
		return err
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	rel, err := filepath.Rel(realRoot, real)
	if err != nil || !filepath.IsLocal(rel) {
		e := Refuse(NotPossible, "%s is outside of %s", path, root)
		e.Advice = "--allow-outside allows it"
		return e
	}
	return nil
}
