package krm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/exampletest"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/process/enginetest"
)

// release is a kustomize that the tests build, and the version of the ResourceList that it sends.
// Version 5 sends only v1, and version 4.2 only v1alpha1.
type release struct{ name, modfile, sends string }

// kustomize5 is the current kustomize.
func kustomize5() release {
	return release{"kustomize 5", "tools.mod", "config.kubernetes.io/v1"}
}

// releases returns one kustomize for each version of the ResourceList.
func releases() []release {
	return []release{
		kustomize5(), {"kustomize 4.2", "kustomize4.mod", "config.kubernetes.io/v1alpha1"},
	}
}

// program builds kustomize from its Go module and returns the path of the program.
func (r release) program(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "tool", "-modfile=../../internal/"+r.modfile, "-n", "kustomize")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("not run: %s cannot be built: %v", r.name, err)
	}
	return strings.TrimSpace(string(out))
}

// declared returns a functionConfig that declares fctl as its function.
func declared(name, function, config string) string {
	return config + "metadata:\n  name: " + name +
		"\n  annotations:\n    config.kubernetes.io/function: |\n      " + function + "\n"
}

const (
	configMap   = "apiVersion: v1\nkind: ConfigMap\n"
	invocations = "apiVersion: fctl.dev/v1\nkind: FunctionInvocations\n"
	// generates is a chain that makes a Service.
	generates = `functions:
- function: upsert-resource
  arguments:
    resource-type: v1/Service
    resource-name: /made
    resource-list: |
      [{"ResourceType": "v1/Service", "ResourceName": "/made", "ResourceBody":
      "apiVersion: v1\nkind: Service\nmetadata:\n  name: made\n"}]
`
)

// write writes files that may be run to a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// project writes a kustomization whose generator, transformer and validator are fctl.
func project(t *testing.T, function string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	chain := strings.SplitN(exampletest.Read(t, "limits/limits.yaml"), "functions:", 2)[1]
	write(t, dir, map[string]string{
		"kustomization.yaml": "resources: [input.yaml]\ngenerators: [make.yaml]\n" +
			"transformers: [set.yaml]\nvalidators: [vet.yaml]\n",
		"input.yaml": strings.Replace(exampletest.Read(t, "limits/input.yaml"), "{cpu: 50m}",
			"{cpu: 50m, memory: 8Mi}", 1),
		"make.yaml": declared("make", function, invocations+generates),
		"set.yaml": declared("set", function,
			configMap+"data: {function: set-replicas, replicas: '5'}\n"),
		"vet.yaml": declared("vet", function, invocations+"functions: "+chain),
	})
	return dir
}

// build runs kustomize on a project: once as it is, and once with a container without limits.
func build(t *testing.T, program, dir string, words ...string) {
	t.Helper()
	words = append([]string{"build", "--enable-alpha-plugins", "."}, words...)
	stdout, stderr, status := run(t, dir, "", program, words...)
	if status != 0 || !strings.Contains(stdout, "  replicas: 5\n") ||
		!strings.Contains(stdout, "name: made\n") || strings.Contains(stdout, "internal") {
		t.Fatalf("status %d: %s\n%s", status, stderr, stdout)
	}
	input := filepath.Join(dir, "input.yaml")
	text := strings.Replace(exampletest.Read(t, input), ", memory: 8Mi", "", 1)
	write(t, dir, map[string]string{"input.yaml": text})
	stdout, stderr, status = run(t, dir, "", program, words...)
	if status == 0 || stdout != "" ||
		!strings.Contains(stderr, "container log has no memory limit") {
		t.Errorf("the validator: status %d: %s\n%s", status, stderr, stdout)
	}
}

// recorder is a program that runs fctl and keeps what it reads and writes beside itself, by the
// name of the functionConfig.
const recorder = `#!/bin/sh
dir=$(dirname "$0")
cat >"$dir/in"
name=$(sed -n '/^functionConfig:/,$s/^ *name: //p' "$dir/in" | head -n 1)
mv "$dir/in" "$dir/$name.in"
FCTL krm <"$dir/$name.in" >"$dir/$name.out"
status=$?
cat "$dir/$name.out"
exit $status
`

