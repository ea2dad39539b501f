// Package do runs a chain of functions on files. A caller prepares a request, which finds the
// files (source), resolves the chain for their toolchains (plan), and calls Run: it reads each
// file, has the executor run the chain, and prints (report) or writes (files) the result.
//
// The invariants of this package:
//   - It knows no flags and no exit statuses: options come in as values, and the result goes out as
//     one.
//   - Files are processed in parallel, and their results are reported in input order.
//   - A problem with one file does not stop the others.
//
// Layer: systems.
package do

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/exceptions"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// Run runs the chain of a request on its files and prints or writes the results. It returns an
// error if the run could not begin or was interrupted. Problems with files are in the result; they
// have been reported on the error stream.
func Run(ctx context.Context, options Options, deps Deps) (Result, error) {
	l := &loop{
		ctx: ctx, options: options, deps: deps, request: options.Request,
		console: Console{deps.Streams},
	}
	err := l.run()
	return l.result, err
}

// Result is the outcome of a run.
type Result struct {
	// No is true if a validation did not pass, or if Check found files that would change.
	No bool
	// Failures are all problems, of all files.
	Failures []*api.Failure
	// Files are what is known about each file, if Options.Values asks for that.
	Files []FileOutcome
}

// loop is one run of a chain. Units run in parallel; results are reported in input order. A problem
// with one unit does not stop the others.
type loop struct {
	ctx     context.Context
	options Options
	deps    Deps
	request *Request
	console Console
	chain   *plan.Plan // for request.toolchain; problems with the words refer to it

	prints     bool   // the output is printed
	where      string // the expression that selects resources
	whereFlags string // the same in the words of the flags
	other      map[string]api.Text
	baseline   *exceptions.Baseline // nil unless a file is read or written
	provided   []exceptions.Provided
	missing    missing     // for Options.Learn
	refused    int         // files because of which no file is written
	rules      []string    // of the validations in the chain
	kindNotes  []*kindNote // about --kind
	context    func(unit string, t api.ToolchainType) api.FunctionContext
	survey     func() *handler.Survey // of all units; nil for one

	printer  *report.Printer
	inPlace  *files.InPlace // nil unless the files that were read are written
	tree     *files.Tree    // nil unless files in a directory are written
	progress *iostreams.Progress
	summary  summary
	repeated repeatedErrors
	result   Result
	out      *files.Stream
	broken   error  // why nothing more can be printed
	stop     func() // ends the run early
}

// outcome is the result of one unit.
type outcome struct {
	file      source.File
	target    *files.Target     // the file, locked; nil unless it is written in place
	toolchain api.ToolchainType // empty if it could not be read
	skipped   source.SkipReason // why it is skipped; if set, only mentions are reported
	mentions  []api.Note        // lines of a file that is skipped
	response  *handler.Result
	rendered  *report.Rendered
	notes     []api.Note
	unchecked report.Unchecked
	failed    []byte // failed validations, for the error stream
	problems  diag.List
	accepted  report.Exceptions // findings
	changes   changes
	withheld  bool        // the configuration is neither printed nor written
	values    FileOutcome // for the result
	unable    error       // the error if it was interrupted
}

// run runs the chain on the units and prints or writes the results.
func (l *loop) run() (err error) {
	if l.chain, err = l.request.plans.of(l.request.toolchain); err != nil {
		return err
	}
	if l.options.Fix {
		if l.chain = l.chain.WithFixes(); !mutating(l.chain) {
			return errNoFix()
		}
	}
	if err := l.check(); err != nil {
		return err
	}
	if l.options.Output.writes() || l.options.WriteBaseline != "" || l.options.LearnWrites {
		l.deps.Writes.Begin()
		defer l.deps.Writes.End()
	}
	if err := l.openOutput(); err != nil {
		return err
	}
	streams, found := l.deps.Streams, l.request.found
	l.context = plan.Context(l.options.Settings)
	l.printer = &report.Printer{
		Format: l.options.Format, Report: l.options.Report, Several: found.Several,
		Dir:        l.request.files.Dir,
		Signatures: l.chain.Signatures,
		Elsewhere:  l.options.Output != Stdout, Silent: !l.prints,
		Verbose: l.options.Settings.Verbose, Quiet: l.options.Settings.Quiet || l.options.Learn,
		Terminal: report.Terminal{
			Interactive: streams.OutIsTerminal(), Width: streams.Width(),
			Columns: l.options.Columns, Head: streams.OutStyle(color.Bold),
			Diff: DiffStyle(streams),
		},
	}
	l.console.Notes("", l.options.Notes...)
	if !l.options.Settings.Quiet {
		l.console.Notes("", l.chain.Notes...)
		if !l.prints || !streams.OutIsTerminal() {
			l.progress = streams.NewProgress("files", len(found.Files))
		}
	}
	l.survey = l.surveyOf()
	working, stop := context.WithCancel(l.ctx)
	defer stop()
	l.stop, l.out = stop, files.NewStream(l.stdout())
	l.rehearse()
	inOrder(working, len(found.Files), l.work, l.take)
	l.progress.End()
	l.noteKinds()
	l.copyRest()
	return l.finish()
}

