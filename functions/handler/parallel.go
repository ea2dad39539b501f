package handler

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// partBytes is the approximate size of a part. It is small enough to keep all cores busy until the
// end and to notice a cancellation soon, and large enough for the cost of a function call (which
// compiles its paths) not to matter.
const partBytes = 128 << 10

// errPart ends a run on parts that failed.
var errPart = errors.New("a part failed")

// unitPart is a part of the data and its results.
type unitPart struct {
	before []byte
	// original are the documents before the chain, and marks their state then.
	original  gaby.Container
	marks     []gaby.Mark
	resources int
	notes     []api.Note
	results   []stepResult // one per step, without their documents
	text      [][]byte     // in pieces
	changed   bool
	changes   *Changes
	late      error            // the limit of time that the step after the last of results reached
	steps     map[int][][]byte // see history
	lines     []ResourceLine   // before the chain

	mutations api.ResourceMutationList
	every     api.ResourceMutationList // those, and entries for the other resources
	mutators  []int
}

// split splits the data into the parts to run the chain on. It returns nil if the chain has to run
// on all of the data, or if there would be only one part.
func (h *FunctionHandler) split(r *run, data []byte) *gaby.Parts {
	converter, ok := h.converter.(configkit.PartConverter)
	if !ok || len(data) <= partBytes || len(r.steps) == 0 {
		return nil
	}
	for i := range r.steps {
		s := &r.steps[i]
		if s.err != nil || s.filter || !s.f.PerDocument {
			return nil
		}
	}
	if parts := converter.NativeToParts(data, partBytes); parts.Len() > 1 {
		return parts
	}
	return nil
}

// runParallel runs the chain on parts of the data in parallel. Each worker parses and prints its
// parts itself, so that only a few syntax trees are in memory at a time. ok is false if anything
// failed; then nothing is recorded.
//
// The result must be byte for byte that of runSequentially. That holds because only functions that
// are PerDocument run here: what they do to a document depends on no other document. A failure does
// depend on others (rollback, --stop, and the order of messages), so the run is then repeated
// sequentially instead of deriving the same messages a second way.
func (h *FunctionHandler) runParallel(r *run, parts *gaby.Parts) (ok bool, err error) {
	finished := make([]unitPart, parts.Len())
	arenas := make(chan *gaby.Arena, parallel.Cores()) // reused for one part after another
	for range cap(arenas) {
		arenas <- &gaby.Arena{}
	}
	failed := parallel.Each(r.ctx, len(finished), cap(arenas), func(i int) error {
		arena := <-arenas
		defer func() { arenas <- arena }()
		if !h.runPart(r, parts, i, arena, &finished[i]) {
			return errPart
		}
		return nil
	})
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	if failed != nil || !r.joinParts(finished) {
		r.takeLimits(finished)
		return false, nil
	}
	for i := range finished {
		r.response.Notes = append(r.response.Notes, finished[i].notes...)
	}
	r.record(finished)
	for i := range r.steps {
		if !r.succeeded(&r.steps[i], mergeResults(finished, i, r.steps[i].f.RowsSorted)) {
			break
		}
	}
	return true, nil
}

// takeLimits makes the sequential run that follows report the limit of time that a step has reached
// where it reached it, and gives all other steps the whole time again.
func (r *run) takeLimits(parts []unitPart) {
	for i := range parts {
		if late := len(parts[i].results); parts[i].late != nil && r.steps[late].late == nil {
			r.steps[late].late = parts[i].late
		}
	}
	for i := range r.steps {
		r.steps[i].spent.Store(0)
	}
}

// runPart runs the chain on part i and stores the results in part. It reports false if a step
// failed or panicked.
func (h *FunctionHandler) runPart(
	r *run, parts *gaby.Parts, i int, arena *gaby.Arena, part *unitPart,
) (ok bool) {
	// A panic in this goroutine would end the process. The sequential run that follows meets it
	// again where it can be reported.
	defer func() { ok = recover() == nil && ok }()
	documents := parts.Parse(i, arena)
	h.orderKeys(documents)
	part.before = parts.Text(i)
	h.begin(r, part, documents)
	done := r.newHistory(documents)
	selection := r.newSelector(h.provider)
	documents.LimitGrowth(selection.grow)
	for i := range r.steps {
		var facts any
		fc := r.withSurvey(inPart(r.fc, &facts), &r.steps[i])
		res := r.steps[i].apply(fc, selection, documents)
		if res.err != nil {
			if e, ok := errors.AsType[*limit.Error](res.err); ok && e.Time > 0 {
				part.late = res.err
			}
			return false
		}
		res.facts = facts
		documents, res.documents = res.documents, nil
		done.add(i, documents)
		part.results = append(part.results, res)
	}
	// the sequential run reports an error
	return r.finishPart(part, h.provider, documents, done) == nil
}

