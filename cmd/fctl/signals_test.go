//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endings are the signals that end fctl.
var endings = []struct {
	signal  syscall.Signal
	status  int
	message string
}{
	{syscall.SIGINT, 130, "fctl: interrupted\n"},
	{syscall.SIGTERM, 143, "fctl: terminated\n"},
	{syscall.SIGHUP, 129, "fctl: hangup\n"},
}

// waitingDir returns a directory with a manifest, a large one and a named pipe that nobody writes
// to.
func waitingDir(t *testing.T) string {
	t.Helper()
	dir := inMemory(t)
	var large strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&large, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\ndata:\n"+
			"  n: 0\n  text: a\n---\n", i)
	}
	err := errors.Join(os.WriteFile(filepath.Join(dir, "large.yaml"), []byte(large.String()),
		0o600), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	counter(t, filepath.Join(dir, "a.yaml"))
	return dir
}

// Programs that would run on the resources of large.yaml for longer than any test.
const (
	starlark = `n = [i for i in range(100000)]`
	celExpr  = `[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, ` +
		`a + b + c > 0 && r.kind != "x")))`
	template = `{{range 300}}{{range 300}}{{end}}{{end}}x`
)

// TestSignals ends fctl with a signal while it waits or works, with LONG=1 (make long) with each of
// them.
func TestSignals(t *testing.T) {
	dir := waitingDir(t)
	runs := map[string][]string{
		"standard input": {"do", "-", "U", "set-replicas", "5"},
		"a pipe as FILE": {"do", "pipe", "U", "set-replicas", "5"},
		"settings":       {"--config", "pipe", "list"},
		"an argument":    {"do", "a.yaml", "U", "set-starlark", "file:pipe"},
		"other data":     {"do", "--other-data", "x=pipe", "a.yaml", "U", "set-replicas", "5"},
		"schemas":        {"do", "--schema", "pipe", "a.yaml", "U", "vet-schemas"},
		"resource types": {"do", "--resource-types", "pipe", "a.yaml", "U", "set-replicas", "5"},
		"functions":      {"do", "--functions", "pipe", "a.yaml", "U"},
		"doseq":          {"doseq", "a.yaml", "U", "-"},
		"diff":           {"diff", "a.yaml", "pipe"},
		"merge":          {"merge", "-i", "a.yaml", "a.yaml", "pipe"},
		"Starlark":       {"do", "large.yaml", "U", "set-starlark", starlark},
		"Starlark, -i":   {"do", "-i", "large.yaml", "U", "set-starlark", starlark},
		"CEL":            {"do", "large.yaml", "U", "vet-celexpr", celExpr},
		"yq": {
			"do", "large.yaml", "U", "set-yq",
			".data.n += 1" + strings.Repeat(" | .data.n += 1", 200),
		},
		"a template":   {"do", "large.yaml", "U", "set-template", template, "data.text"},
		"printing":     {"do", "large.yaml", "U", "set-path", "data.n", "5"},
		"printing, -i": {"do", "-i", "--diff", "large.yaml", "U", "set-yq", ".data.n += 1"},
	}
	for i, name := range slices.Sorted(maps.Keys(runs)) {
		words, signals := runs[name], endings
		if os.Getenv("LONG") == "" {
			signals = signals[i%len(signals):][:1]
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range signals {
				status, stderr := endedBy(t, e.signal, dir, words)
				if status != e.status || !strings.HasSuffix(stderr, e.message) {
					t.Errorf("%v: status %d, %.500q", e.signal, status, stderr)
				}
			}
		})
	}
}

// endedBy runs fctl, whose output nobody reads, and sends it a signal after a while.
func endedBy(t *testing.T, signal syscall.Signal, dir string,
	words []string,
) (status int, stderr string) {
	t.Helper()
	for wait := 200 * time.Millisecond; ; wait *= 2 {
		cmd := process(t, words...)
		cmd.Dir = dir
		_, errIn := cmd.StdinPipe()
		_, errOut := cmd.StdoutPipe()
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		killed := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // ProcessState has the outcome
		if !killed.Stop() {
			t.Fatalf("%v does not end it", signal)
		}
		if status = cmd.ProcessState.ExitCode(); status >= 0 {
			return status, said.String()
		}
		if wait > 20*time.Second {
			t.Fatalf("%v kills it", signal)
		}
		// The signal came before fctl had installed its handler: wait longer.
	}
}

// TestSecondSignal checks that a second signal ends a run at once that cannot end in order because
// nobody reads its messages.
func TestSecondSignal(t *testing.T) {
	dir := waitingDir(t)
	for _, e := range endings {
		t.Run(e.message, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := process(t, "do", "-i", "-v", "large.yaml", "U", "set-starlark",
				`print("x" * 100); r["data"]["n"] += 1`)
			cmd.Dir, cmd.Stderr = dir, w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			one := make([]byte, 1)
			if _, err := r.Read(one); err != nil { // it has begun to write more than a pipe holds
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			killed := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait() // ProcessState has the outcome
				close(ended)
			}()
			for range 2 { // at once, as timeout of coreutils does
				_ = cmd.Process.Signal(e.signal)
				time.Sleep(5 * time.Millisecond)
			}
			select {
			case <-ended:
				t.Error("a signal that came twice at once ended it")
			case <-time.After(200 * time.Millisecond):
			}
			_ = cmd.Process.Signal(e.signal)
			<-ended
			if status := cmd.ProcessState.ExitCode(); !killed.Stop() || status != e.status {
				t.Errorf("%v: status %d", e.signal, status)
			}
			_ = errors.Join(r.Close(), w.Close())
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".fctl*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
