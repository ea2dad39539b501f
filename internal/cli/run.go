package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/diff"
	"github.com/fctl-dev/fctl/internal/iostreams"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

// run is a chain being run on the units: units are worked on in parallel, and what there is to say about each is said in
// their order. A unit with a problem does not keep the others from being worked on.
type run struct {
	*job
	wishes
	ctx      context.Context
	plans    *plans
	chain    *plan.Plan // the one that problems with the words are about
	context  func(unit string, t api.ToolchainType) api.FunctionContext
	printer  *report.Printer
	writer   writer // nil when nothing is written
	progress *iostreams.Progress
	memory   *memory
	tally    tally
	status   int
	out      *sink.Stream
	broken   error  // what keeps anything more from being printed
	stop     func() // ends the run early
}

// outcome is what became of one unit.
type outcome struct {
	file      source.File
	target    *sink.Target      // the file, locked; nil when it is not written in place
	toolchain api.ToolchainType // empty when it could not be read
	passed    source.Reason     // why it is skipped; nothing else is said about it
	response  *handler.Result
	piece     *report.Piece
	notes     []api.Note
	failed    []byte // results that did not pass, where they are not printed
	problems  diag.List
	changes   changes
	unable    error // it was interrupted
}

// run executes the chain on the units and prints or writes the results.
func (j *job) run(ctx context.Context, plans *plans) (err error) {
	chain, err := plans.of(j.toolchain)
	if err != nil {
		return err
	}
	r := &run{job: j, ctx: ctx, plans: plans, chain: chain}
	if r.wishes, err = j.wishes(ctx, chain); err != nil {
		return err
	}
	if j.readsStdin() {
		if err := j.wouldWait(j.cmd); err != nil {
			return err
		}
	}
	if r.to == inPlace || r.to == toDirectory {
		j.files.orderly.Lock()
		defer j.files.orderly.Unlock()
	}
	if r.writer, err = j.newWriter(r.writing); err != nil {
		return err
	}
	r.context = plan.Context(j.settings)
	r.printer = &report.Printer{
		Format: r.format, Report: r.report, Several: j.found.Several, Signatures: chain.Signatures,
		Elsewhere: r.to != toStdout, Silent: !r.prints,
		Screen: report.Screen{Terminal: j.Streams.OutIsTerminal(), Head: j.Streams.OutStyle(color.Bold), Diff: j.diffStyle()},
	}
	j.tellNotes(j.settings, j.executor)
	if !j.settings.Quiet {
		j.note("", chain.Notes)
		if !r.prints || !j.Streams.OutIsTerminal() {
			r.progress = j.Streams.NewProgress("files", len(j.found.Files))
		}
	}
	format := r.format
	if !r.prints {
		format = ""
	}
	r.memory = newMemory(j.found.Several, format)
	working, stop := context.WithCancel(ctx)
	defer stop()
	r.stop, r.out = stop, sink.NewStream(j.Streams.Out)
	inOrder(working, len(j.found.Files), r.work, r.take)
	r.progress.End()
	return r.finish()
}

// work runs the chain on a unit. It is called concurrently.
func (r *run) work(i int, admit func(int64)) outcome {
	o := outcome{file: r.found.Files[i]}
	var unit *source.Unit
	fail := func(problems diag.List) outcome {
		problems = r.sensitive(unit, nil).Failures(problems)
		o.problems = diag.In(diag.FileName(o.file.Path), problems)
		if r.prints && (r.found.Several || r.report != "") {
			o.piece = r.failedPiece(&o)
		}
		return o
	}
	if o.file.Problem != nil {
		return fail(diag.Failures(o.file.Problem, api.FailureInput))
	}
	var err error
	unit, err = r.read(&o, admit)
	defer o.target.Release()
	switch {
	case r.ctx.Err() != nil:
		o.unable = r.ctx.Err()
		return o
	case err != nil && !o.file.Named && errors.Is(err, source.ErrBinary):
		o.passed = source.IsBinary
		return o
	case err != nil:
		return fail(r.unread(o.file, err))
	case !o.file.Takes(unit):
		o.passed = source.OtherFormat
		return o
	}
	o.toolchain = unit.Toolchain
	chain, err := r.chainFor(unit.Toolchain)
	switch {
	case err != nil && !o.file.Named:
		o.passed = source.NoFunction
		return o
	case err != nil:
		return fail(diag.Failures(err, api.FailureUsage))
	}
	if err := r.invoke(&o, unit, chain); err != nil {
		return fail(diag.Failures(err, api.FailureInput))
	}
	if o.unable == nil && o.passed == "" {
		if err := r.deliver(&o, unit, chain); err != nil {
			return fail(append(o.problems, diag.Failures(err, api.FailureFunction)...))
		}
	}
	return o
}

