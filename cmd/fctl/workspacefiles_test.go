//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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
	return dir, filepath.Join(dir, "spaces/default/units/a/data.yaml")
}

// TestEditsOfAWorkingCopyAreKept runs two commands at a time that write one working copy, each by
// another way: 6 times, and with LONG (make long) 200 times. What a command wrote that succeeded is
// in the file; the other one says that the file was changed.
func TestEditsOfAWorkingCopyAreKept(t *testing.T) {
	rounds := 6
	if os.Getenv("LONG") != "" {
		rounds = 200
	}
	dir, data := unitFile(t)
	set := func(key string) []string { return []string{"set-annotation", key, "1"} }
	writers := map[string]func(key string) []string{
		"do":   func(key string) []string { return append([]string{"do", "-i", data}, set(key)...) },
		"unit": func(key string) []string { return append([]string{"unit", "do", "a"}, set(key)...) },
		"eval": func(key string) []string {
			return []string{
				"fn", "eval", filepath.Dir(data), "--image", "set-annotations:v0.1", "--",
				key + "=1",
			}
		},
	}
	for round := range rounds {
		for _, pair := range [][2]string{{"unit", "do"}, {"unit", "unit"}, {"eval", "unit"}} {
			var group sync.WaitGroup
			var failed [2]error
			var out [2][]byte
			var keys [2]string
			for i, name := range pair {
				keys[i] = fmt.Sprintf("%s%d-%d", name, i, round)
				cmd := process(t, append([]string{"-q", "-C", dir}, writers[name](keys[i])...)...)
				group.Go(func() { out[i], failed[i] = cmd.CombinedOutput() })
			}
			group.Wait()
			text, err := os.ReadFile(data)
			if err != nil {
				t.Fatal(err)
			}
			for i, err := range failed {
				switch has := strings.Contains(string(text), keys[i]+":"); {
				case err == nil && !has:
					t.Errorf("%s succeeded, and is lost: %s", keys[i], out[i])
				case err != nil && !strings.Contains(string(out[i]), "changed"):
					t.Errorf("%s: %v: %s", keys[i], err, out[i])
				case err != nil && has:
					t.Errorf("%s failed, and took effect: %s", keys[i], out[i])
				}
			}
		}
	}
	if out, err := process(t, "-C", dir, "workspace", "check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestAUnitWaitsForALock changes a unit while another program has locked its working copy.
func TestAUnitWaitsForALock(t *testing.T) {
	dir, data := unitFile(t)
	f, err := os.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	cmd := process(t, "-q", "-C", dir, "unit", "do", "a", "set-annotation", "k", "v")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, ".fctl/journal")
	if _, err := os.Lstat(journal); err == nil {
		t.Error("it does not wait")
	}
	if err := f.Close(); err != nil { // unlocks it
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(data); err != nil || !strings.Contains(string(text), "k: v") {
		t.Errorf("%v: %s", err, text)
	}
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
