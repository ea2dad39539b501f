package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/diff"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

// addRunFlags adds the flags of the commands that run functions on a unit.
func addRunFlags(flags *pflag.FlagSet) {
	flags.StringP("output", "o", "auto", "what is printed, a `FORMAT`: auto, data (or yaml), output (or json), full, response, table, name, diff")
	flags.Bool("data-only", false, "print the configuration, changed or not: -o data")
	flags.Bool("output-only", false, "print what the functions return: -o output")
	flags.Bool("diff", false, "print a unified diff of the configuration: -o diff")
	flags.String("report", "", "print validation results in a `FORM`: github, sarif, junit or json")

	flags.String("kind", "", "only resources of this `KIND`, or of several with commas between them")
	flags.String("name", "", "only resources of this `NAME`")
	flags.StringP("namespace", "n", "", "only resources in this `NAMESPACE`")
	flags.StringP("selector", "l", "", "only resources with these `LABELS`, as in app=web,tier!=db")
	flags.String("where-resource", "", "only resources for which this `EXPRESSION` is true: 'fctl help where'")
	flags.Bool("require-match", false, "an error when a function matches nothing")
	flags.Bool("strict", false, "an error when a document is no resource, or cannot be read where no function looks")

	flags.Bool("keep-going", false, "run the functions after one that failed too")
	flags.Bool("stop", false, "stop at the first function that fails, whatever the settings say")
	flags.Int("num-filters", 0, "the first `N` validating functions are filters: one that does not pass ends the chain")
	flags.StringArray("other-data", nil, "more data for functions that ask for it, `SOURCE=FILE`")
	flags.Bool("allow-external", false, "let functions use files, programs and the network")
	flags.StringSlice("context", nil, "what functions know of the unit, `NAME=VALUE`: space, space-id, unit-id, organization-id, revision-num, unit-label.KEY")
	addToolchainFlags(flags)
}

// addToolchainFlags adds the flags that decide which functions there are.
func addToolchainFlags(flags *pflag.FlagSet) {
	flags.String("toolchain", "", "the `TOOLCHAIN` of the configuration (default: by the extension of the file, else Kubernetes/YAML)")
	flags.StringArray("resource-types", nil, "a `FILE` that says more about resource types")
}

// job is a command line that runs functions on one unit, on its way from words
// to the result.
type job struct {
	*App
	cmd       *cobra.Command
	settings  *settings.Settings
	executor  *functions.Executor
	reader    *source.Reader
	dir       string // -C
	path      string // of the unit, or "-"
	unitName  string
	unit      *source.Unit // nil until it is read
	toolchain api.ToolchainType
	stdinUsed bool
}

// newJob gets ready to resolve the functions: it knows the toolchain, for which
// it reads the unit only when the name of its file does not tell.
func (a *App) newJob(ctx context.Context, cmd *cobra.Command, path, unit string) (*job, error) {
	s, err := a.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	j := &job{App: a, cmd: cmd, settings: s, path: path, unitName: unit, stdinUsed: path == "-"}
	j.dir, _ = cmd.Flags().GetString("directory")
	if j.executor, err = a.executorFor(ctx, s); err != nil {
		return nil, err
	}
	j.reader = &source.Reader{In: a.Streams.In, Toolchain: api.ToolchainType(s.Toolchain)}
	sure := false
	if j.toolchain, sure = j.reader.Toolchain, j.reader.Toolchain != ""; !sure {
		j.toolchain, sure = source.ToolchainByName(path)
	}
	if !sure {
		if err := j.read(ctx); err != nil {
			return nil, err
		}
		j.toolchain = j.unit.Toolchain
	}
	return j, supported(j.toolchain, j.executor.Toolchains())
}

