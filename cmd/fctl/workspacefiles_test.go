//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unitFile makes a workspace with a unit, and returns the root and the working copy.
func unitFile(t *testing.T) (dir, data string) {
	t.Helper()
	dir = inMemory(t)
	source := counter(t, filepath.Join(dir, "a.yaml"))
	for _, args := range [][]string{{"workspace", "init"}, {"unit", "create", "a", source}} {
		args = append([]string{"-q", "-C", dir}, args...)
		if out, err := process(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	return dir, filepath.Join(dir, "spaces/default/units/a.yaml")
}

// TestAWorkspaceOfAnotherUser is below the directory of a workspace that belongs to somebody else,
// and below a git repository in it. -C names a workspace whose owner does not matter.
func TestAWorkspaceOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir, _ := unitFile(t)
	below := filepath.Join(dir, "repository", "below")
	if err := errors.Join(os.MkdirAll(below, 0o755),
		os.Chown(filepath.Join(dir, "fctl-workspace.yaml"), 1234, 1234)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := process(t, args...)
		cmd.Dir = below
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("unit", "list")
	want := "this workspace is not used: it belongs to another user"
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := run("-C", "../..", "unit", "list"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, "repository", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := run("unit", "list"); err == nil || !strings.Contains(out, "no workspace") {
		t.Errorf("%v: %s", err, out)
	}
}
