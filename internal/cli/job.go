package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

// addRunFlags adds the flags of the commands that run functions on units.
func addRunFlags(flags *pflag.FlagSet) {
	flags.StringArrayP("filename", "f", nil, "a file, a directory or a pattern like 'apps/**/*.yaml', instead of FILE and UNIT; - is the standard input. `PATH` can be given several times")
	flags.BoolP("recursive", "R", false, "look into the directories of a directory too")
	addWriteFlags(flags)
	flags.StringP("output", "o", "auto", "what is printed, a `FORMAT`: auto, data (or yaml), output (or json), full, response, table, name, diff, mutations")
	flags.Bool("data-only", false, "print the configuration, changed or not: -o data")
	flags.Bool("output-only", false, "print what the functions return: -o output")
	flags.Bool("diff", false, "print a unified diff of the configuration: -o diff")
	flags.String("report", "", "print validation results in a `FORM`: github, sarif, junit, json, or auto, which is github in a GitHub workflow")

	flags.Bool("combine-validations", false, "print one validation result for all functions and files, as a JSON object")
	addShowSecrets(flags)

	addSelectors(flags)
	flags.Bool("require-match", false, "an error when a function matches nothing")
	flags.Bool("strict", false, "an error when a document is no resource, or cannot be read where no function looks")

	flags.Bool("keep-going", false, "run the functions after one that failed too")
	flags.Bool("stop", false, "stop at the first function that fails, whatever the settings say")
	flags.Int("num-filters", 0, "the first `N` validating functions are filters: one that does not pass ends the chain")
	flags.StringArray("schema", nil, "schemas for vet-schemas in a file or directory, a `PATH`: CustomResourceDefinitions, JSON Schemas, a cluster's OpenAPI")
	flags.StringArray("other-data", nil, "more data for functions that ask for it, `SOURCE=FILE`")
	flags.Bool("allow-external", false, "let functions use files, programs and the network")
	flags.StringSlice("context", nil, "what functions know of the unit, `NAME=VALUE`: space, space-id, unit-id, organization-id, revision-num, approved-by, previous-data-hash, unit-label.KEY")
	addToolchainFlags(flags)
	flags.Lookup("toolchain").Usage += "; a directory means Kubernetes/YAML, with auto every format"
}

// addToolchainFlags adds the flags that decide which functions there are.
func addToolchainFlags(flags *pflag.FlagSet) {
	flags.String("toolchain", "", "the `TOOLCHAIN` of the configuration (default: by the extension of the file, else Kubernetes/YAML)")
	flags.StringArray("resource-types", nil, "a `FILE` that says more about resource types")
}

// job is a command line that runs functions on units, on its way from words to
// the results.
type job struct {
	*App
	cmd      *cobra.Command
	settings *settings.Settings
	executor *functions.Executor
	reader   *source.Reader
	dir      string // -C
	found    *source.Found
	unit     *source.Unit // the first one, when it had to be read to tell what it is
	// toolchain is the one that problems with the words are about: that of all
	// units, mostly.
	toolchain api.ToolchainType
	args      map[string][]byte // files that are arguments, once they were read
	moreFlags bool              // some stood behind FUNCTION
}

// newJob gets ready to resolve the functions: it finds the files and knows their
// toolchains, for which it reads one only when no name tells.
func (a *App) newJob(ctx context.Context, cmd *cobra.Command, t target) (*job, error) {
	s, err := a.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	j := &job{App: a, cmd: cmd, settings: s}
	j.dir, _ = cmd.Flags().GetString("directory")
	if j.executor, err = a.executorFor(ctx, s); err != nil {
		return nil, err
	}
	j.reader = a.reader(s)
	j.reader.Toolchain = api.ToolchainType(s.Toolchain)
	if j.found, err = j.find(ctx, t); err != nil {
		return nil, err
	}
	return j, nil
}

// reader is a reader of files as the settings say.
func (a *App) reader(s *settings.Settings) *source.Reader {
	return &source.Reader{In: a.Streams.In, MaxSize: s.MaxBytes}
}

// find finds the files of the units.
func (j *job) find(ctx context.Context, t target) (*source.Found, error) {
	recursive, _ := j.cmd.Flags().GetBool("recursive")
	finder := &source.Finder{Dir: j.dir, Recursive: recursive, Toolchain: j.reader.Toolchain, AnyFormat: j.settings.AnyFormat, Temporary: sink.IsTemporary}
	if len(t.paths) > 0 {
		return finder.Find(ctx, t.paths)
	}
	if recursive {
		return nil, diag.UsageHint(plan.Quote([]string{"fctl", "do", "-f", t.file, "-R", "FUNCTION"}), "-R goes with -f")
	}
	f, err := finder.Named(t.file)
	f.Unit = t.unit
	return &source.Found{Files: []source.File{f}}, err
}