// stdout returns where results are printed.
func (l *loop) stdout() io.Writer {
	switch {
	case l.printer.ForPeople():
		return l.deps.Streams.Text()
	case l.printer.Lines():
		return l.deps.Streams.Lines()
	}
	return l.deps.Streams.Out
}

// work runs the chain on a unit. It is called concurrently.
func (l *loop) work(i int, admit func(int64)) outcome {
	o := outcome{file: l.request.found.Files[i]}
	var unit *source.InputUnit
	fail := func(problems diag.List) outcome {
		problems = l.secrets(unit).Failures(problems)
		o.problems = diag.In(diag.FileName(o.file.Path), problems)
		o.values.Failures = o.problems
		if l.prints && (l.request.found.Several || l.options.Report != "") {
			o.rendered = l.renderFailed(&o)
		}
		return o
	}
	if o.file.Problem != nil {
		return fail(diag.Failures(o.file.Problem, api.FailureInput))
	}
	var err error
	unit, err = l.read(&o, admit)
	defer o.target.Release()
	switch {
	case l.ctx.Err() != nil:
		o.unable = l.ctx.Err()
		return o
	case err != nil && !o.file.Explicit && errors.Is(err, source.ErrBinary):
		o.skipped = source.IsBinary
		return o
	case err != nil:
		return fail(l.readProblems(o.file, err))
	case !o.file.Accepts(l.request.reader.Formats, unit):
		o.skipped = source.OtherFormat
		return o
	}
	o.toolchain = unit.Toolchain
	l.seeKinds(unit)
	chain, err := l.chainFor(unit.Toolchain)
	switch {
	case err != nil && !o.file.Explicit:
		o.skipped = source.NoFunction
		return o
	case err != nil:
		return fail(diag.Failures(err, api.FailureUsage))
	}
	if err := source.CheckConflict(unit); err != nil {
		return fail(diag.Failures(err, api.FailureInput))
	}
	if l.options.Fix {
		if chain, err = l.fixing(&o, unit, chain); err != nil && l.ctx.Err() == nil {
			return fail(diag.Failures(err, api.FailureInput))
		}
	}
	if err := l.invoke(&o, unit, chain); err != nil {
		return fail(diag.Failures(err, api.FailureInput))
	}
	if o.unable == nil && o.skipped == "" {
		if err := l.deliver(&o, unit, chain); err != nil {
			return fail(append(o.problems, diag.Failures(err, api.FailureFunction)...))
		}
	}
	return o
}

// renderFailed returns what is printed about a unit on which no function ran. For the only unit of
// a run, work calls it only if there is a report.
func (l *loop) renderFailed(o *outcome) *report.Rendered {
	c := l.context(o.file.Unit, l.request.toolchain)
	response := &handler.Result{
		FunctionInvocationResponse: api.FunctionInvocationResponse{
			OrganizationID: c.OrganizationID, SpaceID: c.SpaceID, SpaceSlug: c.SpaceSlug,
			UnitID: c.UnitID, UnitSlug: c.UnitSlug,
		},
		Failures: o.problems,
	}
	for _, f := range o.problems {
		response.ErrorMessages = append(response.ErrorMessages, f.Error())
	}
	rendered, err := l.printer.Render(report.Result{
		Unit: o.file.Unit, File: diag.FileName(o.file.Path),
		Signatures: l.chain.Signatures, Invocations: l.chain.Invocations, Response: response,
	})
	if err != nil {
		return nil
	}
	return &rendered
}

