// Package enginetest lets tests build images and run containers, also on machines that do not allow
// what the engines ask for by default.
//
// Layer: base.
package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/process"
)

// podman asks for higher limits than a machine may allow, and crun for control groups of one
// version. runc runs containers without these.
const podmanSettings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
`

// Prepare sets the environment in which the engines of this machine run containers, for the rest of
// the test. registries are the hosts of registries without TLS. The configuration of the user is
// not changed.
func Prepare(t *testing.T, registries ...string) {
	t.Helper()
	dir := t.TempDir()
	if _, err := exec.LookPath("runc"); err == nil {
		set(t, "CONTAINERS_CONF", filepath.Join(dir, "containers.conf"), podmanSettings)
	}
	if len(registries) == 0 {
		return
	}
	var text strings.Builder
	for _, host := range registries { // podman asks for TLS on the loopback address, too
		fmt.Fprintf(&text, "[[registry]]\nlocation = %q\ninsecure = true\n", host)
	}
	set(t, "CONTAINERS_REGISTRIES_CONF", filepath.Join(dir, "registries.conf"), text.String())
}

// set writes a file and names it in a variable.
func set(t *testing.T, variable, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, file)
}

// Build builds an image that only has the program dir/name, and removes it after the test. It
// returns why that is not possible: no engine answers, or it does not build or run images. The
// program must start without input; it may fail with a message that has started in it.
func Build(t *testing.T, dir, name, image, started string) string {
	t.Helper()
	e, err := process.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		return err.Error()
	}
	Prepare(t)
	file := filepath.Join(dir, "Dockerfile")
	text := fmt.Sprintf("FROM scratch\nCOPY %s /%s\nENTRYPOINT [\"/%s\"]\n", name, name, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := output(t.Context(), nil, e.Path, "build", "-q", "-t", image, dir); err != nil {
		return fmt.Sprintf("%s does not build images: %s", e.Name, out)
	}
	t.Cleanup(func() { _, _ = output(context.Background(), nil, e.Path, "rmi", "-f", image) })
	out, err := output(t.Context(), nil, e.Path, "run", "--rm", "--network", "none", image)
	if err != nil && !strings.Contains(out, started) {
		return fmt.Sprintf("%s does not run images: %s", e.Name, out)
	}
	return ""
}

// Program builds a program of this module into dir/name, so that an image may have it.
func Program(t *testing.T, dir, name, path string) {
	t.Helper()
	out, err := output(t.Context(), []string{"CGO_ENABLED=0"}, "go", "build", "-o",
		filepath.Join(dir, name), path)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// output runs a program and returns its output, with that of the error stream.
func output(ctx context.Context, env []string, words ...string) (string, error) {
	var out bytes.Buffer
	err := (&process.Tool{Words: words, Env: env, Stdout: &out, Stderr: &out}).Run(ctx)
	return out.String(), err
}
