package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

// addWriteFlags adds the flags that say where the configuration goes.
func addWriteFlags(flags *pflag.FlagSet) {
	flags.BoolP("in-place", "i", false, "write the configuration to the files it was read from")
	flags.StringP("output-dir", "O", "", "write the configuration to files in `DIR`, named as those it was read from")
	flags.Bool("dry-run", false, "write nothing, and tell how much would change")
	flags.Bool("check", false, "write nothing, print the files that would change, and end with status 1 if there are any")
	flags.Bool("fsync", false, "have what is written on the disk before ending")
}

// destination is where the configuration goes.
type destination int

const (
	toStdout destination = iota
	inPlace
	toDirectory
	nowhere // --dry-run
	checked // --check
)

// writing is what the flags say about where the configuration goes.
type writing struct {
	to     destination
	outDir string // of toDirectory
	// prints tells whether anything goes to the standard output.
	prints bool
	fsync  bool
}

// newWriting reads the flags. What is asked for by a flag is printed even if the
// configuration goes elsewhere; what a setting says is not.
func (j *job) newWriting(chain *plan.Plan, format report.Format) (writing, error) {
	flags := j.cmd.Flags()
	is := func(name string) bool {
		value, _ := flags.GetBool(name)
		return value
	}
	w := writing{fsync: is("fsync")}
	w.outDir, _ = flags.GetString("output-dir")
	asked := ""
	for _, c := range []struct {
		flag string
		on   bool
		to   destination
	}{{"--in-place", is("in-place"), inPlace}, {"--output-dir", flags.Changed("output-dir"), toDirectory}, {"--check", is("check"), checked}} {
		switch {
		case !c.on:
		case asked != "":
			return w, diag.Usage("%s and %s exclude each other", asked, c.flag)
		default:
			asked, w.to = c.flag, c.to
		}
	}
	switch dry := is("dry-run"); {
	case dry && w.to == checked:
		return w, diag.Usage("--check and --dry-run exclude each other")
	case dry:
		asked, w.to = "--dry-run", nowhere
	}
	w.prints = w.to == toStdout || slices.ContainsFunc([]string{"output", "data-only", "output-only", "diff", "report", "combine-validations"}, flags.Changed)
	changes := slices.ContainsFunc(chain.Signatures, func(s api.FunctionSignature) bool { return s.Mutating })
	switch {
	case w.fsync && w.to != inPlace && w.to != toDirectory:
		return w, diag.UsageHint("it goes with -i or -O", "--fsync: nothing is written")
	case w.to == toDirectory && w.outDir == "":
		return w, diag.Usage("--output-dir: the name of the directory is empty")
	case w.to == toStdout:
	case w.prints && format == report.Data:
		return w, diag.UsageHint("without "+asked+" the configuration is printed", "%s and printing the configuration exclude each other", asked)
	case !changes:
		return w, diag.UsageHint("without "+asked+" the output of the functions is printed", "%s: no function of the chain changes anything", asked)
	case j.readsStdin() && (w.to == inPlace || w.to == toDirectory):
		return w, diag.UsageHint("without "+asked+" the result is printed", "%s: the standard input is no file", asked)
	}
	if w.outDir != "" {
		w.outDir = j.inDir(w.outDir)
		// What an earlier run wrote is no source.
		before := len(j.found.Files)
		if j.found.LeaveOut(w.outDir); before > 0 && len(j.found.Files) == 0 {
			return w, diag.UsageHint("-i writes to the files themselves", "--output-dir: all files are in %s already", w.outDir)
		}
		if problems := collisions(w.outDir, j.found.Files); len(problems) > 0 {
			return w, problems
		}
	}
	return w, nil
}

// writer writes the configuration of a unit.
type writer interface {
	// write may be called concurrently. The note is empty if there is nothing to know. An error is what kept it from writing.
	write(ctx context.Context, o *outcome, unit *source.Unit) (note string, err error)
	Close() error
}

// newWriter makes the writer for a destination, nil for those where nothing is
// written.
func (j *job) newWriter(w writing) (writer, error) {
	switch w.to {
	case inPlace:
		return fileWriter{&sink.InPlace{Sync: w.fsync}}, nil
	case toDirectory:
		tree, err := sink.OpenTree(w.outDir, w.fsync)
		if err != nil {
			return nil, notWritten(diag.FileName(w.outDir), err)
		}
		return treeWriter{tree, w.outDir}, nil
	}
	return nil, nil
}