// readProblems returns the problems with a file that cannot be read. The hint suggests -f if FILE
// is a directory or a pattern.
func (l *loop) readProblems(f source.File, err error) diag.List {
	problems := diag.Failures(err, api.FailureInput)
	if !l.request.found.Several && (errors.Is(err, source.ErrDirectory) ||
		errors.Is(err, fs.ErrNotExist) && source.IsPattern(f.Path)) {
		problems[0].Hint = shellwords.Quote("fctl", l.request.files.Command, "-f", f.Path) +
			" ... reads several files"
	}
	return problems
}

// read reads a unit, unless it has been read. A file that is written in place is locked first.
func (l *loop) read(o *outcome, admit func(int64)) (*source.InputUnit, error) {
	if l.request.first != nil && l.inPlace == nil {
		return l.request.first, nil
	}
	f, reader := o.file, *l.request.reader
	reader.RegularOnly = !f.Explicit || l.inPlace != nil
	if l.inPlace != nil {
		o.target = l.inPlace.Target(f.Path, f.Explicit)
		note := l.progress.Hide
		if l.options.Settings.Quiet {
			note = func(func()) {}
		}
		reader.Hold = l.console.Hold(l.ctx, o.target, diag.FileName(f.Path), note)
	}
	reader.Admit = admit
	return reader.Unit(l.ctx, f.Path, f.Unit)
}

// chainFor returns the chain for a toolchain, or an error if the executor has no functions for it.
func (l *loop) chainFor(t api.ToolchainType) (*plan.Plan, error) {
	if t == l.request.toolchain && !l.options.Fix {
		return l.chain, nil
	}
	if err := Supported(t, l.deps.Executor.Toolchains()); err != nil {
		return nil, err
	}
	return l.request.plans.of(t)
}

// invoke runs the chain.
func (l *loop) invoke(o *outcome, unit *source.InputUnit, chain *plan.Plan) error {
	s := l.options.Settings
	if s.Strict {
		failures, err := l.deps.Executor.CheckDocuments(unit.Toolchain, unit.Data)
		if err != nil {
			return err
		}
		if len(failures) > 0 {
			return diag.List(failures)
		}
	}
	request := l.invocation(unit, chain)
	options := handler.Options{
		AllowExternal: s.AllowExternal, InParts: true, File: unit.File, WhereText: l.whereFlags,
		NamesOnly: l.options.Select.Where == "", Secrets: !l.options.ShowSecrets,
		Compare: l.counts(), ListChanged: l.prints && l.options.Format == report.Name,
		KeepSteps: l.prints && l.options.Format == report.Diff,
		Survey:    l.survey, Only: chain.Only,
	}
	ctx := limit.Named(l.ctx, func(err error) error {
		return diag.In(unit.File, diag.Failures(err, api.FailureFunction))
	})
	response, err := source.Interruptible(l.ctx, func() (*handler.Result, error) {
		return l.deps.Executor.Run(ctx, request, options)
	})
	switch {
	case l.ctx.Err() != nil:
		o.unable = l.ctx.Err()
		return nil
	case err != nil:
		return err
	}
	if !o.file.Explicit && !s.Strict {
		if o.skipped = l.noConfiguration(unit, response); o.skipped != "" {
			o.mentions = l.mentions(unit, o.skipped)
			return nil
		}
	}
	response = l.judge(o, unit, chain, response)
	o.response, o.notes = response, response.Notes
	if !response.Success {
		o.problems = diag.In(unit.File, response.Failures)
	}
	l.hintToolchain(o, unit)
	if isResourceList(unit) {
		o.notes = append(slices.Clip(o.notes), api.Note{Message: "the file is a ResourceList, " +
			"and the functions get its items; 'fctl krm' runs the functions of its " +
			"functionConfig, 'fctl fn eval -' runs one function and keeps its results"})
	}
	return nil
}

// isResourceList reports whether the only document of a unit is a ResourceList, which KRM functions
// exchange.
func isResourceList(unit *source.InputUnit) bool {
	if unit.Toolchain != api.ToolchainKubernetesYAML ||
		!bytes.Contains(unit.Data, []byte("ResourceList")) {
		return false
	}
	doc, err := gaby.ParseYAML(unit.Data) // an error with several documents
	if err != nil {
		return false
	}
	return doc.Value().Get("kind").EqualText("ResourceList") &&
		strings.HasPrefix(doc.Value().Get("apiVersion").Text(), "config.kubernetes.io/")
}

