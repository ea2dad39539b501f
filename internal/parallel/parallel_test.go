package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/parallel"
)

// TestEach checks that every number is worked on once, and never more than the limit at a time.
func TestEach(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 100} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			const n = 50
			var calls [n]atomic.Int32
			var now, most atomic.Int32
			err := parallel.Each(t.Context(), n, limit, func(i int) error {
				for running := now.Add(1); running > most.Load(); {
					most.Store(running)
				}
				calls[i].Add(1)
				time.Sleep(time.Microsecond)
				now.Add(-1)
				return nil
			})
			if err != nil || int(most.Load()) > max(limit, 1) {
				t.Errorf("%v, %d at a time", err, most.Load())
			}
			for i := range calls {
				if calls[i].Load() != 1 {
					t.Errorf("%d calls for %d", calls[i].Load(), i)
				}
			}
		})
	}
}

// TestTheLowestError checks that the error does not depend on the order in which calls end.
func TestTheLowestError(t *testing.T) {
	for range 100 {
		var last atomic.Int32
		err := parallel.Each(t.Context(), 1000, 4, func(i int) error {
			last.Store(int32(i))
			switch i {
			case 5:
				time.Sleep(time.Millisecond)
				return errors.New("five")
			case 6, 7:
				return errors.New("later")
			}
			return nil
		})
		if err == nil || err.Error() != "five" || last.Load() > 20 {
			t.Fatalf("%v, %d was begun", err, last.Load())
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := parallel.Each(ctx, 10, 1, func(i int) error {
		if calls++; i == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
