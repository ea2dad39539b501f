//go:build cluster

package testcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/process/enginetest"
)

// sameConfig lets each executor run one tag of the image. The repository is the default one.
const sameConfig = `
  image: set-labels
  goExecutorConfig: {tags: [v0.2.0]}
  binaryExecutorConfig: {tags: [v0.2.0], relPath: set-labels}
  podExecutorConfig: {tags: [v0.2.0], timeToLive: 5m, maxParallelExecutions: 2}
`

// kptfile declares the function for fctl fn render.
const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: pkg
pipeline:
  mutators:
  - image: set-labels:v0.2.0
    configMap:
      team: shop
      "on": "yes"
`

// declared is the function for fctl fn run.
const declared = `apiVersion: v1
kind: ConfigMap
metadata:
  name: labels
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/function: |
      container: {image: "set-labels:v0.2.0"}
data:
  team: shop
  "on": "yes"
`

// odd has what makes bytes differ: comments, quotes, odd indentation, several documents.
const odd = `# The header of the file.
apiVersion: apps/v1
kind: Deployment
metadata:
    name: "web"   # quoted
    labels: {app: web}
spec:
    replicas: 0x10
    template:
        spec:
            containers:
            - name: main # the main one
              image: 'nginx:1.25'
              args: [ "a",  b ]
---
# only a comment
---
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {team: "1"}}
`

// fctl runs fctl with the registry as its default repository and the FunctionConfigs of the
// cluster.
func (e *env) fctl(t *testing.T, dir string, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(e.bin, "fctl"), words...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+e.work,
		"FCTL_RUNNER_IMAGE="+e.registry.Host+"/fctl-wrapper:test")
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// fromCluster are the flags with which fctl reads FunctionConfigs in the cluster.
func (e *env) fromCluster() []string {
	return []string{
		"--image-prefix", e.registry.Host, "--function-configs", "kube:", "--kubeconfig",
		e.Kubeconfig,
	}
}

// testSameBytes runs one function with each executor by fctl fn eval, run and render, and by a
// runner for fctl: the files that they leave are the same.
func testSameBytes(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("set-labels", sameConfig))
	r := e.serve(t)
	enginetest.Prepare(t, e.registry.Host)
	programs := []string{"--allow-exec", "--functions", e.bin}
	ways := map[string][]string{
		"go": nil, "binary": programs, "container": nil,
		"pod": {"--pod-namespace", "default"},
	}
	order := []string{"go", "binary", "container", "pod"}
	if _, err := exec.LookPath("podman"); err != nil {
		t.Log("containers are not compared: podman is missing")
		order = []string{"go", "binary", "pod"}
	}
	image := e.registry.Host + "/set-labels:v0.2.0"
	t.Cleanup(func() { _ = exec.Command("podman", "rmi", "-f", image).Run() })
	for _, command := range []struct {
		name  string
		words []string
	}{
		{"eval", []string{"fn", "eval", "pkg", "--image", "set-labels:v0.2.0"}},
		{"run", []string{"fn", "run", "pkg"}},
		{"render", []string{"fn", "render", "pkg"}},
	} {
		t.Run(command.name, func(t *testing.T) {
			var arguments []string
			if command.name == "eval" {
				arguments = []string{"--", "team=shop", "on=yes"}
			}
			first := ""
			check := func(name string, flags []string) {
				t.Helper()
				dir := t.TempDir()
				write(t, filepath.Join(dir, "pkg/Kptfile"), kptfile)
				write(t, filepath.Join(dir, "pkg/odd.yaml"), odd)
				if command.name == "run" {
					write(t, filepath.Join(dir, "pkg/declared.yaml"), declared)
				}
				words := append(append(append([]string{}, command.words...), flags...),
					arguments...)
				_, stderr, status := e.fctl(t, dir, words...)
				text, err := os.ReadFile(filepath.Join(dir, "pkg/odd.yaml"))
				if err != nil || status != 0 {
					t.Fatalf("%s: status %d\n%s", name, status, stderr)
				}
				if first == "" {
					first = string(text)
				}
				if string(text) != first {
					t.Errorf("%s leaves\n%s\nthe first one\n%s", name, text, first)
				}
			}
			for _, kind := range order {
				check(kind, append(append(e.fromCluster(), "--executor", kind), ways[kind]...))
			}
			check("runner", []string{"--image-prefix", e.registry.Host, "--runner", r.address})
			if first == odd || !strings.Contains(first, "team: shop") {
				t.Errorf("the function changes nothing:\n%s", first)
			}
		})
	}
	if left := e.pods(t, "set-labels"); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
}

// testFctl reads the FunctionConfigs of the cluster with fctl, and those of a directory.
func testFctl(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("set-labels", sameConfig))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pkg/odd.yaml"), odd)
	root := "---\n" + strings.Replace(header, "NAME", "test", 1) + "  image: test\n" +
		"  podExecutor: {templateOverrides: {securityContext: {runAsUser: 0}}}\n"
	write(t, filepath.Join(dir, "own/test.yaml"), root)
	write(t, filepath.Join(dir, "tag/odd.yaml"), odd)
	write(t, filepath.Join(dir, "tag/Kptfile"), strings.Replace(kptfile, "set-labels:v0.2.0",
		"set-labels\n    tag: \">=0.2.0 <0.2.3\"", 1))
	for _, c := range []struct {
		name   string
		words  []string
		status int
		want   string
	}{
		{
			"explain", append([]string{"fn", "explain", "set-labels:v0.2.0"}, e.fromCluster()...),
			0,
			"go: tag v0.2.0 matches, id \"set-labels\" → run",
		},
		{
			"explain a pod", append([]string{
				"fn", "explain", "set-labels:v0.2.0", "--executor", "pod",
			}, e.fromCluster()...), 0, "pod: tag v0.2.0 matches, " + e.bin + "/fctl-runner → run",
		},
		{
			"a namespace without objects", []string{
				"fn", "explain", "set-labels:v0.2.0", "--image-prefix", e.registry.Host,
				"--function-configs", "kube:default", "--kubeconfig", e.Kubeconfig,
			}, 0, "go: the catalogue has set-labels → run",
		},
		{
			"no cluster", []string{
				"fn", "explain", "set-labels:v0.2.0", "--function-configs", "kube:", "--kubeconfig",
				"none",
			}, 3, "none: no such file or directory",
		},
		{
			"an object among the resources decides", []string{
				"fn", "eval", "own", "--image", "test:v9", "--image-prefix", e.registry.Host,
				"--executor", "pod", "--kubeconfig", e.Kubeconfig, "--pod-namespace", "default",
			}, 4, "its template weakens the security of the pod: it runs as root",
		},
		{
			"a range of versions", []string{
				"fn", "render", "tag", "--executor", "pod", "--check", "--image-prefix",
				e.registry.Host,
				"--kubeconfig", e.Kubeconfig, "--pod-namespace", "default",
			}, 1, "set-labels",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, status := e.fctl(t, dir, c.words...)
			if status != c.status || !strings.Contains(stdout+stderr, c.want) {
				t.Errorf("status %d\n%s%s", status, stdout, stderr)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
