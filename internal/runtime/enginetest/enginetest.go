// Package enginetest builds images for tests that run containers.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/runtime"
)

// The settings of podman where it may not raise limits, and runc instead of crun.
const podmanSettings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
`

// Build builds an image that only has the program dir/name, and removes it after the test. It
// returns why that is not possible: no engine answers, or it does not build or run images. The
// program must start without input; it may fail with a message that has started in it.
func Build(t *testing.T, dir, name, image, started string) string {
	t.Helper()
	e, err := runtime.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		return err.Error()
	}
	if e.Name == "podman" {
		settings := filepath.Join(t.TempDir(), "containers.conf")
		if err := os.WriteFile(settings, []byte(podmanSettings), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("runc"); err == nil {
			t.Setenv("CONTAINERS_CONF", settings)
		}
	}
	file := filepath.Join(dir, "Dockerfile")
	text := fmt.Sprintf("FROM scratch\nCOPY %s /%s\nENTRYPOINT [\"/%s\"]\n", name, name, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(e.Path, "build", "-q", "-t", image, dir).CombinedOutput(); err != nil {
		return fmt.Sprintf("%s does not build images: %s", e.Name, out)
	}
	t.Cleanup(func() { _ = exec.Command(e.Path, "rmi", "-f", image).Run() })
	out, err := exec.Command(e.Path, "run", "--rm", "--network", "none", image).CombinedOutput()
	if err != nil && !strings.Contains(string(out), started) {
		return fmt.Sprintf("%s does not run images: %s", e.Name, out)
	}
	return ""
}

// Program builds a program of this module into dir/name, so that an image may have it.
func Program(t *testing.T, dir, name, path string) {
	t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, name), path)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
