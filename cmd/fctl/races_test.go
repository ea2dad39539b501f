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
	"sync"
	"syscall"
	"testing"
	"time"
)

// racer is a command that writes the working copy of a unit. An edit changes the content that it
// reads; other commands replace it.
type racer struct {
	name   string
	edits  bool
	undoes bool
	failed int // the status that is not a failure either
	// words returns the command that adds a key to the file. source has the file as it was.
	words func(file, source, key string) []string
	// needs is a file beside the source, with KEY for the key.
	needs, text string
	reads       bool // the file is the standard input
	commits     bool // undo takes it back
}

// racers are the commands that write one file, each by another way.
func racers() []racer {
	return []racer{
		{name: "do -i", edits: true, words: func(file, _, key string) []string {
			return []string{"do", "-i", file, "set-annotation", key, "1"}
		}},
		{name: "do -O", words: func(file, source, key string) []string {
			return []string{"do", source, "-O", filepath.Dir(file), "set-annotation", key, "1"}
		}},
		{name: "merge -i", edits: true, words: func(file, source, key string) []string {
			theirs := filepath.Join(filepath.Dir(source), key+".yaml")
			return []string{"merge", "-i", source, file, theirs}
		}, needs: "KEY.yaml", text: strings.Replace(unitText, "  name: counter\n",
			"  name: counter\n  annotations: {KEY: \"1\"}\n", 1)},
		{name: "unit do", edits: true, commits: true, words: func(_, _, key string) []string {
			return []string{"unit", "do", "a", "set-annotation", key, "1"}
		}},
		{name: "fn eval", edits: true, words: func(file, _, key string) []string {
			return []string{
				"fn", "eval", filepath.Dir(file), "--image", "set-annotations:v0.1", "--",
				key + "=1",
			}
		}},
		{name: "fn render", edits: true, words: func(file, _, _ string) []string {
			return []string{"fn", "render", filepath.Dir(file)}
		}, needs: "../ws/spaces/default/units/a/Kptfile", text: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: a}
pipeline:
  mutators:
  - image: set-annotations:v0.1
    configMap: {KEY: "1"}
`},
		{name: "bundle render", failed: 1, words: func(file, source, key string) []string {
			bundle := filepath.Join(filepath.Dir(source), key+"-bundle.yaml")
			return []string{"bundle", "render", bundle, "-O", filepath.Dir(file)}
		}, needs: "KEY-bundle.yaml", text: `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata: {name: ab, namespace: ns}
spec:
  resources:
  - name: data
    spec:
      object:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: counter, annotations: {KEY: "1"}}
        data: {n: "0"}
`},
		{name: "vet --fix -i", edits: true, words: func(file, source, key string) []string {
			policy := filepath.Join(filepath.Dir(source), key+"-policy.yaml")
			return []string{"vet", file, "--policy", policy, "--fix", "-i"}
		}, needs: "KEY-policy.yaml", text: `- name: has-key
  function: vet-cel
  arguments: ['"KEY" in r.metadata.?annotations.orValue({})']
  fix: [{function: set-annotation, arguments: [KEY, "1"]}]
`},
		{name: "fn sink", reads: true, words: func(file, _, _ string) []string {
			return []string{"fn", "sink", filepath.Dir(file)}
		}, needs: "KEY-list.yaml", text: `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: counter
    namespace: ns
    annotations:
      KEY: "1"
      internal.config.kubernetes.io/path: data.yaml
  data:
    n: "0"
`},
		{name: "unit update", commits: true, words: func(_, source, key string) []string {
			return []string{
				"unit", "update", "a", filepath.Join(filepath.Dir(source), key+"-new.yaml"),
			}
		}, needs: "KEY-new.yaml", text: strings.Replace(unitText, "  name: counter\n",
			"  name: counter\n  annotations: {KEY: \"1\"}\n", 1)},
		{name: "undo", edits: true, undoes: true, words: func(_, _, _ string) []string {
			return []string{"undo"}
		}},
	}
}

// unitText is the configuration of the unit.
const unitText = "apiVersion: v1\nkind: ConfigMap\n" +
	"metadata:\n  name: counter\n  namespace: ns\ndata:\n  n: \"0\"\n"

// racing returns a directory with a workspace ws that has a unit that two commands changed: they
// added done1 and done2.
func racing(t *testing.T) (dir string) {
	t.Helper()
	dir = inMemory(t)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "in"), 0o755),
		os.Mkdir(filepath.Join(dir, "ws"), 0o755),
		os.WriteFile(filepath.Join(dir, "in/data.yaml"), []byte(unitText), 0o600),
		// A workspace of an older fctl: each unit has a folder, in which the commands of fn run.
		os.WriteFile(filepath.Join(dir, "ws/fctl-workspace.yaml"), nil, 0o600),
		os.MkdirAll(filepath.Join(dir, "ws/spaces/default"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"unit", "create", "a", filepath.Join(dir, "in/data.yaml")},
		{"unit", "do", "a", "set-annotation", "done1", "1"},
		{"unit", "do", "a", "set-annotation", "done2", "1"},
	} {
		args = append([]string{"-q", "-C", filepath.Join(dir, "ws")}, args...)
		if out, err := process(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	return dir
}

// ran is a command of a race that ended.
type ran struct {
	racer
	key string
	out string
	ok  bool
	has bool // the file has its key
}

// TestRaces runs every pair of commands that write one file at the same time: once, and with
// LONG=1, which takes a quarter of an hour, 200 times. A command that succeeded has its effect in the file,
// unless the other one replaced it. A command that failed says why, and has not changed the file.
func TestRaces(t *testing.T) {
	rounds := 1
	if os.Getenv("LONG") != "" {
		rounds = 200
	}
	template, all := racing(t), racers()
	for i, first := range all {
		for _, second := range all[i:] {
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				t.Parallel()
				refused := 0
				for range rounds {
					refused += race(t, template, first, second)
				}
				if rounds > 1 {
					t.Logf("%d races, one refused in %d", rounds, refused)
				}
			})
		}
	}
}

// race runs two commands at the same time in a copy of a workspace, and checks the file. It returns
// how many commands failed.
func race(t *testing.T, template string, first, second racer) (refused int) {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(template), "race") //nolint:usetesting // in memory, where the template is
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // temporary
		err = os.CopyFS(dir, os.DirFS(template))
	}
	if err != nil {
		t.Fatal(err)
	}
	source, workspace := filepath.Join(dir, "in/data.yaml"), filepath.Join(dir, "ws")
	file := filepath.Join(workspace, "spaces/default/units/a/data.yaml")
	results := [2]ran{{racer: first, key: "one"}, {racer: second, key: "two"}}
	if first.name == second.name && first.name == "fn render" {
		results[1].key = "one" // they share a Kptfile
	}
	for _, r := range results {
		if r.needs != "" {
			name := filepath.Join(dir, "in", strings.ReplaceAll(r.needs, "KEY", r.key))
			text := strings.ReplaceAll(r.text, "KEY", r.key)
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var group sync.WaitGroup
	for i := range results {
		r := &results[i]
		words := append([]string{"-q", "-C", workspace}, r.words(file, source, r.key)...)
		cmd := process(t, words...)
		if r.reads {
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(r.text, "KEY", r.key))
		}
		group.Go(func() {
			time.Sleep(rand.N(5 * time.Millisecond))
			out, err := cmd.CombinedOutput()
			r.out, r.ok = string(out), err == nil
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && r.failed != 0 {
				r.ok = exit.ExitCode() == r.failed
			}
		})
	}
	group.Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range results {
		if r := &results[i]; r.undoes {
			r.has = !bytes.Contains(text, []byte("done2"))
		} else {
			r.has = bytes.Contains(text, []byte(r.key+":"))
		}
		if r := results[i]; !r.ok {
			refused++
			if !strings.Contains(r.out, "changed") && !strings.Contains(r.out, "edited") &&
				!strings.Contains(r.out, "both sides changed") {
				t.Errorf("%s: %s", r.name, r.out)
			}
		}
	}
	if problem := lost(results[0], results[1], string(text)); problem != "" {
		t.Errorf("%s; %s (ok %v): %s; %s (ok %v): %s\n%s", problem, first.name, results[0].ok,
			results[0].out, second.name, results[1].ok, results[1].out, text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if bytes.Contains(text, []byte("<<<<<<<")) {
		return refused // a conflict of a merge, which workspace check reports
	}
	if out, err := process(t, "-C", workspace, "workspace", "check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return refused
}

// lost returns which effect of two commands the file should have and has not, or the reverse.
func lost(a, b ran, text string) string {
	if strings.Contains(a.out+b.out, "both sides changed") && a.has && b.has {
		return "" // a conflict of a merge, with markers
	}
	if !strings.HasPrefix(text, "apiVersion: v1\n") || !strings.Contains(text, "name: counter") ||
		!strings.HasSuffix(text, "n: \"0\"\n") && !strings.HasSuffix(text, "n: \"0\"}\n") {
		return "file is damaged"
	}
	if a.undoes && b.undoes {
		switch n := strings.Count(text, "done"); {
		case a.ok && b.ok && n != 0, a.ok != b.ok && n != 1, !a.ok && !b.ok && n != 2:
			return "a command is not undone"
		}
		return ""
	}
	if a.ok && b.ok && (a.undoes && b.commits || b.undoes && a.commits) {
		if a.has != b.has { // undo takes back the previous command, or the change of the unit
			return "not one command is undone"
		}
		return ""
	}
	for _, pair := range [][2]ran{{a, b}, {b, a}} {
		one, other := pair[0], pair[1]
		replaced := other.ok && !other.edits // right if it came last
		switch {
		case one.ok && !one.has && !replaced:
			return one.name + " succeeded, and is lost"
		case !one.ok && one.has && !replaced && one.key != other.key:
			return one.name + " failed, and took effect"
		}
	}
	if !a.edits && !b.edits && a.ok && b.ok && a.has == b.has {
		return "file is not the result of one command"
	}
	return ""
}

// TestRacesOfCreators runs pairs of commands that create one file at the same time, as often as
// TestRaces. A unit is created once: the other command says that it exists, and loses nothing.
func TestRacesOfCreators(t *testing.T) {
	rounds := 1
	if os.Getenv("LONG") != "" {
		rounds = 200
	}
	template := racing(t)
	create := func(_, source string) []string { return []string{"unit", "create", "b", source} }
	for name, other := range map[string]func(file, source string) []string{
		"unit create": create,
		"do -O": func(file, source string) []string {
			return []string{"do", source, "-O", filepath.Dir(file), "set-annotation", "two", "1"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range rounds {
				raceOfCreators(t, template, create, other)
			}
		})
	}
}

// raceOfCreators runs two commands that create the configuration of a unit.
func raceOfCreators(t *testing.T, template string,
	commands ...func(file, source string) []string,
) {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(template), "race") //nolint:usetesting // in memory, where the template is
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // temporary
		err = os.CopyFS(dir, os.DirFS(template))
	}
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(dir, "ws")
	file := filepath.Join(workspace, "spaces/default/units/b/data.yaml")
	var group sync.WaitGroup
	outs, failed := make([]string, len(commands)), make([]error, len(commands))
	for i, words := range commands {
		cmd := process(t, append([]string{"-q", "-C", workspace},
			words(file, filepath.Join(dir, "in/data.yaml"))...)...)
		group.Go(func() {
			time.Sleep(rand.N(5 * time.Millisecond))
			out, err := cmd.CombinedOutput()
			outs[i], failed[i] = string(out), err
		})
	}
	group.Wait()
	if failed[0] != nil && failed[1] != nil {
		t.Errorf("both failed: %q", outs)
	}
	for i, out := range outs {
		if failed[i] != nil && (!strings.Contains(out, "units/b") && !strings.Contains(out, "unit b") ||
			!strings.Contains(out, "exist") && !strings.Contains(out, "changed") &&
				!strings.Contains(out, "no definition")) {
			t.Errorf("it does not say where and why: %s", out)
		}
	}
	text, err := os.ReadFile(file)
	if strings.Replace(string(text), "  annotations:\n    two: \"1\"\n", "", 1) != unitText {
		t.Errorf("file has %q, %v; %q", text, err, outs)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if failed[0] != nil && failed[1] == nil && strings.Contains(string(text), "two:") {
		return // the other command made a file that belongs to no unit
	}
	if out, err := process(t, "-C", workspace, "workspace", "check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s%q", err, out, outs)
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
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	waiting := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	for begun := time.Now(); ; time.Sleep(time.Millisecond) { // until it waits for the lock
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Skip("system does not list locks")
		}
		if bytes.Count(locks, []byte(waiting)) == 2 && bytes.Contains(locks, []byte("-> FLOCK")) {
			break
		}
		if len(ended) > 0 || time.Since(begun) > 20*time.Second {
			t.Fatal("it does not wait")
		}
	}
	text, err := os.ReadFile(data)
	if err != nil || strings.Contains(string(text), "k: v") {
		t.Errorf("it did not wait: %v: %s", err, text)
	}
	if err := f.Close(); err != nil { // unlocks it
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(data); err != nil || !strings.Contains(string(text), "k: v") {
		t.Errorf("%v: %s", err, text)
	}
}
