package registry

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/process/enginetest"
	"github.com/fctl-dev/fctl/internal/runner/registry/registrytest"
)

// newRegistry starts a registry from which the container engine of this machine pulls images. The
// test is skipped without an engine.
func newRegistry(t *testing.T) (*registrytest.Registry, process.Engine) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs containers")
	}
	registry, err := registrytest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registry.Close() })
	enginetest.Prepare(t, registry.Host)
	engine, err := process.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		t.Skip(err)
	}
	return registry, engine
}

// pushPrinter pushes an image whose program prints a word.
func pushPrinter(t *testing.T, registry *registrytest.Registry, engine process.Engine,
	image, word string,
) {
	t.Helper()
	err := registry.Push(image, map[string]string{"echo": printer(t, word)}, "/echo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exec.Command(engine.Path, "rmi", "-f", registry.Host+"/"+image).Run() })
}

// TestPullPolicies runs an image of a registry with each policy, before and after its tag names
// another image.
func TestPullPolicies(t *testing.T) {
	registry, engine := newRegistry(t)
	image := registry.Host + "/echo:v1"
	run := func(policy process.PullPolicy) (string, error) {
		c := &process.Container{Engine: engine, Image: image, Pull: policy}
		out, err := c.Run(t.Context(), process.Call{})
		return strings.TrimSpace(string(out.Stdout)), err
	}
	pushPrinter(t, registry, engine, "echo:v1", "one")
	if _, err := run(process.PullNever); !process.NotStarted(err, process.NotPulled) {
		t.Fatalf("Never, not present: %v", err)
	}
	out, err := run(process.PullIfNotPresent)
	if process.NotStarted(err, process.EngineFailed) {
		t.Skipf("%s runs no containers here: %v", engine.Name, err)
	}
	if out != "one" || err != nil {
		t.Fatalf("IfNotPresent: %q, %v", out, err)
	}
	// The first image loses its name when the second one is pulled.
	id, err := exec.Command(engine.Path, "image", "inspect", "--format", "{{.Id}}", image).Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command(engine.Path, "rmi", "-f", strings.TrimSpace(string(id))).Run()
	})
	pushPrinter(t, registry, engine, "echo:v1", "two")
	for _, c := range []struct {
		name   string
		policy process.PullPolicy
		want   string
	}{
		{"Never has the old image", process.PullNever, "one"},
		{"IfNotPresent has the old image", process.PullIfNotPresent, "one"},
		{"Always fetches the new image", process.PullAlways, "two"},
		{"Never has the new image after that", process.PullNever, "two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, err := run(c.policy); out != c.want || err != nil {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	_ = registry.Close()
	t.Run("IfNotPresent needs no registry", func(t *testing.T) {
		if out, err := run(process.PullIfNotPresent); out != "two" || err != nil {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("Always needs the registry", func(t *testing.T) {
		if _, err := run(process.PullAlways); !process.NotStarted(err, process.NotPulled) ||
			!process.NotStarted(err) {
			t.Error(err)
		}
	})
}

// TestTagConstraints resolves ranges of versions by the tags of the registry and of the engine, and
// runs what they select.
func TestTagConstraints(t *testing.T) {
	registry, engine := newRegistry(t)
	for _, tag := range []string{"v0.4.1", "v0.4.7", "v0.5.0-rc1", "v0.5.0", "latest"} {
		t.Run(tag, func(t *testing.T) {
			pushPrinter(t, registry, engine, "versions:"+tag, tag)
		})
	}
	resolve := func(tag string, pull process.PullPolicy) (string, string, error) {
		e := &krm.Executors{
			Only: []functionconfig.ExecutorKind{"container"}, Engine: engine.Name, Pull: pull,
			Client: http.DefaultClient,
		}
		step, _, err := e.Resolve(t.Context(), &krm.Declared{
			Image: registry.Host + "/versions", Tag: tag, Direct: true,
		}, "")
		if err != nil {
			return "", "", err
		}
		out, err := step.Runner.Program(t.Context(), nil)
		return step.Image, string(out.Stdout), err
	}
	if _, _, err := resolve("v0.4.1", ""); process.NotStarted(err, process.EngineFailed) {
		t.Skipf("%s runs no containers here: %v", engine.Name, err)
	}
	for _, c := range []struct {
		name, tag string
		pull      process.PullPolicy
		want, err string
	}{
		{"the engine has one in the range", "~0.4", process.PullIfNotPresent, "v0.4.1", ""},
		{"the registry has a higher one", "~0.4", process.PullAlways, "v0.4.7", ""},
		{"the highest of all", ">=0.1", process.PullAlways, "v0.5.0", ""},
		{"a release candidate", ">=0.5.0-0, <0.5.0", process.PullAlways, "v0.5.0-rc1", ""},
		{"any", "*", process.PullAlways, "v0.5.0", ""},
		{"a plain version is literal", "v0.4", process.PullAlways, "", "could not be pulled"},
		{"none in the range", "~0.9", process.PullAlways, "", "/versions has no version ~0.9"},
		{"not a range", "~~1", process.PullAlways, "", "is not a constraint on versions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			image, out, err := resolve(c.tag, c.pull)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || out != c.want || image != registry.Host+"/versions:"+c.want {
				t.Errorf("%s prints %q, %v", image, out, err)
			}
		})
	}
	t.Run("only what the engine has", func(t *testing.T) {
		// Of the versions that were pulled, the highest below 0.5.
		image, _, err := resolve("<0.5", process.PullNever)
		if err != nil || !strings.HasSuffix(image, ":v0.4.7") {
			t.Error(image, err)
		}
	})
}

// printer builds a program that prints a word, without C libraries, for an image FROM scratch.
func printer(t *testing.T, word string) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	text := fmt.Sprintf("package main\n\nimport \"os\"\n\n"+
		"func main() { os.Stdout.WriteString(%q) }\n",
		word)
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
