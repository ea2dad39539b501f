package do

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// Destination is where the configuration is written.
type Destination int

// The outputs. DryRun and Check write no configuration; Check prints the files that would change.
const (
	Stdout Destination = iota
	InPlace
	Directory
	DryRun
	Check
)

// flag returns the flag for the output, empty for Stdout.
func (o Destination) flag() string {
	return [...]string{
		Stdout: "", InPlace: "--in-place", Directory: "--output-dir",
		DryRun: "--dry-run", Check: "--check",
	}[o]
}

// writes reports whether files are written.
func (o Destination) writes() bool { return o == InPlace || o == Directory }

// checkOutput checks whether the output suits the chain and the files.
func (l *loop) checkOutput() error {
	o, request := &l.options, l.request
	l.prints = o.Output == Stdout || o.Print
	flag := o.Output.flag()
	switch {
	case o.Fsync && !o.Output.writes():
		return diag.UsageHint("use it with -i or -O", "--fsync: no file is written")
	case o.Output == Directory && o.OutputDir == "":
		return diag.Usage("--output-dir: the name of the directory is empty")
	case o.Output == Stdout:
	case l.prints && o.Format == report.Data:
		return diag.UsageHint("without "+flag+" the configuration is printed",
			"%s does not print the configuration", flag)
	case !mutating(l.chain):
		return diag.UsageHint("without "+flag+" the output of the functions is printed",
			"%s: no function of the chain is mutating", flag)
	case request.ReadsStdin() && o.Output.writes():
		return diag.UsageHint("without "+flag+" the result is printed",
			"%s: the input is the standard input, not a file", flag)
	}
	if o.OutputDir == "" {
		return nil
	}
	o.OutputDir = request.inDir(o.OutputDir)
	// Files that an earlier run wrote are not input.
	before := len(request.found.Files)
	if request.found.Exclude(o.OutputDir); before > 0 && len(request.found.Files) == 0 {
		return diag.UsageHint("-i writes to the files themselves",
			"--output-dir: all files are in %s", o.OutputDir)
	}
	return collisions(o.OutputDir, request.found.Files).Err()
}

// mutating reports whether a function of the chain changes configuration.
func mutating(chain *plan.Plan) bool {
	return slices.ContainsFunc(chain.Signatures, func(s api.FunctionSignature) bool {
		return s.Mutating
	})
}

// openOutput opens the directory or the files that the output goes to.
func (l *loop) openOutput() (err error) {
	switch o := l.options; o.Output {
	case InPlace:
		l.inPlace = &files.InPlace{Sync: o.Fsync}
	case Directory:
		if l.tree, err = files.OpenTree(l.ctx, o.OutputDir, o.Fsync); err != nil {
			return NotWritten(diag.FileName(o.OutputDir), err)
		}
	}
	return nil
}

// closeOutput closes the output, which syncs directories.
func (l *loop) closeOutput() error {
	switch {
	case l.inPlace != nil:
		return l.inPlace.Close()
	case l.tree != nil:
		return l.tree.Close()
	}
	return nil
}

// writeUnit writes the result of a unit. It is called concurrently. The note is empty if there is
// nothing to report.
func (l *loop) writeUnit(o *outcome, unit *source.InputUnit) (note string, err error) {
	if l.tree != nil {
		write, parts := l.tree.Write, o.response.Pieces()
		if l.deps.Executor.Sensitive(unit.Toolchain, [][]byte{bytes.Join(parts, nil)}) != nil {
			write = l.tree.WritePrivate
		}
		err = write(l.ctx, o.file.Rel, unit.Info, parts...)
		if err != nil {
			err = fmt.Errorf("writing %s: %w", filepath.Join(l.options.OutputDir, o.file.Rel), err)
		}
		return "", err
	}
	if !o.response.Changed {
		return "", nil
	}
	if n := files.Names(unit.Info); n > 1 {
		note = fmt.Sprintf("the file has %d hard links; the others still have the old content", n)
	}
	return note, o.target.Write(unit.Info, unit.Data, o.response.Pieces()...)
}