// collisions are the files that cannot all be written to a directory: two would be the same file there, or one would be where
// another needs a directory.
func collisions(dir string, files []source.File) diag.List {
	var problems diag.List
	files = slices.DeleteFunc(slices.Clone(files), func(f source.File) bool { return f.Problem != nil })
	targets := realTargets(dir, files)
	first := map[string]source.File{}  // by target
	inside := map[string]source.File{} // the first file below a directory
	for i, f := range files {
		if _, taken := first[targets[i]]; taken {
			continue
		}
		first[targets[i]] = f
		for above := filepath.Dir(targets[i]); inside[above].Path == "" && above != filepath.Dir(above); above = filepath.Dir(above) {
			inside[above] = f
		}
	}
	for i, f := range files {
		other, below := first[targets[i]], inside[targets[i]]
		switch {
		case other.Path != f.Path:
			problems = append(problems, collision(f, "%s would be written to the same %s", diag.FileName(other.Path), f.Rel))
		case below.Path != "":
			problems = append(problems, collision(f, "%s would be written below %s", diag.FileName(below.Path), f.Rel))
		}
	}
	return problems
}

func collision(f source.File, format string, args ...any) *api.Failure {
	problem := diag.UsageHint("write them with two commands, to two directories", format, args...)
	problem.Pos.File = diag.FileName(f.Path)
	return problem
}

// realTargets are the files in a directory that would be written, without the symbolic links that lead there.
func realTargets(dir string, files []source.File) []string {
	real := map[string]string{}
	targets := make([]string, len(files))
	for i, f := range files {
		target := filepath.Join(dir, filepath.FromSlash(f.Rel))
		targets[i] = filepath.Join(realDirectory(filepath.Dir(target), real), filepath.Base(target))
	}
	return targets
}

// realDirectory is a directory without symbolic links, as far as it exists. known are those that were asked about before.
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

type fileWriter struct{ *sink.InPlace }

func (w fileWriter) write(_ context.Context, o *outcome, unit *source.Unit) (note string, err error) {
	if !o.response.Changed {
		return "", nil
	}
	if n := sink.Names(unit.Info); n > 1 {
		note = fmt.Sprintf("the file has %d names; the others still lead to the old one", n)
	}
	return note, o.target.Write(unit.Info, unit.Data, partsOf(o.response)...)
}

type treeWriter struct {
	*sink.Tree
	dir string
}

func (w treeWriter) write(ctx context.Context, o *outcome, unit *source.Unit) (note string, err error) {
	err = w.Write(ctx, o.file.Rel, unit.Info, partsOf(o.response)...)
	if err != nil {
		err = fmt.Errorf("writing %s: %w", filepath.Join(w.dir, o.file.Rel), err)
	}
	return "", err
}

// hold locks the target of a file for as long as it is read, changed and written. A note says for what it waits.
func (a *App) hold(ctx context.Context, target *sink.Target, file string, note func(func())) func(fd uintptr) (bool, error) {
	return func(fd uintptr) (bool, error) {
		waiting := time.AfterFunc(lockPatience, func() {
			note(func() { a.note(file, []api.Note{{Message: "waiting for another program that has locked the file"}}) })
		})
		defer waiting.Stop()
		return target.Hold(ctx, fd)
	}
}

// lockPatience is how long nothing is said about waiting for a lock.
const lockPatience = 2 * time.Second

// notWritten is the problem that kept a file from being written.
func notWritten(file string, err error) *api.Failure {
	hint := ""
	switch {
	case errors.Is(err, sink.ErrReadOnly):
		hint = plan.Quote([]string{"chmod", "u+w", file})
	case errors.Is(err, sink.ErrChanged):
		hint = "run it again"
	case errors.Is(err, sink.ErrSource):
		hint = "-i writes to the files themselves"
	case errors.Is(err, sink.ErrNoTemporary) && errors.Is(err, fs.ErrPermission):
		hint = "a new file takes the place of the old one, for which the directory must be writable"
	}
	return &api.Failure{Class: api.FailureFunction, Pos: api.Position{File: file}, Message: err.Error(), Hint: hint, Err: err}
}

// partsOf is the configuration of a response.
func partsOf(response *handler.Result) [][]byte {
	if response.Parts != nil {
		return response.Parts
	}
	return [][]byte{response.ConfigData}
}
