package handler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/parallel"
	"github.com/fctl-dev/fctl/internal/where"
)

// step is one invocation of a chain: either ready to run, or refused because of err.
type step struct {
	index  int
	f      *function
	args   []api.FunctionArgument
	other  []byte
	where  *where.Expr
	filter bool
	name   string
	err    error  // why it is refused, or nil
	input  string // see InputFile

	invocation string // the name of the invocation, if it has one

	spent *atomic.Int64 // nanoseconds, on all parts of the data
	late  error         // the limit of time that it reached on a part of the data, or nil
}

// stepResult is the result of running a step on some documents.
type stepResult struct {
	documents gaby.Container
	output    any
	report    api.Report
	seen      int // documents the function saw
	facts     any // what the function left about a part, for Join
	err       error
}

// run is the state of one request while it runs.
type run struct {
	ctx       context.Context
	fc        *api.FunctionContext
	stop      bool
	where     *where.Expr // of the request
	steps     []step
	response  *Result
	outputs   outputs
	converter configkit.ConfigConverter
	inParts   bool
	compares  bool
	lists     bool   // the changed resources
	given     string // the WhereResource of the request
	whereText string // what messages say in its place
	file      string

	survey func() *Survey // nil if there is none

	combine   bool // combine validation results
	keepSteps bool
	mutations bool // record mutations
	// everyResource is true if mutations have an entry for each resource.
	everyResource bool
	// changedValues is true if any mutations were recorded.
	changedValues bool
}

// Invoke runs the chain of a request on its data; see Run.
func (h *FunctionHandler) Invoke(
	ctx context.Context, request *api.FunctionInvocationRequest,
) (*api.FunctionInvocationResponse, error) {
	result, err := h.Run(ctx, request, Options{})
	if err != nil {
		return nil, err
	}
	return &result.FunctionInvocationResponse, nil
}

// Run runs the chain of a request on its data. It returns an error only if the request cannot be
// run at all or if ctx is cancelled. All other problems are in the result.
func (h *FunctionHandler) Run(
	ctx context.Context, request *api.FunctionInvocationRequest, options Options,
) (result *Result, err error) {
	// Panics of functions are caught where functions are called. This catches those of the
	// executor.
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, failureOf(&PanicError{Value: p, Stack: debug.Stack()}, "",
				api.FailureFunction)
		}
	}()
	// What makes the whole request invalid is an error. What concerns one function is recorded in
	// its step instead, so that all problems of a chain are reported, and the data is parsed after
	// that.
	if n := len(request.FunctionInvocations); n > api.MaxInvocations {
		return nil, &api.Failure{
			Class: api.FailureUsage,
			Message: fmt.Sprintf("the chain has %d functions, at most %d are allowed", n,
				api.MaxInvocations),
		}
	}
	ctx, done := limit.Ensure(ctx)
	defer done()
	fc := request.WithContext(ctx)
	selects, err := h.parseConditions(fc, request)
	if err != nil {
		return nil, failureOf(err, "", api.FailureUsage)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &run{
		ctx:   ctx,
		fc:    fc,
		stop:  request.StopOnError,
		where: selects,
		response: &Result{
			FunctionInvocationResponse: api.FunctionInvocationResponse{
				OrganizationID: request.OrganizationID, SpaceID: request.SpaceID,
				SpaceSlug: request.SpaceSlug,
				UnitID:    request.UnitID, UnitSlug: request.UnitSlug,
				RevisionID: request.RevisionID,
			},
			Parts: [][]byte{request.ConfigData},
		},
		converter:     h.converterFor(request.FileName),
		inParts:       options.InParts,
		compares:      options.Compare || options.ListChanged,
		lists:         options.ListChanged,
		given:         request.WhereResource,
		whereText:     options.WhereText,
		file:          options.File,
		combine:       request.CombineValidationResults,
		keepSteps:     options.KeepSteps,
		mutations:     request.RecordMutations,
		everyResource: request.RecordMutations && options.EveryResource,
	}
	r.fc.ToolchainType = h.toolchain
	r.steps, r.survey = h.prepare(r.fc, request, options), h.surveyFor(r, request, options)
	if r.fc.PreviousDataHash == "" &&
		slices.ContainsFunc(r.steps, func(s step) bool { return s.f != nil && s.f.WholeUnit }) {
		r.fc.PreviousDataHash = api.DataHash(request.ConfigData)
	}
	r.response.Functions = make([]Outcome, len(r.steps))
	for i := range r.steps {
		r.response.Functions[i].FunctionName, r.response.Functions[i].Invocation =
			r.steps[i].name, r.steps[i].invocation
		r.noteDeprecated(&r.steps[i], request.FunctionInvocations[i].Arguments)
	}

	if options.Documents != nil {
		err = h.runOnDocuments(r, options.Documents)
	} else {
		err = h.runSteps(r, request.ConfigData)
	}
	if err != nil {
		return nil, err
	}
	return r.finish(), nil
}

