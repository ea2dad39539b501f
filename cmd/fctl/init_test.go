package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// maxInit is what the initialisation of one package may cost, in milliseconds.
const maxInit = 0.3

// TestInitCost runs the binary with the runtime's own account of package
// initialisation. A busy machine makes a run slow but never a slow package
// fast, so the best of several runs counts.
func TestInitCost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	binary := filepath.Join(t.TempDir(), "fctl")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	best := map[string]float64{}
	for range 15 {
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
	if len(best) < 5 {
		t.Fatalf("the trace has only %d packages", len(best))
	}
	for _, pkg := range tooDear(best) {
		t.Errorf("the init of %s costs %.3f ms, at most %.1f are allowed", pkg, best[pkg], maxInit)
	}
}

func tooDear(costs map[string]float64) []string {
	var found []string
	for pkg, ms := range costs {
		if ms > maxInit {
			found = append(found, pkg)
		}
	}
	return found
}

// initCosts reads lines such as
//
//	init net/http @3.2 ms, 0.071 ms clock, 9968 bytes, 140 allocs
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

func TestADearInitIsSeen(t *testing.T) {
	costs := initCosts("init a @0.1 ms, 0.29 ms clock, 1 bytes, 1 allocs\ninit b/c @0.4 ms, 0.31 ms clock, 1 bytes, 1 allocs\nnoise\n")
	if got := tooDear(costs); len(costs) != 2 || len(got) != 1 || got[0] != "b/c" {
		t.Errorf("got %v of %v", got, costs)
	}
}
