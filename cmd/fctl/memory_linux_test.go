package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostile are programs that would take all memory, or all time, of the machine.
func hostile() map[string][]string {
	assignments := make([]string, 22)
	for i := range assignments {
		assignments[i] = fmt.Sprintf(".%c = .", 'a'+i)
	}
	double := func(action string) string {
		return `{{$x := "aaaaaaaaaa"}}` + strings.Repeat("{{$x = "+action+"}}", 40) + "{{$x}}"
	}
	return map[string][]string{
		"a text that doubles": {"set-starlark", "x = \"a\"\nfor i in range(60): x = x + x"},
		"a list that doubles": {"set-starlark", "x = [0]\nfor i in range(60): x += x"},
		"a long list":         {"set-starlark", "x = [0] * 1000000000"},
		"a long number":       {"set-starlark", "x = 2\nfor i in range(40): x = x * x"},
		"printf":              {"set-template", double(`printf "%s%s" $x $x`), "data.a"},
		"replace":             {"set-template", double(`replace "a" $x $x`), "data.a"},
		"an argument": {
			"set-path", "data.a", "template:" + double(`printf "%s%s" $x $x`),
		},
		"copies in copies": {"set-yq", strings.Join(assignments, " | ")},
		"many texts":       {"set-starlark", "x = []\nwhile True: x.append(\"a\" * 1000)"},
		"steps of the library": {
			"set-starlark", "x = [0]\nfor i in range(60): x.extend(list(x))",
		},
		"an index": {"set-yq", ".x[1000000000] = 1"},
	}
}

// maxMemory is --max-memory of these tests, in bytes.
const maxMemory = 256 << 20

// TestHostileProgramsReachTheLimit runs programs that would take all memory or time. The run ends
// with status 4 and names the file, the resource and the function; it takes about the memory that
// it may, and leaves the directory as it was.
func TestHostileProgramsReachTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	for name, words := range hostile() {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{"web.yaml": hostileResource})
			stderr := reachesLimit(t, dir, append([]string{"do", "-i", "web.yaml"}, words...)...)
			if !strings.Contains(stderr, "./web.yaml:") || !strings.Contains(stderr, words[0]) {
				t.Errorf("the message does not say where:\n%s", stderr)
			}
			if resource := "v1/ConfigMap /web"; words[0] != "set-template" && words[0] != "set-path" &&
				!strings.Contains(stderr, resource) {
				t.Errorf("the message does not name %s:\n%s", resource, stderr)
			}
		})
	}
}

// TestHostileRepositoriesReachTheLimit is TestHostileProgramsReachTheLimit for programs that come
// with a repository: in a policy, a Kptfile and a link.
func TestHostileRepositoriesReachTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const steps = `
        x = [0]
        for i in range(60): x.extend(list(x))`
	for name, c := range map[string]struct {
		files map[string]string
		words []string
		want  string
	}{
		"a policy": {map[string]string{
			".fctl.yaml": "policy: [policy.yaml]\n",
			"policy.yaml": "- name: greedy\n  function: vet-starlark\n  arguments:\n    - |\n" +
				"      def validate(r):" + steps + "\n        return True\n",
		}, []string{"vet", "."}, "./web.yaml:1:1: v1/ConfigMap /web: "},
		"a Kptfile": {map[string]string{
			"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n" +
				"  mutators:\n    - image: starlark:v0.5\n      configMap:\n        source: |\n" +
				"          def f():" + strings.ReplaceAll(steps, "\n", "\n    ") +
				"\n          f()\n",
		}, []string{"fn", "render"}, "starlark:v0.5: "},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["web.yaml"] = hostileResource
			dir := hostileDir(t, c.files)
			if stderr := reachesLimit(t, dir, c.words...); !strings.Contains(stderr, c.want) {
				t.Errorf("the message does not say %q:\n%s", c.want, stderr)
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		dir := hostileDir(t, map[string]string{"web.yaml": hostileResource})
		value := "string:" + hostile()["printf"][1]
		for _, words := range [][]string{
			{"workspace", "init"},
			{"unit", "create", "profile", "web.yaml"},
			{"unit", "create", "web", "web.yaml"},
			{
				"link", "create", "-", "web", "profile", "--update-type", "TransformPaths",
				"--upstream-path", "n=v1/ConfigMap:web:data.a",
				"--downstream-path", "v1/ConfigMap:web:data.b=" + value,
			},
		} {
			cmd := process(t, words...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", words, err, out)
			}
		}
		stderr := reachesLimit(t, dir, "link", "plan", "web-profile")
		if !strings.Contains(stderr, "web-profile") {
			t.Errorf("the message does not name the link:\n%s", stderr)
		}
	})
}

const hostileResource = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n" +
	"data:\n  a: \"1\"\n"

func hostileDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// reachesLimit runs fctl in a directory and returns what it wrote to the error stream.
func reachesLimit(t *testing.T, dir string, words ...string) string {
	t.Helper()
	before := filesOf(t, dir)
	cmd := process(t, words...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("FCTL_MAX_MEMORY=%d", maxMemory))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 4 {
		t.Errorf("it ended with %v:\n%s%s", err, &stdout, &stderr)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if used > maxMemory/4*5 {
		t.Errorf("it took %d MiB, and may take %d", used>>20, maxMemory>>20)
	}
	if d := cmp.Diff(before, filesOf(t, dir)); d != "" {
		t.Errorf("the directory was changed (-before +after):\n%s", d)
	}
	return stderr.String()
}

// filesOf returns the texts of the files in a directory and below it.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