// readsStdin tells whether the standard input is one of the units.
func (j *job) readsStdin() bool {
	return j.found != nil && slices.ContainsFunc(j.found.Files, func(f source.File) bool { return f.Path == "-" })
}

// executorFor makes the executor with what the settings say about resource types. It has functions for the toolchain they name.
func (a *App) executorFor(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
	executor, err := a.executor()
	if err != nil {
		return nil, err
	}
	if t := api.ToolchainType(s.Toolchain); t != "" {
		if err := supported(t, executor.Toolchains()); err != nil {
			return nil, s.Refuse("toolchain", err)
		}
	}
	if len(s.ResourceTypes) == 0 {
		return executor, nil
	}
	reader := a.reader(s)
	var files []resourcetypes.File
	for _, f := range s.ResourceTypes {
		if f.Path == "-" {
			return nil, diag.Usage("--resource-types: a file is expected, the standard input is for FILE")
		}
		name := shorter(f.Path)
		text, err := readNamed(ctx, reader, f, name)
		if err != nil {
			return nil, err
		}
		files = append(files, resourcetypes.File{Name: diag.FileName(name), Text: text})
	}
	if err := executor.AddResourceTypes(files...); err != nil {
		return nil, knowledgeProblems(err)
	}
	return executor, nil
}

// readNamed reads a file that a setting names, or that was found in a directory it names.
func readNamed(ctx context.Context, reader *source.Reader, f settings.File, path string) ([]byte, error) {
	if f.OfProject() {
		return f.Read(path)
	}
	text, err := reader.Bytes(ctx, path)
	return text, f.Blame(err)
}

// overridden are the notes on project's files that change what functions do with built-in types.
func overridden(executor *functions.Executor, files []settings.File) []api.Note {
	var notes []api.Note
	for _, f := range files {
		name := diag.FileName(shorter(f.Path))
		if types, at := executor.OverriddenTypes(name); f.OfProject() && len(types) > 0 {
			notes = append(notes, api.Note{
				Pos:     api.Position{File: name, Line: at.Line, Column: at.Column},
				Message: fmt.Sprintf("this file of the project changes the paths of %s, as %s names it; --no-project-settings leaves it out", builtInTypes(types), f.By),
			})
		}
	}
	return notes
}

// builtInTypes names built-in types, the first five of them.
func builtInTypes(types []api.ResourceType) string {
	const shown = 5
	if types[0] == api.ResourceTypeAny {
		return "all types"
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("%d more", len(types)-shown))
	}
	if len(names) == 1 {
		return "the built-in type " + names[0]
	}
	return "the built-in types " + strings.Join(names, ", ")
}

// knowledgeProblems locates what is wrong with files about resource types.
func knowledgeProblems(err error) error {
	var problems diag.List
	for _, e := range plan.Unjoin(err) {
		k, ok := errors.AsType[*resourcetypes.Error](e)
		if !ok {
			problems = append(problems, diag.Failures(e, api.FailureUsage)...)
			continue
		}
		f := diag.Usage("%s", k.Msg)
		if k.Key != "" {
			f = diag.Usage("%s: %s", k.Key, k.Msg)
		}
		f.Hint = k.Hint
		f.Pos, f.Err = api.Position{File: k.File, Line: k.Pos.Line, Column: k.Pos.Column}, e
		problems = append(problems, f)
	}
	return problems
}

// inDir is a path of the command line, which starts where -C says.
func (j *job) inDir(path string) string { return inDirectory(j.dir, path) }

func inDirectory(dir, path string) string {
	if dir == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// shorter is the path relative to where fctl was started, if that is shorter.
func shorter(path string) string {
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}

// walk resolves words against the functions of a toolchain.
func (j *job) walk(t api.ToolchainType) *plan.Walk {
	return &plan.Walk{
		Toolchain: t, Functions: j.executor,
		ReadFile: func(path string) ([]byte, error) { return j.bytes(j.cmd.Context(), path) },
	}
}

// bytes reads a file that is not a unit. The standard input can be read once.
func (j *job) bytes(ctx context.Context, path string) ([]byte, error) {
	if text, known := j.args[path]; known {
		return text, nil
	}
	if path == "" {
		return nil, diag.UsageHint("file:PATH is the content of the file at PATH", "the name of the file is empty")
	}
	if path == "-" && j.readsStdin() {
		return nil, diag.Usage("the standard input can be read once only, and it is FILE already")
	}
	text, err := j.reader.Bytes(ctx, j.inDir(path))
	if err == nil {
		if j.args == nil {
			j.args = map[string][]byte{}
		}
		j.args[path] = text
	}
	return text, err
}
