//go:build unix && !race

package propagate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// cost returns the least processor time of several runs: what else runs on the machine only adds
// to it.
func cost(t *testing.T, runs int, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	least := time.Hour
	for range runs {
		start := used()
		do()
		least = min(least, used()-start)
	}
	return least
}

// look opens a workspace without the lock and runs a wave that is never committed.
func look(
	t *testing.T, dir string, run func(*workspace.Workspace, *propagate.Propagator) []propagate.UnitResult,
) []propagate.UnitResult {
	t.Helper()
	s, err := workspace.Open(t.Context(), dir, workspace.OpenOptions{Write: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read
	w, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return run(w, &propagate.Propagator{
		Workspace: w, Tx: s.Begin(""), Functions: always(functions.NewStandardExecutor()),
	})
}

// parse reads and parses files: definitions, data and recorded state. It returns their number.
func parse(t *testing.T, dir string, is func(name string) bool) (parsed int) {
	t.Helper()
	converter, err := functions.NewStandardExecutor().Converter(api.ToolchainKubernetesYAML)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !is(name) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parsed++
		source := entity.Text{File: name, Bytes: text}
		switch {
		case e.Name() == "unit.yaml":
			err = entity.Decode(source, &entity.Unit{})
		case filepath.Ext(name) == ".json":
			var state any
			err = json.Unmarshal(text, &state)
		case filepath.Base(filepath.Dir(name)) == "links":
			err = entity.Decode(source, &entity.Link{})
		case e.Name() == "data.yaml" || e.Name() == "data":
			var docs gaby.Container
			docs, err = converter.NativeToDocuments(text)
			for _, doc := range docs {
				err = cmp.Or(err, doc.Check())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestCostAgainstParsing compares the processor time of work on a workspace with that of reading
// and parsing its files, in one run: absolute times say little on another machine.
//
// A plan without changes compares stamps and hashes and parses nothing. A change of one upstream
// costs a multiple of parsing the files of its downstreams that does not depend on their number.
func TestCostAgainstParsing(t *testing.T) {
	multiples := func(units int) (idle, change float64) {
		dir := big(t, units)
		if n := resolveAll(t, dir); n != units {
			t.Fatal(n)
		}
		time.Sleep(100 * time.Millisecond) // stamps of younger files are not trusted
		writeIndex(t, dir)
		files := 0
		all := cost(t, 5, func() {
			files = parse(t, dir, func(name string) bool {
				return !strings.Contains(name, "revisions") || filepath.Base(name) == "data"
			})
		})
		plan := cost(t, 5, func() {
			results := look(t, dir, func(w *workspace.Workspace, r *propagate.Propagator) []propagate.UnitResult {
				return runWave(t, w, r, propagate.ChangedUnits{}, propagate.Wave{Stale: true, All: true})
			})
			if len(results) > 0 {
				t.Fatal(results)
			}
		})
		touched := cost(t, 5, func() {
			parse(t, dir, func(name string) bool { return strings.Contains(name, "/u") })
		})
		var follow time.Duration
		_ = look(t, dir, func(w *workspace.Workspace, r *propagate.Propagator) []propagate.UnitResult {
			u, err := w.Unit("s", "ns")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Tx.Record(r, u, []byte("apiVersion: v1\nkind: Namespace\n"+
				"metadata: {name: other}\n"), entity.SourceUpdate, "", entity.Mutation{},
				false); err != nil {
				t.Fatal(err)
			}
			var results []propagate.UnitResult
			follow = cost(t, 1, func() {
				results = runWave(t, w, r, propagate.ChangedUnits{
					Revised: map[*workspace.Unit]bool{u: true},
				}, propagate.Wave{Propagate: true})
			})
			if len(results) != units-2 {
				t.Fatalf("%d results", len(results))
			}
			return results
		})
		idle, change = plan.Seconds()/all.Seconds(), follow.Seconds()/touched.Seconds()
		t.Logf("%d units: reading and parsing %d files %v, a plan without changes %v: %.2f times",
			units, files, all, plan, idle)
		t.Logf("%d units: parsing the downstreams %v, a change of their upstream %v: %.1f times",
			units, touched, follow, change)
		return idle, change
	}
	_, small := multiples(250)
	units := 1000
	if os.Getenv("LONG") != "" {
		units = 10_000
	}
	idle, large := multiples(units)
	if idle > 0.5 {
		t.Errorf("a plan without changes costs %.2f times reading and parsing the workspace", idle)
	}
	if large > 2*small || large > 6 {
		t.Errorf("a change costs %.1f times parsing %d units, %.1f times for 250 units", large,
			units, small)
	}
}

func runWave(t *testing.T, w *workspace.Workspace, r *propagate.Propagator, c propagate.ChangedUnits, s propagate.Wave,
) []propagate.UnitResult {
	t.Helper()
	if _, err := r.Tx.Edits(r, w.Units, false); err != nil {
		t.Fatal(err)
	}
	results, err := r.Run(context.Background(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// writeIndex writes the index of a workspace.
func writeIndex(t *testing.T, dir string) {
	t.Helper()
	s, err := workspace.Open(t.Context(), dir, workspace.OpenOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing is left to write
	w, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin("").Edits(&propagate.Propagator{}, w.Units, true); err != nil {
		t.Fatal(err)
	}
	w.WriteIndex()
}
