//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// counter makes a file with a number that processes increment.
func counter(t *testing.T, path string) string {
	t.Helper()
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: counter\ndata:\n  n: 0\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func count(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text[strings.Index(string(text), "  n: "):]), " n: %d\n",
		&n); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return n
}

// increment runs fctl n times in each of several concurrent loops, and fails if a run fails. words
// returns the words for the files of a loop.
func increment(t *testing.T, loops, n int, words func(loop int) []string) {
	t.Helper()
	var all sync.WaitGroup
	for loop := range loops {
		all.Go(func() {
			args := append(append([]string{"do", "-q", "-i"}, words(loop)...), "set-starlark",
				`r["data"]["n"] += 1`)
			for range n {
				if out, err := process(t, args...).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestNoUpdateIsLost increments a number in one file with four loops of processes: 100 times, and
// with LONG (make long) 400 times while the machine is busy.
func TestNoUpdateIsLost(t *testing.T) {
	updates := 100
	if os.Getenv("LONG") != "" {
		updates = 400
		busy(t)
	}
	path := counter(t, filepath.Join(inMemory(t), "counter.yaml"))
	increment(t, 4, updates/4, func(int) []string { return []string{path, "U"} })
	if n := count(t, path); n != updates {
		t.Errorf("%d of %d updates are lost", updates-n, updates)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestProcessesDoNotWaitForEachOther runs fctl on the same files in different orders. Each file is
// named twice, and some are so large that work on others waits until they are done, which must not
// cause a deadlock.
func TestProcessesDoNotWaitForEachOther(t *testing.T) {
	const files, loops, runs = 8, 2, 2
	dir := inMemory(t)
	var forth, back []string
	for i := range files {
		path := counter(t, filepath.Join(dir, fmt.Sprintf("%02d.yaml", i)))
		if i%4 == 0 { // the two together exceed the results kept in memory
			if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
				_, err = f.WriteString(strings.Repeat("# "+strings.Repeat("x", 100_000)+"\n", 90))
				if err := errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
			}
		}
		link := path + ".link.yaml"
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		forth = append(forth, "-f", path, "-f", link)
		back = append([]string{"-f", link, "-f", path}, back...)
	}
	increment(t, loops, runs, func(loop int) []string { return [][]string{forth, back}[loop] })
	for i := range files {
		if n := count(t, filepath.Join(dir, fmt.Sprintf("%02d.yaml", i))); n != loops*runs {
			t.Errorf("file %d: %d of %d updates", i, n, loops*runs)
		}
	}
}

// TestWaitingForALock checks that a note says if fctl waits for a file that another program has
// locked, and that it then reads the current content.
func TestWaitingForALock(t *testing.T) {
	path := counter(t, filepath.Join(inMemory(t), "counter.yaml"))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // its content is checked below
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	cmd := process(t, "do", "-i", path, "U", "set-yq", ".data.n += 1")
	stderr, err := cmd.StderrPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if want := path + ": note: waiting for another program to unlock the file"; !lines.Scan() ||
		lines.Text() != want {
		t.Errorf("it says %q, want %q", lines.Text(), want)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = f.WriteAt(bytes.Replace(text, []byte("n: 0"), []byte("n: 7"), 1), 0)
	}
	if err := errors.Join(err, syscall.Flock(int(f.Fd()), syscall.LOCK_UN)); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // the rest
	}
	if err := cmd.Wait(); err != nil || count(t, path) != 8 {
		t.Errorf("it is %d: %v", count(t, path), err)
	}
}

// busy keeps processors busy until the test ends.
func busy(t *testing.T) {
	var end atomic.Bool
	t.Cleanup(func() { end.Store(true) })
	for range 2 {
		go func() {
			for !end.Load() {
			}
		}()
	}
}
