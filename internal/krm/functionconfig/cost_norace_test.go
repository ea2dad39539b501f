//go:build linux && !race

package functionconfig

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCostOfFind looks up 1,000,000 images a second on one core in 10,000 FunctionConfigs. It
// measures the time of the processor, several times if need be, because the machine may be busy.
func TestCostOfFind(t *testing.T) {
	const lookups, runs, limit = 100_000, 10, time.Microsecond
	cache := NewCache(many(t, 10_000))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range []struct{ name, format string }{
		{"exact", "registry.example:5000/functions/function-%d:v0.2.3"},
		{"constraint", "function-%d:v0.4.7"},
		{"unlisted", "gcr.io/kpt-fn/function-%d:v9.1"},
		{"unknown", "registry.example:5000/functions/other-%d:v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			images := make([]string, 10_000)
			for i := range images {
				images[i] = fmt.Sprintf(c.format, i*7919%len(images))
			}
			best := time.Hour
			for range runs {
				began := used(t)
				for i := range lookups {
					if _, err := cache.Set().Find(
						Lookup{Image: images[i%len(images)]}); err != nil {
						t.Fatal(err)
					}
				}
				if best = min(best, (used(t)-began)/lookups); best <= limit {
					break
				}
			}
			t.Logf("%s: %v", c.name, best)
			if best > limit {
				t.Errorf("%s: %v for one, want at most %v", c.name, best, limit)
			}
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