// executorFor makes the executor with what the settings say about resource types.
func (a *App) executorFor(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
	executor, err := a.executor()
	if err != nil || len(s.ResourceTypes) == 0 {
		return executor, err
	}
	reader := &source.Reader{In: a.Streams.In}
	var files []yamlkit.KnowledgeFile
	for _, path := range s.ResourceTypes {
		if path == "-" {
			return nil, diag.Usage("--resource-types: a file is expected, the standard input is for FILE")
		}
		path = shorter(path)
		text, err := reader.Bytes(ctx, path)
		if err != nil {
			return nil, err
		}
		files = append(files, yamlkit.KnowledgeFile{Name: diag.FileName(path), Text: text})
	}
	if err := executor.AddResourceTypes(files...); err != nil {
		return nil, knowledgeProblems(err)
	}
	return executor, nil
}

// knowledgeProblems locates what is wrong with files about resource types.
func knowledgeProblems(err error) error {
	var problems diag.List
	for _, e := range plan.Unjoin(err) {
		k, ok := errors.AsType[*yamlkit.KnowledgeError](e)
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
func (j *job) inDir(path string) string {
	if j.dir == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(j.dir, path)
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

// walk resolves words against the functions of the job.
func (j *job) walk(flags plan.Flags) *plan.Walk {
	return &plan.Walk{
		Toolchain: j.toolchain, Functions: j.executor, Flags: flags,
		ReadFile: func(path string) ([]byte, error) { return j.bytes(j.cmd.Context(), path) },
	}
}

// bytes reads a file that is not the unit. The standard input can be read once.
func (j *job) bytes(ctx context.Context, path string) ([]byte, error) {
	if path == "-" {
		if j.stdinUsed {
			return nil, diag.Usage("the standard input can be read once only, and it is FILE already")
		}
		j.stdinUsed = true
	}
	return j.reader.Bytes(ctx, j.inDir(path))
}

func (j *job) read(ctx context.Context) (err error) {
	if j.path == "-" && j.Streams.InIsTerminal() {
		return j.wouldWait(j.cmd)
	}
	j.unit, err = j.reader.Unit(ctx, j.inDir(j.path), j.unitName)
	return err
}

// wishes are the flags and settings that say how a resolved chain is run and
// what of the result is printed.
type wishes struct {
	format  report.Format
	report  report.Kind // empty: format counts
	where   string
	other   map[string]string
	filters int
	keep    bool
}

// wishes reads the flags anew: those after FUNCTION count like those before it.
func (j *job) wishes(ctx context.Context, chain *plan.Plan) (w wishes, err error) {
	flags := j.cmd.Flags()
	if j.settings, err = j.App.settings(flags); err != nil {
		return w, err
	}
	if w.format, w.report, err = formatOf(flags, j.settings, chain); err != nil {
		return w, err
	}
	if w.where, err = j.where(flags); err != nil {
		return w, err
	}
	stop, _ := flags.GetBool("stop")
	if stop && flags.Changed("keep-going") {
		return w, diag.Usage("--stop and --keep-going exclude each other")
	}
	w.keep = j.settings.KeepGoing && !stop
	if w.filters, _ = flags.GetInt("num-filters"); w.filters < 0 {
		return w, diag.Usage("--num-filters: %d is less than 0", w.filters)
	}
	w.other, err = j.otherData(ctx, flags)
	return w, err
}

// where is the expression that --kind, --name, -n, -l and --where-resource make
// together.
func (j *job) where(flags *pflag.FlagSet) (string, error) {
	text := func(name string) string {
		value, _ := flags.GetString(name)
		return value
	}
	selectors := yamlkit.SelectorWhere{Kind: text("kind"), Name: text("name"), Namespace: text("namespace"), Labels: text("selector")}
	selected, err := selectors.Where()
	if err != nil {
		return "", whereProblem("--selector", err)
	}
	expression := text("where-resource")
	if err := j.executor.CheckWhereResource(j.toolchain, expression); err != nil {
		return "", whereProblem("--where-resource", err)
	}
	var parts []string
	if selected != nil {
		parts = append(parts, selected.String())
	}
	if strings.TrimSpace(expression) != "" {
		parts = append(parts, expression)
	}
	return strings.Join(parts, " AND "), nil
}

func whereProblem(flag string, err error) error {
	hint := "'fctl help where' explains such expressions"
	if e, ok := errors.AsType[*yamlkit.WhereError](err); ok && e.Hint != "" {
		hint = e.Hint
	}
	f := diag.UsageHint(hint, "%s: %w", flag, err)
	f.Err = err
	return f
}

// otherData reads the files of --other-data.
func (j *job) otherData(ctx context.Context, flags *pflag.FlagSet) (map[string]string, error) {
	given, _ := flags.GetStringArray("other-data")
	var problems diag.List
	data := map[string]string{}
	for _, pair := range given {
		name, path, ok := strings.Cut(pair, "=")
		if !ok || name == "" || path == "" {
			problems = append(problems, diag.UsageHint("as in --other-data Previous=old.yaml", "--other-data %s: SOURCE=FILE is expected", pair))
			continue
		}
		text, err := j.bytes(ctx, path)
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		data[name] = string(text)
	}
	return data, problems.Err()
}

// formatOf is what -o, its short forms, --report and the settings say.
func formatOf(flags *pflag.FlagSet, s *settings.Settings, chain *plan.Plan) (report.Format, report.Kind, error) {
	dataOnly, _ := flags.GetBool("data-only")
	outputOnly, _ := flags.GetBool("output-only")
	asDiff, _ := flags.GetBool("diff")
	kind, _ := flags.GetString("report")
	ways := 0
	for _, used := range []bool{dataOnly, outputOnly, asDiff, flags.Changed("output"), kind != ""} {
		if used {
			ways++
		}
	}
	switch {
	case ways > 1:
		return "", "", diag.Usage("--output, --data-only, --output-only, --diff and --report exclude each other")
	case dataOnly:
		return report.Data, "", nil
	case outputOnly:
		return report.Output, "", nil
	case asDiff:
		return report.Diff, "", nil
	case kind != "":
		parsed, err := report.ParseKind(kind)
		if err != nil {
			return "", "", diag.Usage("%w", err)
		}
		for _, s := range chain.Signatures {
			if s.Validating {
				return report.Auto, parsed, nil
			}
		}
		return "", "", diag.UsageHint("'fctl list validates' shows those that do", "--report: no function of the chain validates anything")
	}
	format, err := report.ParseFormat(s.Output)
	if err != nil {
		return "", "", diag.Usage("%w", err)
	}
	return format, "", nil
}

// run executes the chain on the unit and prints the result.
func (j *job) run(ctx context.Context, chain *plan.Plan) error {
	w, err := j.wishes(ctx, chain)
	if err != nil {
		return err
	}
	if j.unit == nil {
		if err := j.read(ctx); err != nil {
			return err
		}
	}
	unit, s := j.unit, j.settings
	limitMemory(len(unit.Data), w.format == report.Diff)
	if s.Strict {
		failures, err := j.executor.CheckDocuments(unit.Toolchain, unit.Data)
		if err != nil {
			return err
		}
		if len(failures) > 0 {
			return diag.In(unit.File, failures)
		}
	}
	response, err := j.executor.Invoke(ctx, &api.FunctionInvocationRequest{
		FunctionContext:     plan.Context(s, unit.Name, unit.Toolchain),
		ConfigData:          unit.Data,
		OtherData:           w.other,
		NumFilters:          w.filters,
		WhereResource:       w.where,
		AllowExternal:       s.AllowExternal,
		InParts:             true,
		KeepSteps:           w.format == report.Diff,
		StopOnError:         !w.keep,
		FunctionInvocations: chain.Invocations,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return diag.In(unit.File, diag.Failures(err, api.FailureInput))
	}
	j.demand(response)
	report.Locate(response.Outputs, unit.File)
	notes, err := j.print(w, chain, response)
	if err != nil {
		return diag.In(unit.File, diag.Failures(err, api.FailureFunction))
	}
	j.tellNotes(chain, response, notes)
	switch {
	case !response.Success:
		if s.Debug {
			j.stacks(response.Failures)
		}
		return diag.In(unit.File, response.Failures)
	case response.ValidationFailed:
		return errNo
	}
	return nil
}

// demand makes failures of the notes that --require-match and --strict do not
// accept.
func (j *job) demand(response *api.FunctionInvocationResponse) {
	var kept []api.Note
	for _, n := range response.Notes {
		f := &api.Failure{Pos: n.Pos, Function: n.Function, Invocation: n.Invocation, Message: n.Message}
		switch {
		case j.settings.RequireMatch && n.Kind == api.NoteNothingMatched:
			f.Class = api.FailureFunction
		case j.settings.Strict && n.Kind == api.NoteSkippedDocument:
			f.Class = api.FailureInput
		default:
			kept = append(kept, n)
			continue
		}
		response.Failures = append(response.Failures, f)
		response.ErrorMessages = append(response.ErrorMessages, f.Error())
		response.Success = false
	}
	response.Notes = kept
}

// print writes what the wishes say.
func (j *job) print(w wishes, chain *plan.Plan, response *api.FunctionInvocationResponse) ([]api.Note, error) {
	result := report.Result{
		File: j.unit.File, Signatures: chain.Signatures, Response: response, Before: j.unit.Data,
		Changed: func() ([]api.ResourceInfo, error) { return j.changed(response) },
		Places:  func(text []byte) []diff.Place { return places(j.executor, j.unit.Toolchain, text) },
	}
	var payload report.Payload
	var notes []api.Note
	var err error
	if w.report != "" {
		var text []byte
		text, err = report.RenderReport(w.report, []report.Result{result})
		payload = report.Payload{text}
	} else {
		screen := report.Screen{Terminal: j.Streams.OutIsTerminal(), Head: j.Streams.OutStyle(color.Bold), Diff: j.diffStyle()}
		payload, notes, err = report.Render(w.format, screen, result)
	}
	if err != nil {
		return nil, err
	}
	return notes, sink.Stdout{W: j.Streams.Out}.Write(payload...)
}

// changed are the resources that are not what they were: those that are new or
// have another text, in the order of the result, and then those that are gone.
func (j *job) changed(response *api.FunctionInvocationResponse) ([]api.ResourceInfo, error) {
	data := response.ConfigData
	if response.Parts != nil {
		data = bytes.Join(response.Parts, nil)
	}
	before, err := j.executor.Resources(j.toolchain, j.unit.Data)
	if err != nil {
		return nil, err
	}
	after, err := j.executor.Resources(j.toolchain, data)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	old := occurrences{}
	for _, r := range before {
		texts[old.key(r)] = r.ResourceBody
	}
	var changed []api.ResourceInfo
	now := occurrences{}
	for _, r := range after {
		key := now.key(r)
		if text, ok := texts[key]; !ok || text != r.ResourceBody {
			changed = append(changed, r.ResourceInfo)
		}
		delete(texts, key)
	}
	gone := occurrences{}
	for _, r := range before {
		if _, left := texts[gone.key(r)]; left {
			changed = append(changed, r.ResourceInfo)
		}
	}
	return changed, nil
}

// occurrences tells resources of the same type and name apart by their order.
type occurrences map[string]int

func (o occurrences) key(r api.Resource) string {
	name := r.String()
	o[name]++
	return fmt.Sprint(name, "#", o[name])
}

// tellNotes tells what is worth knowing, and with -v how much each function
// matched.
func (j *job) tellNotes(chain *plan.Plan, response *api.FunctionInvocationResponse, notes []api.Note) {
	s := j.settings
	if s.Quiet {
		return
	}
	j.note("", s.Notes)
	j.note("", chain.Notes)
	all := append(response.Notes, notes...)
	if s.Verbose {
		for _, f := range response.Functions {
			switch {
			case !f.Ran:
				all = append(all, api.Note{Function: f.FunctionName, Invocation: f.Invocation, Message: "did not run"})
			case f.Counted:
				all = append(all, api.Note{Function: f.FunctionName, Invocation: f.Invocation, Message: fmt.Sprintf("matches: %d", f.Matches)})
			}
		}
	}
	j.note(j.unit.File, all)
}
