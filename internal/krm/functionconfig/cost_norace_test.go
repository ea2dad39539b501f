//go:build linux && !race

package functionconfig

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCostOfFind checks that to look up an image among 10,000 functions costs about as much as among
// 100. It compares the time of the processor, several times if need be, because the machine may be
// busy.
func TestCostOfFind(t *testing.T) {
	const lookups, runs, ratio = 50_000, 10, 3
	few, all := NewCache(many(t, 100)), NewCache(many(t, 10_000))
	for _, c := range []struct{ name, format string }{
		{"exact", "registry.example:5000/functions/function-%d:v0.2.3"},
		{"constraint", "function-%d:v0.4.7"},
		{"unlisted", "gcr.io/kpt-fn/function-%d:v9.1"},
		{"unknown", "registry.example:5000/functions/other-%d:v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			cost := func(cache *Cache) time.Duration {
				began := used(t)
				for i := range lookups {
					image := fmt.Sprintf(c.format, i%100)
					if _, err := cache.Set().Find(Lookup{Image: image}); err != nil {
						t.Fatal(err)
					}
				}
				return used(t) - began
			}
			least, most := time.Hour, time.Hour
			for range runs {
				least, most = min(least, cost(few)), min(most, cost(all))
				if most <= ratio*least {
					return
				}
			}
			t.Errorf("%v among 10,000, %v among 100", most, least)
		})
	}
}

// used returns the time that the processor has worked for this thread.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