// failedPiece is what is printed about a unit on which no function ran. With one unit only a report says something about it.
func (r *run) failedPiece(o *outcome) *report.Piece {
	c := r.context(o.file.Unit, r.toolchain)
	response := &handler.Result{
		FunctionInvocationResponse: api.FunctionInvocationResponse{
			OrganizationID: c.OrganizationID, SpaceID: c.SpaceID, SpaceSlug: c.SpaceSlug, UnitID: c.UnitID, UnitSlug: c.UnitSlug,
		},
		Failures: o.problems,
	}
	for _, f := range o.problems {
		response.ErrorMessages = append(response.ErrorMessages, f.Error())
	}
	piece, err := r.printer.Piece(report.Result{Unit: o.file.Unit, File: diag.FileName(o.file.Path), Signatures: r.chain.Signatures, Invocations: r.chain.Invocations, Response: response})
	if err != nil {
		return nil
	}
	return &piece
}

// unread are the problems with a file that cannot be read. Where FILE stands for one file -f may be what was meant.
func (r *run) unread(f source.File, err error) diag.List {
	problems := diag.Failures(err, api.FailureInput)
	if !r.found.Several && (errors.Is(err, source.ErrDirectory) || errors.Is(err, fs.ErrNotExist) && source.IsPattern(f.Path)) {
		problems[0].Hint = plan.Quote([]string{"fctl", r.cmd.Name(), "-f", f.Path}) + " ... takes several files"
	}
	return problems
}

// read reads a unit, unless that was done already. What is written in place is locked first.
func (r *run) read(o *outcome, admit func(int64)) (*source.Unit, error) {
	files, inPlace := r.writer.(fileWriter)
	if r.unit != nil && !inPlace {
		return r.unit, nil
	}
	f, reader := o.file, *r.reader
	reader.RegularOnly = !f.Named || inPlace
	if inPlace {
		o.target = files.Target(f.Path, f.Named)
		reader.Hold = r.hold(r.ctx, o.target, diag.FileName(f.Path), r.progress.Pause)
	}
	reader.Admit = func(size int64) {
		r.memory.expect(size)
		admit(size)
	}
	unit, err := reader.Unit(r.ctx, f.Path, f.Unit)
	if err == nil {
		r.memory.hold(len(unit.Data))
	}
	return unit, err
}

// chainFor is the chain for a toolchain, if there are functions for that.
func (r *run) chainFor(t api.ToolchainType) (*plan.Plan, error) {
	if t == r.toolchain {
		return r.chain, nil
	}
	if err := supported(t, r.executor.Toolchains()); err != nil {
		return nil, err
	}
	return r.plans.of(t)
}

// invoke runs the chain.
func (r *run) invoke(o *outcome, unit *source.Unit, chain *plan.Plan) error {
	s := r.settings
	if s.Strict {
		failures, err := r.executor.CheckDocuments(unit.Toolchain, unit.Data)
		if err != nil {
			return err
		}
		if len(failures) > 0 {
			return diag.List(failures)
		}
	}
	request := &api.FunctionInvocationRequest{
		FunctionContext:     r.context(unit.Name, unit.Toolchain),
		ConfigData:          unit.Data,
		FileName:            unit.File,
		OtherData:           r.other,
		NumFilters:          r.filters,
		WhereResource:       r.where,
		RecordMutations:     r.prints && (r.format == report.Mutations || r.format == report.Response),
		StopOnError:         !r.keep,
		FunctionInvocations: chain.Invocations,
	}
	options := handler.Options{
		AllowExternal: s.AllowExternal, InParts: true, CountChanges: r.counts(), KeepSteps: r.prints && r.format == report.Diff,
	}
	response, err := source.Interruptible(r.ctx, func() (*handler.Result, error) { return r.executor.Run(r.ctx, request, options) })
	switch {
	case r.ctx.Err() != nil:
		o.unable = r.ctx.Err()
		return nil
	case err != nil:
		return err
	}
	if !o.file.Named && !s.Strict {
		if o.passed = r.noConfiguration(unit, response); o.passed != "" {
			return nil
		}
	}
	r.asSaid(response)
	r.demand(response)
	if speaks(response) {
		mask(r.sensitive(unit, response), response)
	}
	report.Locate(response.Outputs, unit.File)
	o.response, o.notes = response, response.Notes
	if !response.Success {
		o.problems = diag.In(unit.File, response.Failures)
	}
	r.doubtFormat(o, unit)
	return nil
}

