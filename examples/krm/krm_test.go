// Package krm_test runs the examples of KRM functions.
//
// Layer: programs.
package krm_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/exampletest"
)

// TestMain builds fctl for all tests.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() || runtime.GOOS == "windows" {
		fmt.Println("not run: the tests build fctl, and run shell scripts")
		return
	}
	dir, err := os.MkdirTemp("", "fctl")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(dir, "fctl")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "../../cmd/fctl")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	if err := os.Setenv("FCTL", program); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// fctl returns the path of the program.
func fctl(t *testing.T) string {
	t.Helper()
	return os.Getenv("FCTL")
}

// run runs a program in a directory and returns its output and its exit status.
func run(t *testing.T, dir, stdin, program string, words ...string) (stdout, stderr string,
	status int,
) {
	t.Helper()
	cmd := exec.Command(program, words...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	return exampletest.Run(t, cmd)
}

// list wraps an example's input and functionConfig in a ResourceList.
func list(t *testing.T, input, config string) string {
	t.Helper()
	indent := func(path, first string) string {
		text := strings.TrimRight(exampletest.Read(t, path), "\n")
		return first + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
	}
	return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
		indent(input, "- ") + "functionConfig:\n" + indent(config, "  ")
}

func TestLimitsValidator(t *testing.T) {
	program := fctl(t)
	input := list(t, "limits/input.yaml", "limits/limits.yaml")
	stdout, stderr, status := run(t, ".", input, program, "krm")
	const want = "spec.template.spec.containers.1: container log has no memory limit"
	if status != 1 || !strings.Contains(stdout, want) || !strings.Contains(stderr, want) ||
		strings.Count(stdout, "message:") != 1 {
		t.Errorf("status %d, %s\n%s", status, stdout, stderr)
	}
	fixed := strings.Replace(input, "{cpu: 50m}", "{cpu: 50m, memory: 1Mi}", 1)
	if stdout, _, status := run(t, ".", fixed, program, "krm"); status != 0 || stdout != fixed {
		t.Errorf("status %d, %s", status, stdout)
	}
}

// TestStarlarkExamples runs the examples with the starlark function of the catalogue, on files.
func TestStarlarkExamples(t *testing.T) {
	program := fctl(t)
	for _, name := range []string{"sizes", "sidecar"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "input.yaml")
			if err := os.WriteFile(file, []byte(exampletest.Read(t, name+"/input.yaml")),
				0o644); err != nil {
				t.Fatal(err)
			}
			want := exampletest.Read(t, name+"/expected.yaml")
			for range 2 { // the second run changes nothing
				_, stderr, status := run(t, ".", "", program, "fn", "eval", dir, "--image",
					"starlark:v0.5", "--fn-config", fmt.Sprintf("%s/%s.yaml", name, name))
				if got := exampletest.Read(t, file); status != 0 || got != want {
					t.Fatalf("status %d, %s\n%s", status, got, stderr)
				}
			}
		})
	}
}

// X7: the acceptance list of the function for Nginx, with its script, which runs itself again below
// fn wrap, and with both forms of file names: (1) the files of the first run, (2) a change of the
// user in a generated file stays and one in nginx.yaml is followed, (3) a third run changes
// nothing, (4) the function wins where both set a field, and (5) a failure writes nothing.
func TestAcceptanceNginx(t *testing.T) {
	program := fctl(t)
	for _, c := range []struct{ pattern, deployment, service string }{
		{"", "config/my-instance_deployment.yaml", "config/my-instance_service.yaml"},
		{"%n_%k.yaml", "my-instance_deployment.yaml", "my-instance_service.yaml"},
	} {
		t.Run(c.deployment, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"nginx.yaml", "nginx.sh"} {
				text := strings.ReplaceAll(exampletest.Read(t, "nginx/"+name), "${FCTL:-fctl}", program)
				if c.pattern != "" {
					text = strings.ReplaceAll(text, "${PATTERN:+--filename-pattern \"$PATTERN\"}",
						"--filename-pattern '"+c.pattern+"'")
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			generate := func(want int) {
				t.Helper()
				_, stderr, status := run(t, dir, "", program, "fn", "run", ".", "--allow-exec")
				if status != want {
					t.Fatalf("status %d: %s", status, stderr)
				}
			}
			edit := func(name, old, now string) {
				t.Helper()
				path := filepath.Join(dir, name)
				text := exampletest.Read(t, path)
				if !strings.Contains(text, old) {
					t.Fatalf("%s has no %q:\n%s", name, old, text)
				}
				if err := os.WriteFile(path, []byte(strings.Replace(text, old, now, 1)),
					0o755); err != nil {
					t.Fatal(err)
				}
			}
			files := func() string {
				return exampletest.Read(t, filepath.Join(dir, "nginx.yaml")) +
					exampletest.Read(t, filepath.Join(dir, filepath.FromSlash(c.deployment))) +
					exampletest.Read(t, filepath.Join(dir, filepath.FromSlash(c.service)))
			}
			// (1)
			generate(0)
			if first := files(); !strings.HasPrefix(first, exampletest.Read(t, "nginx/nginx.yaml")) ||
				!strings.Contains(first, "  replicas: 5\n  selector:") {
				t.Fatalf("the first run gives\n%s", first)
			}
			// (2)
			edit(c.deployment, "image: nginx:1.7.9", "image: nginx:1.7.9\n        resources: "+
				"{limits: {cpu: 500m}}")
			edit("nginx.yaml", "replicas: 5", "replicas: 6")
			generate(0)
			second := files()
			if !strings.Contains(second, "  replicas: 6\n  selector:") ||
				!strings.Contains(second, "resources: {limits: {cpu: 500m}}") {
				t.Fatalf("the second run gives\n%s", second)
			}
			// (3)
			generate(0)
			if third := files(); third != second {
				t.Fatalf("the third run gives\n%s", third)
			}
			// (4)
			edit(c.deployment, "replicas: 6", "replicas: 1")
			generate(0)
			if files() != second {
				t.Fatalf("the function does not win:\n%s", files())
			}
			// (5)
			edit("nginx.sh", "cat <<END", "exit 3\ncat <<END")
			edit("nginx.yaml", "replicas: 6", "replicas: 7")
			before := files()
			_, _, status := run(t, dir, "", program, "fn", "run", ".", "--allow-exec")
			if status == 0 || files() != before {
				t.Errorf("a failure: status %d, files\n%s", status, files())
			}
		})
	}
}