// runSteps runs the chain and records the resulting data, mutations and steps.
func (h *FunctionHandler) runSteps(r *run, data []byte) error {
	if parts := h.split(r, data); parts != nil {
		ok, err := h.runParallel(r, parts)
		if ok || err != nil {
			return err
		}
		// Some part failed. Only the sequential run on all documents shows which failures there are
		// and where the chain stops.
	}
	documents, err := r.converter.NativeToDocuments(data)
	if err != nil {
		r.fail(failuresOf(err, "", api.FailureInput))
		return nil
	}
	h.orderKeys(documents)
	whole := unitPart{before: data}
	h.begin(r, &whole, documents)
	r.response.Notes = append(r.response.Notes, whole.notes...)
	done := r.newHistory(documents)
	documents, err = h.runSequentially(r, documents, done)
	if err != nil {
		return err
	}
	if err := r.finishPart(&whole, h.provider, documents, done); err != nil {
		r.fail(failuresOf(err, "", api.FailureFunction))
		return nil
	}
	r.record([]unitPart{whole})
	return nil
}

// orderKeys lets edits put new keys where people write them, if the provider knows that.
func (h *FunctionHandler) orderKeys(documents gaby.Container) {
	if p, ok := h.provider.(interface {
		KeyOrder(root gaby.Value, path []string) []string
	}); ok {
		documents.OrderKeys(p.KeyOrder)
	}
}

// runOnDocuments runs the chain on documents that the caller has parsed.
func (h *FunctionHandler) runOnDocuments(r *run, documents gaby.Container) error {
	h.orderKeys(documents)
	documents, err := h.runSequentially(r, slices.Clone(documents), r.newHistory(documents))
	r.response.Documents = documents
	return err
}

// prepare looks up the functions, and checks and evaluates their arguments.
func (h *FunctionHandler) prepare(
	fc *api.FunctionContext, request *api.FunctionInvocationRequest, options Options,
) []step {
	steps := make([]step, len(request.FunctionInvocations))
	filters := request.NumFilters
	for i, invocation := range request.FunctionInvocations {
		s := &steps[i]
		s.index, s.name, s.invocation = i, invocation.FunctionName, invocation.Name
		s.spent = new(atomic.Int64)
		s.f, s.err = h.lookup(invocation.FunctionName)
		if s.err != nil {
			continue
		}
		if s.f.Validating && filters > 0 {
			s.filter = true
			filters--
		}
		problems := []error{s.f.mayRun(options.AllowExternal), s.prepare(fc, invocation)}
		var err error
		s.where, err = parseWhere(invocation.WhereResource)
		if i < len(options.Only) && options.Only[i] != nil {
			s.where = where.And(h.only(options.Only[i]), s.where)
		}
		s.err = errors.Join(append(problems, err)...)
	}
	setInput(steps, request.FileName)
	// What a step gets as other data depends on what the other steps expect, so all functions are
	// looked up before.
	sources := withLiveState(request)
	for i := range steps {
		if s := &steps[i]; s.err == nil {
			s.other = otherData(s.f, steps, sources)
		}
	}
	return steps
}