// invocation returns the request that runs a chain on a unit.
func (l *loop) invocation(unit *source.InputUnit, chain *plan.Plan) *api.FunctionInvocationRequest {
	return &api.FunctionInvocationRequest{
		FunctionContext: l.context(unit.Name, unit.Toolchain),
		ConfigData:      unit.Data,
		FileName:        unit.File,
		OtherData:       l.other,
		NumFilters:      l.options.NumFilters,
		// A fix sees only resources that break its rule, often because they lack the value.
		Upsert:        l.options.Upsert || l.options.Fix,
		WhereResource: l.where,
		WhereCEL:      l.options.Select.CEL,
		RecordMutations: l.options.Values || l.prints &&
			(l.options.Format == report.Mutations || l.options.Format == report.Response ||
				l.options.Format == report.Table && mutating(chain)),
		StopOnError:         !l.options.KeepGoing,
		FunctionInvocations: chain.Invocations,
	}
}

// hintToolchain adds a hint at --toolchain if a file is not a manifest and its name does not imply
// a toolchain.
func (l *loop) hintToolchain(o *outcome, unit *source.InputUnit) {
	if hint := readAs([]source.Skipped{{Path: unit.File, Reason: source.NoResource}}); hint != "" &&
		l.request.reader.Toolchain == "" && unit.Toolchain == api.ToolchainKubernetesYAML {
		if i := slices.IndexFunc(o.notes, func(n api.Note) bool {
			return n.Kind == api.NoteSkippedDocument
		}); i >= 0 {
			o.notes = slices.Clone(o.notes)
			o.notes[i].Message += hint
		}
		return
	}
	extension := filepath.Ext(unit.File)
	if l.request.reader.Toolchain != "" || extension == "" ||
		l.request.reader.Formats.Implied(unit.File) {
		return
	}
	hint := extension + " files are read as " + string(unit.Toolchain) +
		"; select another format with --toolchain, such as AppConfig/INI ('fctl help formats')"
	if i := slices.IndexFunc(o.problems,
		func(f *api.Failure) bool { return f.Class == api.FailureInput }); i >= 0 {
		f := *o.problems[i]
		f.Hint = hint
		o.problems[i] = &f
	} else if i := slices.IndexFunc(o.notes, func(n api.Note) bool {
		return n.Kind == api.NoteSkippedDocument
	}); i >= 0 && !o.response.Changed {
		o.notes = append(slices.Clip(o.notes), api.Note{Message: hint})
	}
}

// deliver renders what is printed about a unit, and writes its configuration.
func (l *loop) deliver(o *outcome, unit *source.InputUnit, chain *plan.Plan) error {
	response := o.response
	result := report.Result{
		Unit: unit.Name, File: unit.File, Toolchain: unit.Toolchain, Signatures: chain.Signatures,
		Invocations: chain.Invocations,
		Response:    response, Before: unit.Data, Accepted: o.accepted,
	}
	if l.prints && response.Success && response.Changed {
		switch l.options.Format {
		case report.Name:
			if c := response.Changes; c != nil {
				result.Changed = slices.Concat(c.Present, c.Gone)
			}
		case report.Diff:
			result.Starts = func(text []byte) []handler.ResourceLine {
				after, err := l.deps.Executor.Open(unit.Toolchain, text)
				if err != nil { // reported elsewhere
					return nil
				}
				return after.ResourceLines()
			}
		}
	}
	o.withheld = l.withholds(response, chain)
	if o.withheld && (!l.prints || l.printsConfiguration() || l.options.Output.writes()) {
		o.notes = append(o.notes, api.Note{Message: "a validation did not pass, so the " +
			"configuration is neither printed nor written; --keep-going does"})
	}
	if l.options.Report == report.Text {
		result.Resources = l.countResources(response)
	}
	if l.prints && (!o.withheld || !l.printsConfiguration()) {
		if response.Secrets != nil && l.printer.MasksValues(result) {
			result.Secrets = response.Secrets()
		}
		rendered, err := l.printer.Render(result)
		if err != nil {
			return err
		}
		o.rendered = &rendered
	}
	if l.options.Values {
		if err := l.addValues(o, unit, result); err != nil {
			return err
		}
	}
	omitted := l.printer.Omitted(report.Terminal{Head: l.deps.Streams.ErrStyle(color.Bold)}, result)
	if l.options.Fix { // what is left is printed
		omitted.Notes = nil
	}
	o.unchecked = result.Unchecked()
	o.notes = append(o.unchecked.Without(mergeUnmatched(o.notes)), omitted.Notes...)
	o.failed = omitted.Failed
	if l.refused > 0 && response.Success {
		o.notes = nil // about changes that are not made
		return l.tryWrite(o, unit)
	}
	if !response.Success || o.withheld || l.refused > 0 {
		return nil
	}
	if l.options.Output.writes() {
		note := ""
		err := l.deps.Writes.Write(func() (err error) {
			note, err = l.writeUnit(o, unit)
			return err
		})
		if err != nil {
			return NotWritten(unit.File, err)
		}
		if note != "" {
			o.notes = append(o.notes, api.Note{Message: note})
		}
	}
	if l.counts() {
		o.changes = changesIn(response)
	}
	return nil
}