// doubtFormat hints at --toolchain when a file whose name tells nothing turns out to be no manifest.
func (r *run) doubtFormat(o *outcome, unit *source.Unit) {
	extension := filepath.Ext(unit.File)
	if r.reader.Toolchain != "" || extension == "" || source.NameTells(unit.File) {
		return
	}
	hint := "files called " + extension + " are read as " + string(unit.Toolchain) + "; --toolchain AppConfig/INI or another one, see fctl help formats, tells what it is"
	if i := slices.IndexFunc(o.problems, func(f *api.Failure) bool { return f.Class == api.FailureInput }); i >= 0 {
		f := *o.problems[i]
		f.Hint = hint
		o.problems[i] = &f
	} else if i := slices.IndexFunc(o.notes, func(n api.Note) bool { return n.Kind == api.NoteSkippedDocument }); i >= 0 && !o.response.Changed {
		o.notes = append(slices.Clip(o.notes), api.Note{Message: hint})
	}
}

// deliver makes what is printed about a unit, and writes its configuration.
func (r *run) deliver(o *outcome, unit *source.Unit, chain *plan.Plan) error {
	response := o.response
	result := report.Result{
		Unit: unit.Name, File: unit.File, Toolchain: unit.Toolchain, Signatures: chain.Signatures, Invocations: chain.Invocations,
		Response: response, Before: unit.Data,
		Changed: func() ([]api.ResourceInfo, error) { return changedResources(r.executor, unit, response) },
		Places:  func(text []byte) []diff.Place { return places(r.executor, unit.Toolchain, text) },
	}
	if !r.showSecrets {
		result.Secrets = func() *sensitive.Values {
			return r.executor.Sensitive(unit.Toolchain, unit.Data, bytes.Join(partsOf(response), nil))
		}
	}
	if r.prints {
		piece, err := r.printer.Piece(result)
		if err != nil {
			return err
		}
		o.piece = &piece
	}
	left := r.printer.LeftOut(report.Screen{Head: r.Streams.ErrStyle(color.Bold)}, result)
	o.notes, o.failed = append(o.notes, left.Notes...), left.Failed
	if !response.Success {
		return nil
	}
	if r.writer != nil {
		r.files.one.RLock()
		note, err := r.writer.write(r.ctx, o, unit)
		r.files.one.RUnlock()
		if err != nil {
			return notWritten(unit.File, err)
		}
		if note != "" {
			o.notes = append(o.notes, api.Note{Message: note})
		}
	}
	if r.counts() {
		o.changes = countChanges(r.executor, unit, response)
	}
	return nil
}

// take says what there is to say about a unit. It is called in the order of the units.
func (r *run) take(o outcome) {
	if o.unable != nil {
		return
	}
	r.progress.Add(1)
	if o.passed != "" {
		r.found.Passed = append(r.found.Passed, source.Passed{Path: o.file.Path, Why: o.passed})
		r.tally.passed++
		return
	}
	r.print(o)
	r.tally.add(&o)
	if !r.settings.Quiet {
		r.tellNotes(&o)
	}
	if o.response != nil && !o.response.Success {
		r.showPanics(&o)
	}
	if len(o.failed) > 0 {
		r.say(func() { _, _ = r.Streams.ErrOut.Write(o.failed) })
	}
	if len(o.problems) > 0 {
		r.fail(o.problems)
	}
	if o.response != nil && o.response.ValidationFailed {
		r.status = max(r.status, exitNo)
	}
	if r.to == checked && o.changes.any() {
		r.status = max(r.status, exitNo)
	}
}

// showPanics shows where functions panicked, or says how to see that.
func (r *run) showPanics(o *outcome) {
	if r.settings.Debug {
		r.say(func() { r.stacks(o.response.Failures) })
		return
	}
	for _, f := range o.problems {
		if _, ok := errors.AsType[*handler.PanicError](f); ok {
			f.Hint = "--debug shows where"
		}
	}
}

// print prints a unit.
func (r *run) print(o outcome) {
	var payload report.Payload
	switch {
	case o.piece != nil:
		payload = r.printer.Print(*o.piece)
	case r.to == checked && o.changes.any():
		payload = report.Payload{[]byte(diag.Printable(diag.FileName(o.file.Path)) + "\n")}
	}
	r.write(payload)
}

func (r *run) write(payload report.Payload) {
	if r.broken != nil || len(payload) == 0 {
		return
	}
	write := func() { r.output(func() error { return r.out.Write(payload...) }) }
	if r.Streams.OutIsTerminal() {
		r.progress.Pause(write)
	} else { // what goes elsewhere is not in the way
		write()
	}
	if r.broken != nil && r.writer == nil {
		r.stop() // what cannot be printed need not be made
	}
}

