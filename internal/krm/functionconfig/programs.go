package functionconfig

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/process"
)

// Programs runs the programs that binaryExecutor names.
type Programs struct {
	// Dirs are the directories of functions. A relative path is in the first of them that has it.
	Dirs []string
	// Allow lets programs run. Any also lets programs run that are outside of Dirs.
	Allow, Any bool
	Sandbox    *process.Sandbox
}

// Run is an Executor. Without a working directory in the call the program runs in that of
// temporary files.
func (p *Programs) Run(ctx context.Context, c Candidate, call process.Call,
) (process.Output, error) {
	program, err := p.Open(c)
	if err != nil {
		return process.Output{}, err
	}
	defer func() { _ = program.File.Close() }()
	if call.Dir == "" {
		call.Dir = os.TempDir()
	}
	return program.Run(ctx, call)
}

// Open finds the program of a candidate, opens it, and checks that it can be executed. The caller
// closes its File. Nothing runs.
func (p *Programs) Open(c Candidate) (*process.Program, error) {
	if !p.Allow {
		return nil, process.Refuse(process.NotAllowed, "exec is not allowed (--allow-exec)")
	}
	file, path, err := p.open(c.Config.Binary)
	if err != nil {
		return nil, err
	}
	if err := executable(file, path); err != nil {
		_ = file.Close()
		return nil, err
	}
	return &process.Program{Path: path, File: file, Sandbox: p.Sandbox}, nil
}

func (p *Programs) open(b *Binary) (*os.File, string, error) {
	if b.AbsPath != "" {
		return p.openAbsolute(b.AbsPath)
	}
	if len(p.Dirs) == 0 {
		return nil, "", process.Refuse(process.OtherCause, "%s is below the directory of "+
			"functions, which is not set (--functions)", b.RelPath)
	}
	var problems []error
	for _, dir := range p.Dirs {
		file, path, err := openBelow(dir, filepath.FromSlash(b.RelPath))
		if err == nil {
			return file, path, nil
		}
		problems = append(problems, err)
	}
	return nil, "", problems[0]
}

func (p *Programs) openAbsolute(path string) (*os.File, string, error) {
	path = filepath.FromSlash(path)
	if p.Any {
		file, err := os.OpenFile(path, openFlags, 0)
		return file, path, openProblem(path, err)
	}
	for _, dir := range p.Dirs {
		full, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(full, path); err == nil && filepath.IsLocal(rel) {
			return openBelow(full, rel)
		}
	}
	return nil, "", process.Refuse(process.OtherCause,
		"program %s is not below a directory of functions (--functions)", path)
}

// openBelow opens a file below a directory, which no symbolic link leaves.
func openBelow(dir, rel string) (*os.File, string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", &process.NotStartedError{Err: err}
	}
	path := filepath.Join(full, rel)
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, "", openProblem(full, err)
	}
	defer func() { _ = root.Close() }()
	file, err := root.OpenFile(rel, openFlags, 0)
	return file, path, openProblem(path, err)
}

// executable checks an open program.
func executable(file *os.File, path string) error {
	info, err := file.Stat()
	if err != nil {
		return process.StartProblem(path, err)
	}
	if err := process.CheckRegular(path, info.Mode()); err != nil {
		return err
	}
	if !mayExecute(info.Mode()) {
		return process.StartProblem(path, errors.New("its file mode does not allow it"))
	}
	return nil
}

// openProblem returns the error for a program that cannot be opened.
func openProblem(path string, err error) error {
	if err == nil {
		return nil
	}
	return process.StartProblem(path, files.WithoutPath(err))
}