// withholds reports whether the configuration of a unit is neither printed nor written, because a
// validation of a chain that changes it did not pass.
func (l *loop) withholds(response *handler.Result, chain *plan.Plan) bool {
	return response.ValidationFailed && !l.options.KeepGoing && !l.options.Fix && mutating(chain)
}

// printsConfiguration reports whether what is printed about a chain that changes configuration is
// the configuration or its changes.
func (l *loop) printsConfiguration() bool {
	return l.options.Report == "" && slices.Contains([]report.Format{
		report.Auto, report.Data, report.Diff, report.Mutations, report.Name,
	}, l.options.Format)
}

// take reports a unit. It is called in the order of the units.
func (l *loop) take(o outcome) {
	if o.unable != nil {
		return
	}
	l.progress.Add(1)
	if o.skipped != "" {
		if len(o.mentions) > 0 && !l.options.Settings.Quiet {
			l.say(func() { l.console.Notes("", o.mentions...) })
		}
		if o.skipped != source.NoFunction || l.request.files.Formats == nil {
			l.request.found.Skipped = append(l.request.found.Skipped,
				source.Skipped{Path: o.file.Path, Rel: o.file.Rel, Reason: o.skipped})
		}
		l.summary.skipped++
		return
	}
	l.print(o)
	l.printer.AddUnchecked(o.unchecked)
	if o.toolchain == "" {
		o.toolchain, _ = l.request.reader.Formats.ByName(o.file.Path)
	}
	l.summary.add(&o)
	if !l.options.Settings.Quiet {
		l.showNotes(&o)
	}
	if o.response != nil && !o.response.Success {
		l.showPanics(&o)
	}
	if len(o.failed) > 0 {
		l.say(func() { _, _ = l.deps.Streams.ErrOut.Write(o.failed) })
	}
	if len(o.problems) > 0 {
		l.failOnce(o.problems)
	}
	if o.response != nil && o.response.ValidationFailed ||
		l.options.Output == Check && o.changes.any() {
		l.result.No = true
	}
	if l.options.Values {
		o.values.Path, o.values.Unit, o.values.Toolchain = o.file.Path, o.file.Unit, o.toolchain
		l.result.Files = append(l.result.Files, o.values)
	}
}

// showPanics prints the stacks of functions that panicked, or hints at --debug.
func (l *loop) showPanics(o *outcome) {
	if l.options.Settings.Debug {
		l.say(func() { l.console.stacks(o.response.Failures) })
		return
	}
	for _, f := range o.problems {
		if _, ok := errors.AsType[*handler.PanicError](f); ok {
			f.Hint = "--debug prints the stack"
		}
	}
}

// print prints a unit.
func (l *loop) print(o outcome) {
	switch {
	case o.rendered != nil:
		l.write(l.printer.Print(*o.rendered))
	case l.options.Output == Check && o.changes.any():
		l.emit(func() error {
			_, err := fmt.Fprintln(l.deps.Streams.Text(), diag.FileName(o.file.Path))
			return err
		})
	}
}

func (l *loop) write(chunks report.Chunks) {
	if len(chunks) > 0 {
		l.emit(func() error { return l.out.Write(chunks...) })
	}
}

// emit calls write, which writes to the standard output, unless an earlier one failed.
func (l *loop) emit(write func() error) {
	if l.broken != nil {
		return
	}
	output := func() { l.output(write) }
	if l.deps.Streams.OutIsTerminal() {
		l.progress.Hide(output)
	} else { // other output does not overwrite the progress
		output()
	}
	if l.broken != nil && !l.options.Output.writes() {
		l.stop() // the rest of the run would have no effect
	}
}