// withLiveState returns the other data of a request, including what older clients send as
// LiveState.
func withLiveState(request *api.FunctionInvocationRequest) map[string]api.Text {
	const name = "LiveState"
	if _, given := request.OtherData[name]; given || len(request.LiveState) == 0 {
		return request.OtherData
	}
	sources := map[string]api.Text{name: api.Text(request.LiveState)}
	maps.Copy(sources, request.OtherData)
	return sources
}

// prepare checks the arguments of a step, evaluates expressions among them and checks their values.
func (s *step) prepare(fc *api.FunctionContext, invocation api.FunctionInvocation) error {
	normalized, err := s.f.validate(invocation.Arguments)
	if err != nil {
		return err
	}
	s.args, err = s.f.evaluate(fc, invocation.Params, normalized)
	return err
}

// otherData returns the data a function expects: that of the first of its sources that was sent. A
// function without sources gets the only data that was sent, unless a function of the chain expects
// it by name.
func otherData(f *function, steps []step, sources map[string]api.Text) []byte {
	names := slices.Sorted(maps.Keys(sources))
	for _, source := range f.OtherDataExpected {
		for _, name := range names {
			if isSource(source, name) {
				return sources[name]
			}
		}
	}
	if len(f.OtherDataExpected) == 0 || len(names) != 1 {
		return nil
	}
	for i := range steps {
		other := steps[i].f
		if other != nil &&
			slices.ContainsFunc(other.OtherDataExpected,
				func(source string) bool { return isSource(source, names[0]) }) {
			return nil
		}
	}
	return sources[names[0]]
}

// isSource reports whether data with this name matches the source that a function expects. A source
// that ends in a colon matches all names that begin with it.
func isSource(source, name string) bool {
	return source == name || strings.HasSuffix(source, ":") && strings.HasPrefix(name, source)
}

// runSequentially runs one function after the other, each on all documents. This defines what a
// chain means; running it on parts must have the same result.
func (h *FunctionHandler) runSequentially(
	r *run, documents gaby.Container, done *history,
) (gaby.Container, error) {
	selection := r.newSelector(h.provider)
	documents.LimitGrowth(selection.grow)
	for i := range r.steps {
		s := &r.steps[i]
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if s.err != nil {
			r.refuse(s)
			if r.stop {
				break
			}
			continue
		}
		if s.late != nil {
			r.failed(s, stepResult{err: s.late})
			if r.stop {
				break
			}
			continue
		}
		// A function that fails must leave the documents as it found them. Taking the marks costs a
		// length per document; nothing is copied, because rollback undoes the journal of edits.
		marks := checkpoint(documents)
		res := s.apply(r.withSurvey(r.fc, s), selection, documents)
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if res.err != nil {
			rollback(documents, marks)
			r.failed(s, res)
			if r.stop {
				break
			}
			continue
		}
		documents = res.documents
		done.add(i, documents)
		if !r.succeeded(s, res) {
			break
		}
	}
	return documents, nil
}

// apply runs the function of a step on the documents it selects. Other documents keep their
// positions. The calls for all parts of the data have one limit of time. One that goes on ends the
// run: nothing else ends a match of a regular expression.
func (s *step) apply(
	fc *api.FunctionContext, selection *documentSelector, documents gaby.Container,
) (res stepResult) {
	fc = fc.WithContext(limit.Named(fc.Context(), func(err error) error {
		return failureOf(err, s.name, api.FailureFunction)
	}))
	cores := 1
	if IsPart(fc) {
		cores = parallel.Cores()
	}
	began := time.Now()
	left := limit.Of(fc.Context()).Time() - time.Duration(s.spent.Load()/int64(cores))
	err := limit.Timed(limit.Before(fc.Context(), began.Add(left)), func(ctx context.Context) {
		res = s.applyTimed(fc.WithContext(ctx), selection, documents)
	})
	s.spent.Add(int64(time.Since(began)))
	if err != nil && res.err == nil {
		res = stepResult{err: err}
	}
	return res
}

