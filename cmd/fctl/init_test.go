package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// maxInit is the limit for the initialisation of one package in milliseconds, on a machine where
// that of testdata/yardstick takes yardstick milliseconds.
const (
	maxInit   = 0.3
	yardstick = 0.13
)

// TestInitCost runs the binary with the runtime's trace of package initialisation, alternating with
// a program whose init is constant work. Load on the machine only makes runs slower, so the best of
// many runs counts. On a slow machine the limit is higher.
func TestInitCost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	best, measure := map[string]float64{}, map[string]float64{}
	run, runYardstick := tracer(t, "."), tracer(t, "./testdata/yardstick")
	for range 40 {
		run(best)
		runYardstick(measure)
	}
	if len(best) < 5 || measure["main"] == 0 {
		t.Fatalf("the traces have %d packages and %v", len(best), measure)
	}
	limit := maxInit * max(1, measure["main"]/yardstick)
	for _, pkg := range tooExpensive(best, limit) {
		t.Errorf("the init of %s costs %.3f ms, at most %.3f are allowed", pkg, best[pkg], limit)
	}
}

// tracer builds a program. The function it returns runs it, and updates best with the minimum time
// of each package's init in milliseconds.
func tracer(t *testing.T, dir string) func(best map[string]float64) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, dir).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(best map[string]float64) {
		cmd := exec.Command(binary, "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace strings.Builder
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, trace.String())
		}
		for pkg, ms := range initCosts(trace.String()) {
			if known, ok := best[pkg]; !ok || ms < known {
				best[pkg] = ms
			}
		}
	}
}

func tooExpensive(costs map[string]float64, limit float64) []string {
	var found []string
	for pkg, ms := range costs {
		if ms > limit {
			found = append(found, pkg)
		}
	}
	return found
}

// initCosts parses lines such as
//
//	init net/http @3.2 ms, 0.071 ms clock, 9968 bytes, 140 allocs
//
// and returns the time of each package in milliseconds.
func initCosts(trace string) map[string]float64 {
	costs := map[string]float64{}
	for line := range strings.Lines(trace) {
		words := strings.Fields(line)
		if len(words) < 7 || words[0] != "init" || words[6] != "clock," {
			continue
		}
		if ms, err := strconv.ParseFloat(words[4], 64); err == nil {
			costs[words[1]] = ms
		}
	}
	return costs
}

func TestAnExpensiveInitIsFound(t *testing.T) {
	costs := initCosts("init a @0.1 ms, 0.29 ms clock, 1 bytes, 1 allocs\n" +
		"init b/c @0.4 ms, 0.31 ms clock, 1 bytes, 1 allocs\nnoise\n")
	if got := tooExpensive(costs, maxInit); len(costs) != 2 || len(got) != 1 || got[0] != "b/c" {
		t.Errorf("got %v of %v", got, costs)
	}
}
