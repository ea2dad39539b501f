//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inMemory is a directory for a test, without a disk that it would wait for if there is one without.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "fctl")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestKilledInPlace kills fctl at any moment while it writes to a thousand files: each is then what it was or what it was to
// become, whole, and the next run that is let alone leaves nothing behind of those that were killed.
func TestKilledInPlace(t *testing.T) {
	const files = 1000
	patience := 6 * time.Second
	if testing.Short() {
		patience = time.Second
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := inMemory(t)
	text := func(i, replicas int) string {
		// Files of several sizes, some of more than a page.
		return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%d\nspec:\n  replicas: %d\n%s# the end\n", i, replicas, strings.Repeat("# and more\n", i%800))
	}
	path := func(i int) string { return filepath.Join(dir, fmt.Sprintf("d%d/web-%d.yaml", i%7, i)) }
	was := make([]int, files) // the replicas in each file
	for i := range was {
		was[i] = 1
		if err := os.MkdirAll(filepath.Dir(path(i)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(i), []byte(text(i, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// run runs fctl, and kills it as soon as one of the files is another one; -1 lets it alone.
	run := func(replicas, killAt int) (killed bool) {
		cmd := exec.Command(self, "do", "-f", dir, "-R", "-i", "set-replicas", fmt.Sprint(replicas))
		cmd.Args[0] = "fctl" // what TestMain goes by
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		var before os.FileInfo
		if killAt >= 0 {
			before, err = os.Stat(path(killAt))
		}
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for killAt >= 0 && len(ended) == 0 {
			if now, err := os.Stat(path(killAt)); err != nil || !os.SameFile(now, before) {
				_ = cmd.Process.Kill() // it may have ended by itself
				break
			}
			time.Sleep(50 * time.Microsecond)
		}
		if err := <-ended; err != nil && cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		return cmd.ProcessState.ExitCode() == -1
	}
	// check tells how many files have become what they were to become.
	check := func(replicas int) (done int) {
		for i := range was {
			data, err := os.ReadFile(path(i))
			if err != nil {
				t.Fatal(err)
			}
			switch string(data) {
			case text(i, replicas):
				was[i] = replicas
				done++
			case text(i, was[i]):
			default:
				t.Fatalf("%s is neither what it was nor what it was to become:\n%s", path(i), data)
			}
		}
		return done
	}
	leftovers := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "*/.*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}

	whole := func(replicas int) {
		run(replicas, -1)
		if done, left := check(replicas), leftovers(); done != files || left > 0 {
			t.Fatalf("a run that was let alone wrote %d of %d files, and %d temporary files are left", done, files, left)
		}
	}
	replicas, kills, amid, left := 1, 0, 0, 0
	for begun := time.Now(); time.Since(begun) < patience || amid == 0; {
		for range 4 {
			replicas++
			if run(replicas, rand.IntN(files)) {
				kills++
			}
			if done := check(replicas); done > 0 && done < files {
				amid++
			}
			left += leftovers()
		}
		replicas++
		whole(replicas)
	}
	t.Logf("%d runs killed, %d of them while they wrote; they left %d temporary files", kills, amid, left)
}