// collisions reports the files that cannot all be written to a directory: two would be the same
// file there, or one would have the path of another's directory.
func collisions(dir string, sources []source.File) diag.List {
	var problems diag.List
	sources = slices.DeleteFunc(slices.Clone(sources), func(f source.File) bool {
		return f.Problem != nil
	})
	targets := realTargets(dir, sources)
	first := map[string]source.File{}  // by target
	inside := map[string]source.File{} // the first file below a directory, by directory
	for i, f := range sources {
		if _, taken := first[targets[i]]; taken {
			continue
		}
		first[targets[i]] = f
		for above := filepath.Dir(targets[i]); inside[above].Path == "" &&
			above != filepath.Dir(above); above = filepath.Dir(above) {
			inside[above] = f
		}
	}
	for i, f := range sources {
		other, below := first[targets[i]], inside[targets[i]]
		switch {
		case other.Path != f.Path:
			problems = append(problems,
				collision(f, "%s would be written to the same file %s", diag.FileName(other.Path),
					f.Rel))
		case below.Path != "":
			problems = append(problems,
				collision(f, "%s would be written below %s", diag.FileName(below.Path), f.Rel))
		}
	}
	return problems
}

func collision(f source.File, format string, args ...any) *api.Failure {
	problem := diag.UsageHint("write them with two commands, to two directories", format, args...)
	problem.Pos.File = diag.FileName(f.Path)
	return problem
}

// realTargets returns the paths at which files would be written in a directory, with symbolic links
// in their directories resolved.
func realTargets(dir string, sources []source.File) []string {
	real := map[string]string{}
	targets := make([]string, len(sources))
	for i, f := range sources {
		target := filepath.Join(dir, filepath.FromSlash(f.Rel))
		targets[i] = filepath.Join(realDirectory(filepath.Dir(target), real), filepath.Base(target))
	}
	return targets
}

// realDirectory resolves the symbolic links in a directory, as far as it exists. known caches the
// results.
func realDirectory(dir string, known map[string]string) string {
	if real, ok := known[dir]; ok {
		return real
	}
	real, err := filepath.EvalSymlinks(dir)
	if above := filepath.Dir(dir); err != nil && above != dir {
		real = filepath.Join(realDirectory(above, known), filepath.Base(dir))
	} else if err != nil {
		real = dir
	}
	known[dir] = real
	return real
}

// Hold returns a function that locks the target of a file until it has been read, changed and
// written. A note says if it has to wait for another program.
func (c Console) Hold(ctx context.Context, target *files.Target, file string,
	note func(func()),
) func(fd uintptr) (bool, error) {
	return func(fd uintptr) (bool, error) {
		waiting := time.AfterFunc(lockPatience, func() {
			note(func() {
				c.Notes(file, api.Note{Message: "waiting for another program to unlock the file"})
			})
		})
		defer waiting.Stop()
		return target.Hold(ctx, fd)
	}
}

// lockPatience is how long a lock is waited for without a note.
const lockPatience = 2 * time.Second

// NotWritten returns the problem of a file that could not be written.
func NotWritten(file string, err error) *api.Failure {
	if refused, ok := errors.AsType[*api.Failure](err); ok {
		return refused
	}
	hint := ""
	switch {
	case errors.Is(err, files.ErrReadOnly):
		hint = shellwords.Quote("chmod", "u+w", file)
	case errors.Is(err, files.ErrChanged):
		hint = "run it again"
	case errors.Is(err, files.ErrSource):
		hint = "-i writes to the files themselves"
	case errors.Is(err, files.ErrNoTemporary) && errors.Is(err, fs.ErrPermission):
		hint = "fctl replaces the file with a new one, so the directory must be writable"
	}
	return &api.Failure{
		Class: api.FailureFunction, Pos: api.Position{File: file},
		Message: err.Error(), Hint: hint, Err: err,
	}
}
