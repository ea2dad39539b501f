//go:build !race

package diff_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCostIsBounded checks that the time stays far below what n*n steps would take.
func TestCostIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	repeated := func(n, kinds int) (string, string) {
		r := newRandom(5)
		return numbered(r, n, kinds), numbered(r, n, kinds)
	}
	changed := func(change func(string) string) func(int) (string, string) {
		return func(n int) (string, string) {
			text := manifest(n/10, "3", nil)
			return text, change(text)
		}
	}
	for name, texts := range map[string]func(lines int) (before, after string){
		"one change each": changed(func(text string) string {
			return strings.ReplaceAll(text, "replicas: 3", "replicas: 5")
		}),
		"all lines changed": changed(func(text string) string {
			return strings.ReplaceAll(text, "\n", " #\n")
		}),
		"shuffled": changed(func(text string) string {
			return shuffled(newRandom(5), text)
		}),
		"reversed": changed(func(text string) string {
			lines := split(text)
			slices.Reverse(lines)
			return strings.Join(lines, "")
		}),
		"two kinds of lines":   func(n int) (string, string) { return repeated(n, 2) },
		"fifty kinds of lines": func(n int) (string, string) { return repeated(n, 50) },
		"many kinds of lines":  func(n int) (string, string) { return repeated(n, n/2) },
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(lines int) time.Duration {
				before, after := texts(lines)
				start := time.Now()
				patch := unified("x", before, after)
				took := time.Since(start)
				if have, _ := patched(t, before, patch); have != after {
					t.Errorf("the diff makes another text")
				}
				return took
			}
			const n = 6_000
			// Other load on the machine only makes a measurement worse, so one good one is proof.
			var small, large time.Duration
			for range 5 {
				small, large = measure(n), measure(8*n)
				if large <= 30*small || large <= 50*time.Millisecond {
					return
				}
			}
			t.Errorf("8 times the text takes %.1f times the time: %v, %v",
				float64(large)/float64(small), small, large)
		})
	}
}