// W2: fctl is the generator, transformer and validator of the real kustomize, which sends v1 in one
// release and v1alpha1 in another. fctl answers in the version that it got.
func TestKustomizeRunsFctl(t *testing.T) {
	for _, r := range releases() {
		t.Run(r.name, func(t *testing.T) {
			program := r.program(t)
			dir := project(t, "exec: {path: ./record.sh}")
			write(t, dir, map[string]string{
				"record.sh": strings.Replace(recorder, "FCTL", fctl(t), 1),
			})
			build(t, program, dir, "--enable-exec")
			for _, name := range []string{"make", "set", "vet"} {
				for _, way := range []string{"in", "out"} {
					text := exampletest.Read(t, filepath.Join(dir, name+"."+way))
					if !strings.HasPrefix(text, "apiVersion: "+r.sends+"\nkind: ResourceList\n") {
						t.Errorf("%s.%s is not of version %s:\n%s", name, way, r.sends, text)
					}
				}
			}
		})
	}
}

// TestKustomizeGenerates runs a script below fctl fn wrap as generator of kustomize.
func TestKustomizeGenerates(t *testing.T) {
	for _, r := range releases() {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			script := strings.ReplaceAll(exampletest.Read(t, "nginx/nginx.sh"), "${FCTL:-fctl}",
				fctl(t))
			write(t, dir, map[string]string{
				"kustomization.yaml": "generators: [nginx.yaml]\n",
				"nginx.yaml": declared("my-instance", "exec: {path: ./nginx.sh}",
					"apiVersion: examples.fctl.dev/v1\nkind: Nginx\nspec: {replicas: 5}\n"),
				"nginx.sh": script,
			})
			stdout, stderr, status := run(t, dir, "", r.program(t), "build",
				"--enable-alpha-plugins",
				"--enable-exec", ".")
			if status != 0 || strings.Count(stdout, "  name: my-instance\n") != 2 {
				t.Errorf("status %d: %s\n%s", status, stderr, stdout)
			}
		})
	}
}

// TestImageOfFctl builds the image FROM scratch and runs it, alone and as a container function of
// kustomize.
func TestImageOfFctl(t *testing.T) {
	engine, err := process.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	enginetest.Prepare(t)
	context := t.TempDir()
	if err := os.MkdirAll(filepath.Join(context, "examples", "krm"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, context, map[string]string{
		"fctl": exampletest.Read(t, fctl(t)), "examples/krm/passwd": exampletest.Read(t, "passwd"),
		"Dockerfile": exampletest.Read(t, "Dockerfile"),
	})
	const image = "localhost/fctl-test/fctl:v1"
	if _, stderr, status := run(t, context, "", engine.Path, "build", "-q", "-t", image,
		"."); status != 0 {
		t.Skipf("not run: %s does not build images here: %s", engine.Name, stderr)
	}
	defer func() { _ = exec.Command(engine.Path, "rmi", "-f", image).Run() }()
	c := &process.Container{Engine: engine, Image: image, Pull: process.PullNever}
	input := list(t, "limits/input.yaml", "limits/limits.yaml")
	out, err := c.Run(t.Context(), process.Call{Stdin: []byte(input)})
	if out.ExitCode != 1 || !strings.Contains(string(out.Stdout),
		"container log has no memory limit") {
		t.Skipf("not run: %s does not run containers here: %v: %s", engine.Name, err, out.Stderr)
	}
	// kustomize knows only docker.
	bin := t.TempDir()
	if err := os.Symlink(engine.Path, filepath.Join(bin, "docker")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, r := range releases() {
		t.Run(r.name, func(t *testing.T) {
			build(t, r.program(t), project(t, "container: {image: "+image+"}"))
		})
	}
}
