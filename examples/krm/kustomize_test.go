package krm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/process"
	"github.com/fctl-dev/fctl/internal/runtime"
	"github.com/fctl-dev/fctl/internal/runtime/enginetest"
)

// kustomize builds kustomize from its Go module and returns the path of the program.
func kustomize(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-modfile=../../internal/tools.mod", "-n", "kustomize").Output()
	if err != nil {
		t.Skipf("not run: kustomize cannot be built: %v", err)
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
)

// project writes a kustomization whose transformer and validator are fctl.
func project(t *testing.T, function string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"kustomization.yaml": "resources: [input.yaml]\ntransformers: [set.yaml]\nvalidators: [vet.yaml]\n",
		"input.yaml": strings.Replace(process.Read(t, "limits/input.yaml"), "{cpu: 50m}",
			"{cpu: 50m, memory: 8Mi}", 1),
		"set.yaml": declared("set", function, configMap+"data: {function: set-replicas, replicas: '5'}\n"),
		"vet.yaml": declared("vet", function, invocations+
			"functions: "+strings.SplitN(process.Read(t, "limits/limits.yaml"), "functions:", 2)[1]),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// build runs kustomize on a project: once as it is, and once with a container without limits.
func build(t *testing.T, dir string, words ...string) {
	t.Helper()
	program := kustomize(t)
	words = append([]string{"build", "--enable-alpha-plugins", "."}, words...)
	stdout, stderr, status := run(t, dir, "", program, words...)
	if status != 0 || !strings.Contains(stdout, "  replicas: 5\n") || strings.Contains(stdout, "internal") {
		t.Fatalf("status %d: %s\n%s", status, stderr, stdout)
	}
	input := filepath.Join(dir, "input.yaml")
	text := strings.Replace(process.Read(t, input), ", memory: 8Mi", "", 1)
	if err := os.WriteFile(input, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status = run(t, dir, "", program, words...)
	if status == 0 || stdout != "" || !strings.Contains(stderr, "container log has no memory limit") {
		t.Errorf("the validator: status %d: %s\n%s", status, stderr, stdout)
	}
}

// TestKustomizeRunsFctl runs fctl as transformer and validator of the real kustomize.
func TestKustomizeRunsFctl(t *testing.T) {
	dir := project(t, "exec: {path: ./fctl, args: [krm]}")
	if err := os.Symlink(fctl(t), filepath.Join(dir, "fctl")); err != nil {
		t.Fatal(err)
	}
	build(t, dir, "--enable-exec")
}

// TestKustomizeGenerates runs fctl as generator: the program makes a resource.
func TestKustomizeGenerates(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(fctl(t), filepath.Join(dir, "fctl")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"kustomization.yaml": "generators: [nginx.yaml]\n",
		"nginx.yaml": declared("my-instance", "exec: {path: ./nginx.sh}",
			"apiVersion: examples.fctl.dev/v1\nkind: Nginx\nspec: {replicas: 5}\n"),
		"nginx.sh": process.Read(t, "nginx/nginx.sh"),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		})
	}
	stdout, stderr, status := run(t, dir, "", kustomize(t), "build", "--enable-alpha-plugins",
		"--enable-exec", ".")
	if status != 0 || strings.Count(stdout, "name: my-instance\n") != 2 {
		t.Errorf("status %d: %s\n%s", status, stderr, stdout)
	}
}

// TestImageOfFctl builds the image FROM scratch and runs it, alone and as a container function of
// kustomize.
func TestImageOfFctl(t *testing.T) {
	engine, err := runtime.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	enginetest.Prepare(t)
	context := t.TempDir()
	if err := os.MkdirAll(filepath.Join(context, "examples", "krm"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"fctl": process.Read(t, fctl(t)), "examples/krm/passwd": process.Read(t, "passwd"),
		"Dockerfile": process.Read(t, "Dockerfile"),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(context, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		})
	}
	const image = "localhost/fctl-test/fctl:v1"
	if _, stderr, status := run(t, context, "", engine.Path, "build", "-q", "-t", image, "."); status != 0 {
		t.Skipf("not run: %s does not build images here: %s", engine.Name, stderr)
	}
	defer func() { _ = exec.Command(engine.Path, "rmi", "-f", image).Run() }()
	c := &runtime.Container{Engine: engine, Image: image, Pull: runtime.PullNever}
	input := list(t, "limits/input.yaml", "limits/limits.yaml")
	out, err := c.Run(t.Context(), runtime.Call{Stdin: []byte(input)})
	if out.ExitCode != 1 || !strings.Contains(string(out.Stdout), "container log has no memory limit") {
		t.Skipf("not run: %s does not run containers here: %v: %s", engine.Name, err, out.Stderr)
	}
	// kustomize knows only docker.
	bin := t.TempDir()
	if err := os.Symlink(engine.Path, filepath.Join(bin, "docker")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	build(t, project(t, "container: {image: "+image+"}"))
}
