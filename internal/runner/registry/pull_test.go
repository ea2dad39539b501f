package registry

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/runner/registry/registrytest"
	"github.com/fctl-dev/fctl/internal/runtime"
)

// TestPullPolicies runs an image of a registry with each policy, before and after its tag names
// another image.
func TestPullPolicies(t *testing.T) {
	if testing.Short() {
		t.Skip("runs containers")
	}
	registry, err := registrytest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registry.Close() })
	// podman asks for TLS on the loopback address, too.
	conf := filepath.Join(t.TempDir(), "registries.conf")
	text := fmt.Sprintf("[[registry]]\nlocation = %q\ninsecure = true\n", registry.Host)
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONTAINERS_REGISTRIES_CONF", conf)
	engine, err := runtime.FindEngine(t.Context(), "")
	if err != nil {
		t.Skip(err)
	}
	image := registry.Host + "/echo:v1"
	t.Cleanup(func() { _ = exec.Command(engine.Path, "rmi", "-f", image).Run() })
	run := func(policy runtime.PullPolicy) (string, error) {
		c := &runtime.Container{Engine: engine, Image: image, Pull: policy}
		out, err := c.Run(t.Context(), runtime.Call{})
		return strings.TrimSpace(string(out.Stdout)), err
	}
	push := func(word string) {
		t.Helper()
		if err := registry.Push("echo:v1", map[string]string{"echo": printer(t, word)},
			"/echo"); err != nil {
			t.Fatal(err)
		}
	}
	push("one")
	if _, err := run(runtime.PullNever); !errors.As(err, new(*runtime.PullError)) {
		t.Fatalf("Never, not present: %v", err)
	}
	out, err := run(runtime.PullIfNotPresent)
	if errors.As(err, new(*runtime.EngineError)) {
		t.Skipf("%s runs no containers here: %v", engine.Name, err)
	}
	if out != "one" || err != nil {
		t.Fatalf("IfNotPresent: %q, %v", out, err)
	}
	push("two")
	for _, c := range []struct {
		policy runtime.PullPolicy
		want   string
	}{
		{runtime.PullNever, "one"},
		{runtime.PullIfNotPresent, "one"},
		{runtime.PullAlways, "two"},
		{runtime.PullNever, "two"},
	} {
		if out, err := run(c.policy); out != c.want || err != nil {
			t.Errorf("%s: %q, %v", c.policy, out, err)
		}
	}
}

// printer builds a program that prints a word, without C libraries, for an image FROM scratch.
func printer(t *testing.T, word string) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	text := fmt.Sprintf("package main\n\nfunc main() { os.Stdout.WriteString(%q) }\n", word)
	text = strings.Replace(text, "\nfunc", "\nimport \"os\"\n\nfunc", 1)
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "echo"), source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "echo")
}