// begin records the documents of a part before the chain.
func (h *FunctionHandler) begin(r *run, p *unitPart, documents gaby.Container) {
	p.original = slices.Clone(documents)
	if r.compares {
		p.marks = checkpoint(documents)
	}
	p.notes, p.resources = h.documentNotes(r, documents)
	if r.keepSteps {
		p.lines = ResourceLines(documents, h.provider)
	}
}

// finishPart prints the documents of a part, and finds out what the chain did to them.
func (r *run) finishPart(
	p *unitPart, provider configkit.ResourceProvider, documents gaby.Container, done *history,
) (err error) {
	if r.mutations {
		if p.mutations, p.mutators, err = done.mutations(provider); err != nil {
			return err
		}
	}
	if r.everyResource {
		if p.every, err = everyResource(p.mutations, documents, provider); err != nil {
			return err
		}
	}
	p.changes = r.compare(p, provider, documents)
	original := p.original
	p.original, p.marks = nil, nil // the memory of a part is used again for the next
	// An unchanged part is not printed: its text is already known, and most parts are unchanged.
	if !documents.Changed() && slices.Equal(documents, original) {
		p.text = [][]byte{p.before}
		return nil
	}
	if p.text, err = r.print(documents); err != nil {
		return err
	}
	p.changed = !gaby.SameChunks(p.text, p.before)
	if r.keepSteps {
		p.steps, _ = done.texts(p.text, r.print) // with an error the steps are unknown
	}
	return nil
}

// print prints documents in pieces.
func (r *run) print(documents gaby.Container) ([][]byte, error) {
	if c, ok := r.converter.(configkit.PartConverter); ok {
		return c.PartToNative(documents), nil
	}
	text, err := r.converter.DocumentsToNative(documents)
	return [][]byte{text}, err
}

// record records the data, the changes, the mutations and the steps of all parts of the data.
func (r *run) record(parts []unitPart) {
	texts, changed := make([][][]byte, len(parts)), false
	for i := range parts {
		texts[i], changed = parts[i].text, changed || parts[i].changed
		r.response.Resources += parts[i].resources
	}
	if changed {
		r.response.Parts, r.response.Changed = gaby.Join(texts), true
		r.response.Changes = &Changes{}
		for i := range parts {
			if parts[i].changes == nil {
				r.response.Changes = nil
				break
			}
			r.response.Changes.add(parts[i].changes)
		}
	}
	if r.mutations {
		r.setMutations(parts)
	}
	if r.keepSteps {
		r.setSteps(parts)
		for i := range parts {
			r.response.Lines = append(r.response.Lines, parts[i].lines...)
		}
	}
}

// mergeResults combines the results of one step for all parts. Rows to be sorted are already sorted
// within each part.
func mergeResults(finished []unitPart, step int, sorted bool) stepResult {
	var merged stepResult
	var parts []any
	for i := range finished {
		res := &finished[i].results[step]
		merged.report.Notes = append(merged.report.Notes, res.report.Notes...)
		merged.report.Matches += res.report.Matches
		merged.report.Nearest = cmp.Or(merged.report.Nearest, res.report.Nearest)
		merged.report.Missing = cmp.Or(merged.report.Missing, res.report.Missing)
		merged.report.Counted = merged.report.Counted || res.report.Counted
		merged.seen += res.seen
		if res.output != nil {
			parts = append(parts, res.output)
		}
	}
	merged.output = mergeOutputs(parts, sorted)
	return merged
}

// documentNotes counts the resources, and reports documents that functions skip because they are
// not resources, and documents that seem to be two.
func (h *FunctionHandler) documentNotes(
	r *run, documents gaby.Container,
) (notes []api.Note, resources int) {
	for _, d := range documents {
		_, err := h.provider.ResourceNameGetter(d)
		if key, at := d.SecondHeader(); key != "" {
			notes = append(notes, api.Note{
				Pos: at,
				Message: "a second " + key +
					" in one document: is the line --- before it missing?",
			})
		}
		if err == nil {
			resources++
			continue
		}
		none, ok := errors.AsType[*configkit.NoResourceError](err)
		if !ok || none.Empty {
			continue // functions that try to read the document report other errors
		}
		notes = append(notes, r.noResource(none))
	}
	return notes, resources
}

// noResource reports a document that is not a resource, and which functions look at it
// nevertheless.
func (r *run) noResource(none *configkit.NoResourceError) api.Note {
	note := api.Note{
		Kind: api.NoteSkippedDocument, Pos: none.Pos, Message: none.Note(),
	}
	if none.Info == nil {
		return note
	}
	var checks []string
	skips := false
	for i := range r.steps {
		switch s := &r.steps[i]; {
		case s.f == nil || !s.f.Nameless:
			skips = true
		case !slices.Contains(checks, s.name):
			checks = append(checks, s.name)
		}
	}
	if len(checks) > 0 {
		note.Message = none.Error() + ", so only these functions look at it: " +
			strings.Join(checks, ", ")
	}
	if len(checks) > 0 && !skips {
		note.Kind = api.NoteNamelessDocument
	}
	return note
}
