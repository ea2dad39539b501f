package propagate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// big makes a workspace of n units: a Namespace and a Profile, and Deployments that have a link of
// the type NeedsProvides to the one and TransformPaths to the other.
func big(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	unit := func(name, data string) {
		write("spaces/s/units/"+name+"/unit.yaml", "ToolchainType: Kubernetes/YAML\n")
		write("spaces/s/units/"+name+"/data.yaml", data)
	}
	write(workspace.Marker, "DefaultSpace: s\n")
	write("spaces/s/space.yaml", "{}\n")
	unit("ns", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
	unit("profile", "apiVersion: example.com/v1\nkind: Profile\nmetadata: {name: main}\n"+
		"spec: {replicas: 3}\n")
	for i := range n - 2 {
		unit(fmt.Sprintf("u%d", i), fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: app%d
  namespace: confighubplaceholder
spec:
  replicas: 1 # one is enough
  template:
    spec:
      containers:
      - name: app
        image: ghcr.io/acme/app:1.0
`, i))
		write(fmt.Sprintf("spaces/s/links/u%d-ns.yaml", i),
			fmt.Sprintf("FromUnit: u%d\nToUnit: ns\nAutoUpdate: true\n", i))
		write(fmt.Sprintf("spaces/s/links/u%d-profile.yaml", i), fmt.Sprintf(`FromUnit: u%d
ToUnit: profile
UpdateType: TransformPaths
AutoUpdate: true
UpstreamPaths:
- {Name: replicas, Resource: {ResourceType: example.com/v1/Profile}, Path: spec.replicas}
DownstreamPaths:
- Resource: {ResourceType: apps/v1/Deployment}
  Path: spec.replicas
  Evaluator: cel
  Expression: params.replicas * 2
  Parameters: [replicas]
  DataType: int
`, i))
	}
	return dir
}

// BenchmarkFirstResolve resolves two links of each unit for the first time, and commits. The time
// for each unit must not grow with their number.
func BenchmarkFirstResolve(b *testing.B) {
	for _, n := range []int{500, 2000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				dir := big(b, n)
				b.StartTimer()
				if got := resolveAll(b, dir); got != n {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/unit")
		})
	}
}

// always returns a function that returns an executor.
func always(x *functions.Executor) func() (*functions.Executor, error) {
	return func() (*functions.Executor, error) { return x, nil }
}

// resolveAll resolves all stale links of a workspace. It returns the number of units with a
// revision.
func resolveAll(t testing.TB, dir string) int {
	t.Helper()
	s, err := workspace.Open(context.Background(), dir, workspace.OpenOptions{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the lock ends with the process at the latest
	s.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	w, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := &propagate.Propagator{
		Workspace: w, Tx: s.Begin("resolve"), Functions: always(functions.NewStandardExecutor()),
	}
	if _, err := r.Tx.Edits(r, w.Units, false); err != nil {
		t.Fatal(err)
	}
	results, err := r.Run(context.Background(), propagate.ChangedUnits{}, propagate.Wave{
		Stale: true, All: true, Explicit: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
	}
	revised := len(r.Tx.Revised)
	if err := r.Tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	return revised
}

// TestSameBytes resolves one workspace several times: with files that were made in another order,
// on one processor and on several. All files are the same afterwards.
func TestSameBytes(t *testing.T) {
	const units = 80
	origin := big(t, units)
	names := filesOf(t, origin)
	var want map[string]string
	for _, row := range []struct {
		name       string
		processors int
		backwards  bool
	}{
		{"one processor", 1, false},
		{"many processors", 8, false},
		{"files made backwards", 3, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			order := slices.Sorted(maps.Keys(names))
			if row.backwards {
				slices.Reverse(order)
			}
			dir := t.TempDir()
			for _, name := range order {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(names[name]), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(row.processors))
			if n := resolveAll(t, dir); n != units {
				t.Fatal(n)
			}
			got := filesOf(t, dir)
			if len(got) < 10*units {
				t.Fatalf("only %d files", len(got))
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// filesOf returns the files of a workspace by name.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, relErr := filepath.Rel(dir, path)
		files[name] = string(data)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