func (s *step) applyTimed(
	fc *api.FunctionContext, selection *documentSelector, documents gaby.Container,
) stepResult {
	selection.ctx = fc.Context()
	selected, err := documents, error(nil)
	if !s.f.WholeUnit {
		selected, err = selection.of(documents, s.where)
	}
	if err != nil {
		return stepResult{err: err}
	}
	if !IsPart(fc) || s.f.Join != nil { // other functions do not need the selection of a part
		fc = selection.withExcluded(fc, documents, selected, s.where)
	}
	res := s.call(s.withInput(fc), selection.provider, selected)
	if res.err == nil {
		res.err = selection.added(selected, res.documents)
	}
	if res.seen = len(selected); res.err == nil {
		res.documents = mergeBack(documents, selected, res.documents)
	}
	if expr := where.And(selection.where, s.where); res.seen == 0 && expr != nil {
		res.report.Nearest = nearestOf(selection.provider, expr, documents)
	}
	return res
}

// call runs the function of a step. The function gets a copy of the container, so that its changes
// to the list of documents can be discarded.
func (s *step) call(fc *api.FunctionContext, provider configkit.ResourceProvider,
	documents gaby.Container,
) (res stepResult) {
	defer func() {
		if p := recover(); p != nil {
			res.err = &PanicError{Function: s.name, Value: p, Stack: debug.Stack()}
		}
	}()
	fc = fc.WithReport(&res.report)
	// The journals are longer after an edit. That finds a function that changes the configuration
	// although its signature says it only reads, even if it changes a value and restores it.
	before := checkpoint(documents)
	res.documents, res.output, res.err = s.f.Function(fc, slices.Clone(documents), s.args, s.other)
	if res.documents == nil {
		res.documents = documents // getters of other systems return no documents
	}
	if pointer, ok := res.output.(*api.ValidationResult); ok && pointer != nil {
		res.output = *pointer
	}
	if res.err == nil {
		edited := !slices.Equal(checkpoint(documents), before)
		res.err = s.f.checkContract(res, edited || !slices.Equal(documents, res.documents))
		if res.err == nil && edited {
			outdated, problems := sops.Check(provider, documents, before)
			if res.err = errors.Join(problems...); outdated > 0 {
				n := sops.Outdated(outdated)
				fc.NoteSum(n.Lead, n.Count, n.Of, n.Message)
			}
		}
	}
	return res
}

// checkContract returns an error if the function did something that its signature rules out and on
// which callers rely.
func (f *function) checkContract(res stepResult, changed bool) error {
	switch {
	case slices.Contains(res.documents, nil):
		return errors.New("the function returned a document that is nil")
	case changed && !f.Mutating:
		return errors.New(
			"the function changed the configuration, but its signature does not say Mutating: true")
	case f.Validating && !combine(typeOfValue(res.output), api.OutputTypeValidationResult):
		return fmt.Errorf("the function is a validation, but its output is %T and not an "+
			"api.ValidationResult or a list of them", res.output)
	case res.output != nil && f.OutputInfo != nil && !mayBe(f.OutputInfo.OutputType, res.output):
		return &OutputTypeError{
			Function: f.name, Declared: f.OutputInfo.OutputType, Value: res.output,
		}
	}
	return nil
}

// checkpoint marks the current state of each document, so that rollback can restore it.
func checkpoint(documents gaby.Container) []gaby.Mark {
	marks := make([]gaby.Mark, len(documents))
	for i, d := range documents {
		marks[i] = d.Checkpoint()
	}
	return marks
}

// rollback undoes all edits since the marks were taken. It only restores the documents themselves,
// not the list of documents, of which every function gets a copy.
func rollback(documents gaby.Container, marks []gaby.Mark) {
	for i := range marks { // marks is empty if checkpoint itself panicked
		documents[i].Rollback(marks[i])
	}
}
