//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestClosedStreams runs the binary, linked as by make build, with closed outputs or a closed
// input.
func TestClosedStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	binary := filepath.Join(t.TempDir(), "fctl")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w -E fctl_entry", "-o",
		binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const in, out, errOut, both, null = "<&-", ">&-", "2>&-", ">&- 2>&-",
		"1<>/dev/null 2<>/dev/null"
	for _, c := range []struct {
		words string
		want  map[string]int
	}{
		{"version", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"list", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"help files", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"--help", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"completion bash", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"explain set-path", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"do a.yaml U set-path data.n 1", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"do -o json a.yaml U get-resources", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{
			"do --check a.yaml U set-path data.n 1",
			map[string]int{out: 4, errOut: 4, both: 4, null: 1},
		},
		{"diff a.yaml a.yaml", map[string]int{out: 0, errOut: 0, both: 0, null: 0}},
		{"merge a.yaml a.yaml a.yaml", map[string]int{out: 4, errOut: 0, both: 4, null: 0}},
		{"nothing", map[string]int{out: 2, errOut: 4, both: 4, null: 2}},
		// A closed input is not an empty one.
		{"do - U set-path data.n 1", map[string]int{in: 3}},
		{"do a.yaml U set-path data.n 1", map[string]int{in: 0}},
		{"do a.yaml U set-starlark file:-", map[string]int{in: 3}},
		// Results that are written to files do not need the standard output.
		{"do -i a.yaml U set-path data.n 2", map[string]int{out: 0, errOut: 4, both: 4, null: 0}},
		{
			"do -q -i a.yaml U set-path data.n 2",
			map[string]int{out: 0, errOut: 0, both: 0, null: 0},
		},
		{
			"do -i --diff a.yaml U set-path data.n 2",
			map[string]int{out: 4, errOut: 4, both: 4, null: 0},
		},
		{
			"do -q -O out a.yaml U set-path data.n 2",
			map[string]int{out: 0, errOut: 0, both: 0, null: 0},
		},
	} {
		t.Run(c.words, func(t *testing.T) {
			for redirection, want := range c.want {
				dir := t.TempDir()
				path := counter(t, filepath.Join(dir, "a.yaml"))
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command("sh", "-c", binary+" "+c.words+" "+redirection)
				cmd.Dir = dir
				var text bytes.Buffer
				cmd.Stdout, cmd.Stderr = &text, &text
				status := 0
				if exit, ok := errors.AsType[*exec.ExitError](cmd.Run()); ok {
					status = exit.ExitCode()
				}
				if status != want {
					t.Errorf("%s %s: status %d, want %d\n%s", c.words, redirection, status, want,
						text.String())
				}
				if after, err := os.ReadFile(path); err != nil ||
					!bytes.Equal(after, before) &&
						!bytes.Equal(after, bytes.Replace(before, []byte("n: 0"), []byte("n: 2"),
							1)) {
					t.Errorf("%s %s: the file is %q (%v)", c.words, redirection, after, err)
				}
			}
		})
	}
}