func TestPreCommitHook(t *testing.T) {
	program := fctl(t)
	dir := t.TempDir()
	hook, err := filepath.Abs("pre-commit/pre-commit.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nginx.yaml", "nginx.sh"} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(exampletest.Read(t, "nginx/"+name), "${FCTL:-fctl}", program)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		})
	}
	_, stderr, status := run(t, dir, "", hook)
	if status != 1 || !strings.Contains(stderr, "my-instance_service.yaml") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, stderr, status := run(t, dir, "", program, "fn", "run", ".",
		"--allow-exec"); status != 0 {
		t.Fatal(stderr)
	}
	if _, stderr, status := run(t, dir, "", hook); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestScaffolds makes a function in each language and runs its golden tests.
func TestScaffolds(t *testing.T) {
	program := fctl(t)
	dir := t.TempDir()
	// The functions in shell call fctl.
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, language := range []string{"go", "sh", "python"} {
		t.Run(language, func(t *testing.T) {
			name := "set-owner-" + language
			if _, stderr, status := run(t, dir, "", program, "fn", "init", name, "--lang",
				language); status != 0 {
				t.Fatal(stderr)
			}
			function := filepath.Join(dir, name, name)
			switch language {
			case "go":
				t.Setenv("GOFLAGS", "-mod=mod -trimpath")
				t.Setenv("GOWORK", "off")
				if _, stderr, status := run(t, filepath.Join(dir, name), "", "go",
					"build"); status != 0 {
					t.Skipf("not run: the modules that it needs are not here: %s", stderr)
				}
			case "python":
				function += ".py"
				if err := exec.Command("python3", "-c", "import yaml").Run(); err != nil {
					t.Skip("not run: python3 has no module yaml")
				}
			case "sh":
				function += ".sh"
			}
			stdout, stderr, status := run(t, dir, "", program, "fn", "test", name, "--allow-exec",
				"--exec", function)
			if status != 0 || !strings.Contains(stdout, "ok ") {
				t.Errorf("status %d: %s%s", status, stdout, stderr)
			}
		})
	}
}

// TestE11SandboxOfPrograms runs a program that tries to write elsewhere, with and without
// --sandbox.
func TestE11SandboxOfPrograms(t *testing.T) {
	program := fctl(t)
	dir, elsewhere := t.TempDir(), t.TempDir()
	function := filepath.Join(dir, "function.sh")
	script := "#!/bin/sh\ntouch " + elsewhere + "/written 2>/dev/null\ntouch /tmp/x && cat\n"
	if err := os.WriteFile(function, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"),
		[]byte(exampletest.Read(t, "limits/input.yaml")), 0o644); err != nil {
		t.Fatal(err)
	}
	words := []string{"fn", "eval", dir, "--allow-exec", "--exec", function}
	_, stderr, status := run(t, dir, "", program, append(words, "--sandbox")...)
	if status != 0 && (runtime.GOOS != "linux" || strings.Contains(stderr, "not permitted")) {
		t.Skipf("not run: this system does not allow namespaces: %s", stderr)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "written")); status != 0 || err == nil {
		t.Errorf("with --sandbox: status %d, %v: %s", status, err, stderr)
	}
	_, stderr, status = run(t, dir, "", program, words...)
	if _, err := os.Stat(filepath.Join(elsewhere, "written")); status != 0 || err != nil {
		t.Errorf("without: status %d, %v: %s", status, err, stderr)
	}
}

// TestW8Nobody checks a function that works for nobody, and one that only root can run.
func TestW8Nobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not run: only root can become nobody")
	}
	program := fctl(t)
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]int{"cat": 0, "test $(id -u) = 0 && cat": 1} {
		t.Run(script, func(t *testing.T) {
			for name, text := range map[string]string{
				"fn.sh": "#!/bin/sh\n" + script + "\n", "input.yaml": exampletest.Read(t,
					"limits/input.yaml"),
				"expected.yaml": exampletest.Read(t, "limits/input.yaml"),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			stdout, stderr, status := run(t, dir, "", program, "fn", "test", ".", "--as-nobody",
				"--allow-exec",
				"--exec", "./fn.sh")
			if status != want {
				t.Errorf("%s: status %d, want %d: %s%s", script, status, want, stdout, stderr)
			}
		})
	}
}

// TestDocumentedForms runs fctl krm with the functionConfigs in docs/krm.md.
func TestDocumentedForms(t *testing.T) {
	blocks := strings.Split(exampletest.Read(t, "../../docs/krm.md"), "```yaml\n")[1:]
	if len(blocks) < 2 {
		t.Fatal("docs/krm.md shows fewer than two forms")
	}
	for _, block := range blocks {
		config := filepath.Join(t.TempDir(), "config.yaml")
		text, _, _ := strings.Cut(block, "```")
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		input := list(t, "limits/input.yaml", config)
		if stdout, stderr, status := run(t, ".", input, fctl(t), "krm"); status != 0 {
			t.Errorf("status %d: %s%s", status, stderr, stdout)
		}
	}
}
