package exceptions

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Baseline is a list of accepted findings. It is safe for concurrent use.
type Baseline struct {
	dir string // what files are relative to

	mu      sync.Mutex
	entries map[Finding]*acceptedFinding // by key
	found   []Finding                    // what Add was called with
	kept    []acceptedFinding            // by Keep
}

// acceptedFinding is a finding that a baseline accepts.
type acceptedFinding struct {
	finding Finding
	pos     api.Position
	count   int // how often it is accepted
	used    int // how often it was found
}

// New returns an empty baseline that belongs to the file at path.
func New(path string) *Baseline {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		dir = filepath.Dir(path)
	}
	return &Baseline{dir: dir, entries: map[Finding]*acceptedFinding{}}
}

// Read parses the baseline at path. The error is a diag.List with everything that is wrong.
func Read(path string, text []byte) (*Baseline, error) {
	b := New(path)
	r := &strict.Reader{File: diag.FileName(path)}
	list := r.Document(text)
	list.Path = "a baseline"
	for item := range list.List() {
		item.Path = ""
		e := &acceptedFinding{count: 1, pos: item.InFile()}
		if !item.Object("a finding", append(e.finding.texts(), strict.Field{
			Name: "count", Read: func(v strict.Value) {
				if e.count = v.Int(); e.count < 1 {
					v.Must("a positive number", "")
				}
			},
		})...) {
			continue
		}
		if known := b.entries[e.finding.Key()]; known != nil {
			known.count += e.count
		} else {
			b.entries[e.finding.Key()] = e
		}
	}
	return b, diag.List(r.Failures()).Err()
}

// texts returns the fields that an entry has beside its count.
func (f *Finding) texts() []strict.Field {
	return []strict.Field{
		strict.Need(strict.Text("file", &f.File)), strict.Text("resource", &f.Resource),
		strict.Need(strict.Text("rule", &f.Rule)), strict.Text("path", &f.Path),
		strict.Text("message", &f.Message),
	}
}

// File returns the name that a file has in the baseline: relative to its directory.
func (b *Baseline) File(path string) string {
	if path == "-" {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(b.dir, abs)
	if err != nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// Accepts reports whether a finding is in the baseline. An entry accepts as many findings as its
// count says.
func (b *Baseline) Accepts(f Finding) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[f.Key()]
	if e == nil || e.used >= e.count {
		return false
	}
	e.used++
	return true
}

// Has reports whether a finding is in the baseline, without counting it.
func (b *Baseline) Has(f Finding) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.entries[f.Key()] != nil
}

// Add adds a finding, for Text.
func (b *Baseline) Add(f Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found = append(b.found, f)
}

// Keep keeps the entries that were read and that are not among the findings added, unless seen
// reports that they would have been found. It returns the number of their findings.
func (b *Baseline) Keep(seen func(Finding) bool) (kept int) {
	counts := map[Finding]int{}
	for _, f := range b.found {
		counts[f.Key()]++
	}
	for key, e := range b.entries {
		if seen(e.finding) {
			continue
		}
		if more := e.count - counts[key]; more > 0 {
			b.kept = append(b.kept, acceptedFinding{finding: e.finding, count: more})
			kept += more
		}
	}
	return kept
}

// Unused returns a note for each entry that matched fewer findings than its count, in the order of
// the file. seen reports whether the validation of the entry ran on its file; other entries are
// skipped.
func (b *Baseline) Unused(seen func(Finding) bool) []api.Note {
	var unused []*acceptedFinding
	for _, e := range b.entries {
		if e.used < e.count && seen(e.finding) {
			unused = append(unused, e)
		}
	}
	slices.SortFunc(
		unused,
		func(x, y *acceptedFinding) int { return cmp.Compare(x.pos.Line, y.pos.Line) },
	)
	notes := make([]api.Note, len(unused))
	for i, e := range unused {
		what := "no finding matches this entry"
		if e.used > 0 {
			what = fmt.Sprintf("%d findings match this entry, not %d", e.used, e.count)
		}
		notes[i] = api.Note{Pos: e.pos, Message: what + "; --write-baseline writes the file again"}
	}
	return notes
}

// Text returns the findings added and kept as the text of a baseline, and the number of those added.
func (b *Baseline) Text() (text []byte, n int, err error) {
	counts := map[Finding]int{}
	first := map[Finding]Finding{}
	for _, f := range b.found {
		if counts[f.Key()] == 0 {
			first[f.Key()] = f
		}
		counts[f.Key()]++
	}
	for _, e := range b.kept {
		first[e.finding.Key()] = e.finding
		counts[e.finding.Key()] += e.count
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Resource, y.Resource),
			cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Path, y.Path),
			cmp.Compare(x.Message, y.Message))
	})
	out := []byte("# Findings that 'fctl vet --baseline' accepts. --write-baseline writes this " +
		"file.\n")
	if len(keys) == 0 {
		return append(out, "[]\n"...), 0, nil
	}
	for _, k := range keys {
		f := first[k]
		fields := f.texts()
		item := gaby.Entries{}
		for i, value := range []string{f.File, f.Resource, f.Rule, f.Path, f.Message} {
			if value != "" {
				item = append(item, gaby.Entry{Key: fields[i].Name, Value: value})
			}
		}
		if counts[k] > 1 {
			item = append(item, gaby.Entry{Key: "count", Value: counts[k]})
		}
		yaml, err := expression.YAML([]any{item})
		if err != nil {
			return nil, 0, err
		}
		out = append(append(out, yaml...), '\n')
	}
	return out, len(b.found), nil
}