// output writes to the standard output. A run that writes files must end in order when it is
// interrupted, even if nobody reads the output, so its writes to the output are abandoned then.
func (l *loop) output(write func() error) {
	if !l.options.Output.writes() {
		l.broken = write()
		return
	}
	_, l.broken = source.Interruptible(l.ctx, func() (any, error) { return nil, write() })
}

// say writes to the error stream, after flushing the output printed so far.
func (l *loop) say(what func()) {
	if l.broken == nil {
		l.output(l.out.Flush)
	}
	l.progress.Hide(what)
}

// finish prints what is about all units, and returns the error of the context.
func (l *loop) finish() error {
	if err := l.closeOutput(); err != nil {
		l.fail(diag.Failures(err, api.FailureFunction))
	}
	if l.prints && l.ctx.Err() == nil {
		chunks, err := l.printer.End()
		if err != nil {
			l.fail(diag.Failures(err, api.FailureFunction))
		}
		l.write(chunks)
		// the summary of the GitHub workflow step that fctl runs in, if any
		if path := l.deps.Streams.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
			if err := l.deps.Writes.Write(func() error {
				return files.Append(l.ctx, path, l.printer.Summary())
			}); err != nil {
				l.fail(diag.Failures(fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err),
					api.FailureFunction))
			}
		}
	}
	if l.ctx.Err() == nil {
		l.closeBaseline()
		l.learn()
	}
	if l.broken == nil {
		l.output(l.out.Flush)
	}
	switch gone := errors.Is(l.broken, files.ErrGone); {
	case !l.options.Output.writes() && (gone || l.ctx.Err() != nil):
		// The reader of the output is gone, or the run was interrupted: nobody needs the
		// conclusion.
	case l.broken != nil && !gone && !errors.Is(l.broken, context.Canceled):
		l.fail(diag.Failures(l.broken, api.FailureFunction))
		fallthrough
	default:
		l.conclude()
	}
	return l.ctx.Err()
}

// fail reports problems.
func (l *loop) fail(problems diag.List) {
	l.say(func() { l.console.Problems(problems) })
	l.result.Failures = append(l.result.Failures, problems...)
}

// noConfiguration returns why a file that was found is not configuration, empty if it is. Such a
// file is a template, has no resources or is empty.
func (l *loop) noConfiguration(unit *source.InputUnit, response *handler.Result) source.SkipReason {
	if isTemplate(unit, response) {
		return source.IsTemplate
	}
	if !hasFinding(response) && slices.ContainsFunc(response.Notes, func(n api.Note) bool {
		return n.Kind == api.NoteSkippedDocument
	}) {
		if response.Resources == 0 {
			return source.NoResource
		}
	}
	if isBlank(unit.Data) {
		return source.IsEmpty
	}
	return ""
}

// hasFinding reports whether a validation found something wrong.
func hasFinding(response *handler.Result) bool {
	for _, o := range response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		for _, r := range list {
			if len(r.FailedAttributes) > 0 {
				return true
			}
		}
	}
	return false
}

// isTemplate reports whether a file becomes configuration by way of a template: an action breaks it,
// or is the value of a field, where YAML without quotes reads {{ .Name }} as a map of a map.
func isTemplate(unit *source.InputUnit, response *handler.Result) bool {
	actions := templateActions(unit.Data)
	if len(actions) == 0 {
		return false
	}
	if slices.ContainsFunc(response.Failures, func(f *api.Failure) bool {
		_, refused := errors.AsType[*gaby.EditError](f)
		return (f.Class == api.FailureInput || refused) && len(actions[f.Pos.Line]) > 0
	}) {
		return true
	}
	if unit.Toolchain != api.ToolchainKubernetesYAML {
		return false
	}
	found := false
	docs, _ := gaby.ParseAll(unit.Data)
	for _, doc := range docs {
		if doc.Check() == nil {
			yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
				at := w.Value.Position()
				found = found || w.Value.Kind() == gaby.Map && slices.Contains(actions[at.Line], at.Column)
				return !found
			})
		}
	}
	return found
}

// templateActions returns the columns at which template actions begin, by line, both counted from 1.
func templateActions(text []byte) map[int][]int {
	if !bytes.Contains(text, []byte("{{")) {
		return nil
	}
	actions, number := map[int][]int{}, 0
	for line := range bytes.Lines(text) {
		number++
		for at := range line {
			if bytes.HasPrefix(line[at:], []byte("{{")) {
				actions[number] = append(actions[number], at+1)
			}
		}
	}
	return actions
}

// isBlank reports whether a text has only comments and document separators.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' &&
			!bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
