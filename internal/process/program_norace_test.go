//go:build !race

package process

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestE7WholeGroupIsKilled checks that children of the function end with it, on a timeout, when the
// caller gives up, and when the function ended by itself.
func TestE7WholeGroupIsKilled(t *testing.T) {
	needUnix(t)
	for name, c := range map[string]struct {
		script string
		limit  time.Duration
		cancel bool
	}{
		"timeout":   {"sleep 61 & echo $!; wait", 300 * time.Millisecond, false},
		"cancelled": {"sleep 61 & echo $!; wait", 0, true},
		"ended":     {"sleep 61 & echo $!", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			start := time.Now()
			out, err := (&Program{Path: script(t, c.script)}).Run(ctx,
				Call{Dir: t.TempDir(), Limits: Limits{Time: c.limit}})
			if time.Since(start) > 10*time.Second {
				t.Error("the call waited for a child")
			}
			if c.cancel && !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v", err)
			}
			child := strings.TrimSpace(string(out.Stdout))
			if child == "" {
				t.Fatalf("the function did not print its child: %v", err)
			}
			for range 50 {
				if !running(child) {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("child %s still runs", child)
		})
	}
}

// running reports whether a process runs and is not a zombie.
func running(pid string) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}
