//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inMemory returns a directory for a test, in memory if possible, so that the test does not wait
// for a disk.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "fctl") //nolint:usetesting // not in /dev/shm
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// manyFiles are files that fctl changes in place.
type manyFiles struct {
	t   *testing.T
	dir string
	was []int // the replicas in each file
}

func newManyFiles(t *testing.T, n int) *manyFiles {
	t.Helper()
	m := &manyFiles{t: t, dir: inMemory(t), was: make([]int, n)}
	for i := range m.was {
		m.was[i] = 1
		if err := os.MkdirAll(filepath.Dir(m.path(i)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.path(i), []byte(m.text(i, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *manyFiles) path(i int) string {
	return filepath.Join(m.dir, fmt.Sprintf("d%d/web-%d.yaml", i%7, i))
}

// text returns the content of a file; some files are longer than a page.
func (m *manyFiles) text(i, replicas int) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%d\nspec:\n"+
		"  replicas: %d\n%s# the end\n",
		i, replicas, strings.Repeat("# and more\n", i%800))
}

// run runs fctl, and sends it a signal as soon as the file at has been replaced; with -1 for at it
// sends none. status is -1 if fctl was killed.
func (m *manyFiles) run(replicas, at int, signal os.Signal) (status int, stderr string) {
	m.t.Helper()
	cmd := process(m.t, "do", "-f", m.dir, "-R", "-i", "set-replicas", fmt.Sprint(replicas))
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	var before os.FileInfo
	var err error
	if at >= 0 {
		before, err = os.Stat(m.path(at))
	}
	if err := errors.Join(err, cmd.Start()); err != nil {
		m.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for at >= 0 && len(ended) == 0 {
		if now, err := os.Stat(m.path(at)); err != nil || !os.SameFile(now, before) {
			_ = cmd.Process.Signal(signal) // it may have ended by itself
			break
		}
		time.Sleep(50 * time.Microsecond)
	}
	<-ended //nolint:errcheck // ProcessState has the exit code
	return cmd.ProcessState.ExitCode(), errOut.String()
}

// check checks that each file has its old or its new content, and returns how many have the new.
func (m *manyFiles) check(replicas int) (done int) {
	m.t.Helper()
	for i := range m.was {
		data, err := os.ReadFile(m.path(i))
		if err != nil {
			m.t.Fatal(err)
		}
		switch string(data) {
		case m.text(i, replicas):
			m.was[i] = replicas
			done++
		case m.text(i, m.was[i]):
		default:
			m.t.Fatalf("%s is neither what it was nor what it was to become:\n%s", m.path(i), data)
		}
	}
	return done
}

func (m *manyFiles) leftovers() int {
	m.t.Helper()
	found, err := filepath.Glob(filepath.Join(m.dir, "*/.*"))
	if err != nil {
		m.t.Fatal(err)
	}
	return len(found)
}

// TestKilledInPlace kills fctl at random moments while it writes a thousand files. Each file must
// have its old or its new content, and the next run that is not killed must remove the temporary
// files of those that were.
func TestKilledInPlace(t *testing.T) {
	patience := time.Second
	if os.Getenv("LONG") != "" {
		patience = 6 * time.Second
	}
	m := newManyFiles(t, 1000)
	replicas, kills, amid, left := 1, 0, 0, 0
	for begun := time.Now(); time.Since(begun) < patience || amid == 0; {
		for range 4 {
			replicas++
			switch status, stderr := m.run(replicas, rand.IntN(len(m.was)), os.Kill); status {
			case -1:
				kills++
			case 0: // it ended before the signal
			default:
				t.Fatalf("status %d: %s", status, stderr)
			}
			if done := m.check(replicas); done > 0 && done < len(m.was) {
				amid++
			}
			left += m.leftovers()
		}
		replicas++
		status, stderr := m.run(replicas, -1, nil)
		if done, left := m.check(replicas),
			m.leftovers(); status != 0 || done != len(m.was) || left > 0 {
			t.Fatalf("a run that was let alone wrote %d of %d files, and %d temporary files are "+
				"left (status %d)\n%s",
				done, len(m.was), left, status, stderr)
		}
	}
	t.Logf("%d runs killed, %d of them while they wrote; they left %d temporary files", kills, amid,
		left)
}

// TestInterruptedInPlace ends fctl with each of the signals while it writes: it must finish the
// files it has begun.
func TestInterruptedInPlace(t *testing.T) {
	for _, e := range endings {
		t.Run(e.signal.String(), func(t *testing.T) {
			m := newManyFiles(t, 300)
			for i := range m.was { // skipped files must not count as not reached
				if err := os.WriteFile(m.path(i)+".txt", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for replicas := 2; ; replicas++ {
				status, stderr := m.run(replicas, replicas%100, e.signal)
				done := m.check(replicas)
				if left := m.leftovers(); left > 0 {
					t.Fatalf("%d temporary files are left", left)
				}
				switch {
				case (status == 0 || status == e.status) && done == len(m.was) && replicas < 50:
					continue // it ended before the signal
				case status != e.status || !strings.HasSuffix(stderr, e.message) ||
					!strings.Contains(stderr, fmt.Sprintf("\n%d of ", done)) ||
					!strings.Contains(stderr, fmt.Sprintf("; %d not reached\n", len(m.was)-done)):
					t.Fatalf("status %d after %d files: %s", status, done, stderr)
				}
				return
			}
		})
	}
}