// output writes to the standard output. A run that writes files ends in order when it is interrupted, even if nobody reads the output.
func (r *run) output(write func() error) {
	if r.writer == nil {
		r.broken = write()
		return
	}
	_, r.broken = source.Interruptible(r.ctx, func() (any, error) { return nil, write() })
}

// say writes to the error stream, after what was printed before.
func (r *run) say(what func()) {
	if r.broken == nil {
		r.output(r.out.Flush)
	}
	r.progress.Pause(what)
}

// finish says what can be said of all units together, and makes the exit status.
func (r *run) finish() error {
	if r.writer != nil {
		if err := r.writer.Close(); err != nil {
			r.fail(diag.Failures(err, api.FailureFunction))
		}
	}
	if r.prints && r.ctx.Err() == nil {
		payload, err := r.printer.End()
		if err != nil {
			r.fail(diag.Failures(err, api.FailureFunction))
		}
		r.write(payload)
		if err := r.addSummary(r.printer.Summary()); err != nil {
			r.fail(diag.Failures(err, api.FailureFunction))
		}
	}
	if r.broken == nil {
		r.output(r.out.Flush)
	}
	switch gone := errors.Is(r.broken, sink.ErrGone); {
	case r.writer == nil && (gone || r.ctx.Err() != nil):
		// Nobody wants to know the rest.
	case r.broken != nil && !gone && !errors.Is(r.broken, context.Canceled):
		r.fail(diag.Failures(r.broken, api.FailureFunction))
		fallthrough
	default:
		r.conclude()
	}
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case r.status != exitDone:
		return told(r.status)
	}
	return nil
}

// addSummary appends to the summary of the workflow step that fctl runs in, if it does.
func (r *run) addSummary(text []byte) error {
	path := r.Streams.Getenv("GITHUB_STEP_SUMMARY")
	if len(text) == 0 || path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // others read it
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// fail tells problems.
func (r *run) fail(problems diag.List) {
	r.say(func() { r.tell(problems) })
	r.status = max(r.status, exitStatus(problems))
}

// demand makes failures of the notes that --require-match and --strict do not accept. Of several units, what matches in one need not
// match in the others.
func (r *run) demand(response *handler.Result) {
	var kept []api.Note
	for _, n := range response.Notes {
		f := &api.Failure{Pos: n.Pos, Function: n.Function, Invocation: n.Invocation, Message: n.Message}
		switch {
		case r.settings.RequireMatch && n.Kind.Unmatched() && !r.found.Several:
			f.Class = api.FailureFunction
		case n.Kind == api.NoteNamelessDocument && !r.settings.Strict:
			continue
		case r.settings.Strict && (n.Kind == api.NoteSkippedDocument || n.Kind == api.NoteNamelessDocument):
			f.Class = api.FailureInput
			refuseUnchecked(response)
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

// refuseUnchecked has no validation pass that could not check everything.
func refuseUnchecked(response *handler.Result) {
	for _, o := range response.Outputs {
		list, _ := o.Value.(api.ValidationResultList)
		for i := range list {
			list[i].Passed = list[i].Passed && len(list[i].Unchecked) == 0
		}
	}
}

// noConfiguration tells why a file that was found is none, if it is none: it has no resources, or is a template of something
// that is still to be made.
func (r *run) noConfiguration(unit *source.Unit, response *handler.Result) source.Reason {
	if slices.ContainsFunc(response.Failures, func(f *api.Failure) bool { return f.Class == api.FailureInput && hasPlaceholder(unit.Data, f.Pos.Line) }) {
		return source.IsTemplate
	}
	if !hasFindings(response) && slices.ContainsFunc(response.Notes, func(n api.Note) bool { return n.Kind == api.NoteSkippedDocument }) {
		resources, err := resourcesOf(r.executor, unit.Toolchain, unit.Data)
		if err == nil && len(resources) == 0 {
			return source.NoResource
		}
	}
	if isBlank(unit.Data) {
		return source.IsEmpty
	}
	return ""
}

// hasFindings tells whether a validation found something in the text, whatever the text is.
func hasFindings(response *handler.Result) bool {
	for _, o := range response.Outputs {
		if list, ok := o.Value.(api.ValidationResultList); ok && slices.ContainsFunc(list, func(r api.ValidationResult) bool { return len(r.FailedAttributes) > 0 }) {
			return true
		}
	}
	return false
}

// hasPlaceholder tells whether a line holds what a template's engine replaces.
func hasPlaceholder(text []byte, line int) bool {
	for l := range bytes.Lines(text) {
		if line--; line == 0 {
			return bytes.Contains(l, []byte("{{"))
		}
	}
	return false
}

// IsBlank tells whether there is nothing but comments and separators in a text.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
