package fctl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Options select the files and the functions of Do. The zero value of every field but Paths and
// Chain is the default of `fctl do`.
type Options struct {
	// Paths are files, directories and patterns such as "apps/**/*.yaml"; "-" is In.
	Paths []string
	// Memory are files that are not in the file system. They are not written.
	Memory    []Memory
	Recursive bool   // descend into subdirectories
	Dir       string // what paths are relative to; empty for the working directory
	// Toolchain is the format of the files. If it is empty, their names decide.
	Toolchain api.ToolchainType

	// Chain is the functions, in the order in which they run.
	Chain api.FunctionInvocationList
	// Where selects the resources that the functions see: see `fctl help where`.
	Where string
	// Functions change which functions there are, as for Main.
	Functions []Option

	// Format is the format written to Out, a value of -o: auto, data, output, diff, mutations and
	// so on.
	Format string
	// InPlace writes the files, OutputDir writes files of the same names in a directory, and DryRun
	// writes none. With any of them, Out only gets output if Format is set.
	InPlace   bool
	OutputDir string
	DryRun    bool

	KeepGoing     bool // functions after one that failed run too
	Upsert        bool // setters create missing values in each of several resources
	Strict        bool // a document that is not a resource is an error
	RequireMatch  bool // a function that matches nothing is an error
	AllowExternal bool // functions may use files, programs and the network

	In     io.Reader // nil is empty
	Out    io.Writer // nil discards
	ErrOut io.Writer // notes and problems; nil discards
}

// Memory is a file in memory. The extension of its name decides its format.
type Memory struct {
	Name string
	Data []byte
}

// Result is the outcome of Do.
type Result struct {
	// Passed is true unless a validation did not pass.
	Passed bool
	// Files are those on which the chain ran, or was to run, in the order of Paths and Memory.
	Files []File
}

// File is the outcome of Do for a file. It has the values of secrets, except in messages.
type File struct {
	Path      string // as it was opened, or "-"
	Unit      string
	Toolchain api.ToolchainType
	// Changed says that the chain changed the configuration, from Before to After. A failed
	// function, and without KeepGoing a validation that did not pass, leave it as it was.
	Changed       bool
	Before, After []byte
	Mutations     api.ResourceMutationList // to apply elsewhere, with package mutation
	Changes       []api.Change             // the mutations one by one, with their positions
	Outputs       api.OutputList           // of functions; with positions in Before
	Findings      []api.Finding            // of validations
	Failures      []*api.Failure
	Notes         []api.Note
}

// Do runs a chain of functions on files, as `fctl do` does. It reads no settings files, environment
// variables or flags. Files are processed in parallel; a problem with one file does not stop the
// others. The error holds all problems: errors.As finds an *api.Failure in it.
//
// Expressions have the default limits of `fctl help limits`. One that cannot be ended is an error,
// and goes on.
//
// Do can be called concurrently, unless the calls write the same files.
func Do(ctx context.Context, options Options) (Result, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	limits := limit.New(func(err error) { end(diag.Failures(err, api.FailureFunction)) })
	defer limits.Close()
	ctx = limit.With(ctx, limits)
	streams := iostreams.New(options.In, options.Out, options.ErrOut)
	if options.In == nil {
		streams.In = &bytes.Reader{}
	}
	executor, err := newConfig(options.Functions).build()
	if err != nil {
		return Result{}, err
	}
	o, err := options.run()
	if err != nil {
		return Result{}, err
	}
	deps := do.Deps{Streams: streams, Executor: executor, Writes: &do.Writes{}}
	files := do.Files{
		Paths: options.Paths, Recursive: options.Recursive, Dir: options.Dir,
		Command: "do",
	}
	for _, m := range options.Memory {
		files.Memory = append(files.Memory, do.Memory(m))
	}
	if o.Request, err = do.Find(ctx, files, o.Settings, deps); err != nil {
		return Result{}, err
	}
	chain := do.Chain{Invocations: append(api.FunctionInvocationList{}, options.Chain...)}
	if err := o.Request.Plan(ctx, chain); err != nil {
		return Result{}, err
	}
	result, err := do.Run(ctx, o, deps)
	if err == nil {
		err = diag.List(result.Failures).Err()
	}
	if _, limited := errors.AsType[*limit.Error](context.Cause(ctx)); limited {
		err = context.Cause(ctx) // an expression that cannot be ended
	}
	_ = streams.Flush() // what failed to be printed is a failure of the run
	all := Result{Passed: !result.No}
	for _, f := range result.Files {
		all.Files = append(all.Files, File(f))
	}
	return all, err
}

// run converts the options to those of package run.
func (o *Options) run() (do.Options, error) {
	s := settings.Defaults()
	s.Toolchain = string(o.Toolchain)
	s.KeepGoing, s.Strict, s.RequireMatch, s.AllowExternal = o.KeepGoing, o.Strict, o.RequireMatch,
		o.AllowExternal
	all := do.Options{
		Settings: s, Print: o.Format != "", OutputDir: o.OutputDir,
		Select: do.Selection{Where: o.Where}, KeepGoing: o.KeepGoing,
		Upsert: o.Upsert, Values: true,
	}
	outputs := 0
	for _, c := range []struct {
		on     bool
		output do.Destination
	}{{o.InPlace, do.InPlace}, {o.OutputDir != "", do.Directory}, {o.DryRun, do.DryRun}} {
		if c.on {
			outputs++
			all.Output = c.output
		}
	}
	switch {
	case outputs > 1:
		return all, diag.Usage("InPlace, OutputDir and DryRun exclude each other")
	case len(o.Paths)+len(o.Memory) == 0:
		return all, diag.Usage("Paths are missing")
	case len(o.Memory) > 0 && (o.InPlace || o.OutputDir != ""):
		return all, diag.Usage("files in Memory are not written")
	}
	var err error
	if all.Format, err = report.ParseFormat(cmp.Or(o.Format, string(report.Auto))); err != nil {
		return all, diag.Usage("%w", err)
	}
	return all, nil
}
