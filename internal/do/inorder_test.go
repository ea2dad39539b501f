package do

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestInOrder runs in a bubble, where time passes only while all goroutines wait, so that work
// takes exactly as long as it sleeps.
func TestInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, aheadUnits, 3*aheadUnits + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var taken []int
				var taking atomic.Bool
				inOrder(t.Context(), n, func(i int, admit func(int64)) int {
					admit(rand.Int64N(2 * aheadBytes / 3))
					time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
					return i
				}, func(i int) {
					if taking.Swap(true) {
						t.Error("two are taken at a time")
					}
					time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
					taking.Store(false)
					taken = append(taken, i)
				})
				if len(taken) != n {
					t.Errorf("%d of %d are taken", len(taken), n)
				}
				for i, got := range taken {
					if got != i {
						t.Fatalf("number %d is %d", i, got)
					}
				}
			})
		})
	}
}

// TestInOrderIsBounded checks how far work runs ahead, however long the first unit takes.
func TestInOrderIsBounded(t *testing.T) {
	for _, size := range []int64{1, aheadBytes / 10, aheadBytes, 3 * aheadBytes} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var units, bytes, most, mostUnits atomic.Int64
				inOrder(t.Context(), 3*aheadUnits, func(i int, admit func(int64)) int {
					admit(size)
					most.Store(max(most.Load(), bytes.Add(size)))
					mostUnits.Store(max(mostUnits.Load(), units.Add(1)))
					if i%aheadUnits == 0 {
						time.Sleep(time.Hour)
					}
					return i
				}, func(int) {
					bytes.Add(-size)
					units.Add(-1)
				})
				// The next unit to be taken is always admitted, and comes on top of the limit.
				if most.Load() > aheadBytes+size || mostUnits.Load() > aheadUnits {
					t.Errorf("%d bytes of %d units were in memory", most.Load(), mostUnits.Load())
				}
			})
		})
	}
}

// TestInOrderInterrupted checks that work begun before an interrupt is taken, and that no more work
// is begun.
func TestInOrderInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun, taken := atomic.Int64{}, 0
		inOrder(ctx, 100, func(i int, _ func(int64)) int {
			begun.Add(1)
			if i == 10 {
				cancel()
			}
			time.Sleep(time.Millisecond)
			return i
		}, func(int) { taken++ })
		if int64(taken) != begun.Load() || taken < 11 || taken > 50 {
			t.Errorf("%d of %d are taken", taken, begun.Load())
		}
	})
}
