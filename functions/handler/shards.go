package handler

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// shardBytes is small enough to keep all cores busy until the end and to notice a cancellation soon, and large enough for
// the work of a function call (compiling its paths) not to count.
const shardBytes = 128 << 10

// shard is a part of the data and what became of it.
type shard struct {
	notes   []api.Note
	results []result // one per step; their documents are dropped once they are printed
	text    [][]byte // in pieces
	changed bool
	changes *ChangeCount
	steps   map[int][][]byte // see history

	mutations mutations
}

// shards are the parts of the data to run the chain on, nil unless running it on parts gives what running it on all does.
func (h *FunctionHandler) shards(r *run, data []byte) *gaby.Parts {
	converter, ok := h.converter.(configkit.PartConverter)
	if !ok || len(data) <= shardBytes || len(r.steps) == 0 {
		return nil
	}
	for i := range r.steps {
		s := &r.steps[i]
		if s.err != nil || s.filter || !s.f.PerDocument {
			return nil
		}
	}
	if parts := converter.NativeToParts(data, shardBytes); parts.Len() > 1 {
		return parts
	}
	return nil
}

// runShards runs the chain on parts of the data in parallel, each parsed and printed where it is worked on, so that only few of
// them take memory for their trees at a time. ok is false when anything failed; nothing is recorded then.
func (h *FunctionHandler) runShards(r *run, parts *gaby.Parts) (ok bool, err error) {
	shards := make([]shard, parts.Len())
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(shards)) {
		wg.Go(func() {
			var arena gaby.Arena // memory for one part after the other
			for !failed.Load() && r.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(shards) {
					return
				}
				if !h.runShard(r, parts, i, &arena, &shards[i]) {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	if failed.Load() || !r.joinShards(shards) {
		return false, nil
	}

	texts, changed := make([][][]byte, len(shards)), false
	for i := range shards {
		r.response.Notes = append(r.response.Notes, shards[i].notes...)
		changed = changed || shards[i].changed
		texts[i] = shards[i].text
	}
	if changed {
		r.setData(gaby.Join(texts))
		r.response.Changes = sumChanges(shards)
	}
	if r.mutations {
		all := make([]mutations, len(shards))
		for i := range shards {
			all[i] = shards[i].mutations
		}
		r.setMutations(all...)
	}
	if r.keepSteps {
		for i := range shards {
			texts[i] = [][]byte{parts.Text(i)}
		}
		r.setSteps(texts, func(i int) map[int][][]byte { return shards[i].steps })
	}
	for i := range r.steps {
		if !r.succeeded(&r.steps[i], mergeResults(shards, i, r.steps[i].f.RowsSorted)) {
			break
		}
	}
	return true, nil
}

func (h *FunctionHandler) runShard(r *run, parts *gaby.Parts, i int, arena *gaby.Arena, part *shard) (ok bool) {
	// A panic would end the process from this goroutine; the sequential run that follows meets it where it can be reported.
	defer func() { ok = recover() == nil && ok }()
	documents := parts.Parse(i, arena)
	part.notes = h.documentNotes(r, documents)
	done := r.newHistory(documents)
	var original gaby.Container
	if r.count {
		original = slices.Clone(documents)
	}
	selection := r.newSelection(h.provider)
	for i := range r.steps {
		var facts any
		res := r.steps[i].apply(inPart(r.fc, &facts), selection, documents)
		if res.err != nil {
			return false
		}
		res.facts = facts
		documents, res.documents = res.documents, nil
		done.add(i, documents)
		part.results = append(part.results, res)
	}
	if r.mutations {
		var err error
		if part.mutations.list, part.mutations.mutators, err = done.mutations(h.provider); err != nil {
			return false // the sequential run tells
		}
	}
	part.text = h.converter.(configkit.PartConverter).PartToNative(documents)
	part.changed = !gaby.SamePieces(part.text, parts.Text(i))
	part.changes = r.countChanges(original, documents)
	if r.keepSteps {
		part.steps, _ = done.texts(part.text, h.pieces)
	}
	return true
}

// sumChanges is nil when the changes of some part are not known.
func sumChanges(shards []shard) *ChangeCount {
	sum := &ChangeCount{}
	for i := range shards {
		c := shards[i].changes
		if c == nil {
			return nil
		}
		sum.Resources += c.Resources
		sum.Values += c.Values
	}
	return sum
}

// mergeResults puts together what one step made of all parts. The rows of sorted output are sorted in each part already.
func mergeResults(shards []shard, step int, sorted bool) result {
	var merged result
	var parts []any
	for i := range shards {
		res := &shards[i].results[step]
		merged.report.Notes = append(merged.report.Notes, res.report.Notes...)
		merged.report.Matches += res.report.Matches
		merged.report.Counted = merged.report.Counted || res.report.Counted
		merged.seen += res.seen
		if res.output != nil {
			parts = append(parts, res.output)
		}
	}
	merged.output = mergeOutputs(parts, sorted)
	return merged
}

// documentNotes notes the documents that functions skip because they are not resources, and those that seem to be two.
func (h *FunctionHandler) documentNotes(r *run, documents gaby.Container) []api.Note {
	var notes []api.Note
	for _, d := range documents {
		_, err := h.provider.ResourceNameGetter(d)
		if key, at := d.SecondHeader(); key != "" {
			notes = append(notes, api.Note{
				Pos:     at,
				Message: "a second " + key + " in one document: is the line --- in front of it missing?",
			})
		}
		if err == nil {
			continue
		}
		none, ok := errors.AsType[*configkit.NoResourceError](err)
		if !ok || none.Empty {
			continue // what cannot be read is told by the functions that try to
		}
		notes = append(notes, r.noResource(none))
	}
	return notes
}

// noResource notes a document that is no resource, and which functions look at it all the same.
func (r *run) noResource(none *configkit.NoResourceError) api.Note {
	note := api.Note{Kind: api.NoteSkippedDocument, Pos: none.Pos, Message: none.Error() + ", so it is skipped"}
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
		note.Message = none.Error() + ", so only these functions look at it: " + strings.Join(checks, ", ")
	}
	if len(checks) > 0 && !skips {
		note.Kind = api.NoteNamelessDocument
	}
	return note
}
