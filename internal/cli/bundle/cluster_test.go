package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// run runs fctl in this process.
func run(t *testing.T, words ...string) (status int, stdout, stderr string) {
	t.Helper()
	return runWith(t, func(*command.App) {}, words...)
}

// runWith runs fctl in this process after a change.
func runWith(t *testing.T, change func(*command.App), words ...string,
) (status int, stdout, stderr string) {
	t.Helper()
	streams, _, out, errOut := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	change(a)
	status = cli.Run(t.Context(), a, words)
	return status, out.String(), errOut.String()
}

// cluster is the API server of a test: FCTL_TEST_KUBECTL is the path of kubectl, and KUBECONFIG
// that of its configuration.
type cluster struct {
	t         *testing.T
	kubectl   string
	namespace string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	path := os.Getenv("FCTL_TEST_KUBECTL")
	if path == "" {
		t.Skip("FCTL_TEST_KUBECTL is not set: the test needs kubectl and an API server")
	}
	t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := &cluster{t, path, fmt.Sprintf("%s-%d", strings.ToLower(t.Name()), os.Getpid())}
	c.run("", "apply", "-f", "testdata/crds.yaml")
	c.run("", "wait", "--for=condition=Established", "--timeout=60s", "-f", "testdata/crds.yaml")
	c.run("", "create", "namespace", c.namespace)
	t.Cleanup(func() { c.run("", "delete", "namespace", c.namespace, "--wait=false") })
	return c
}

// run runs kubectl.
func (c *cluster) run(stdin string, words ...string) string {
	c.t.Helper()
	cmd := exec.Command(c.kubectl, words...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("kubectl %v: %v\n%s", words, err, stderr.String())
	}
	return string(out)
}

// control does what the service catalog does: objects become ready, with the Secret of a binding.
func (c *cluster) control() {
	c.t.Helper()
	for _, kind := range []string{"serviceinstances", "servicebindings"} {
		names := c.run("", "get", kind, "-n", c.namespace, "-o",
			"jsonpath={.items[*].metadata.name}")
		for name := range strings.FieldsSeq(names) {
			if kind == "servicebindings" {
				c.run("apiVersion: v1\nkind: Secret\nmetadata: {name: binding-secret, namespace: "+
					c.namespace+
					"}\nstringData: {FOO_URL: x, password: hunter2}\n", "apply", "-f", "-")
			}
			c.run("", "patch", kind, name, "-n", c.namespace, "--subresource=status",
				"--type=merge", "-p",
				`{"status":{"url":"http://`+name+
					`","conditions":[{"type":"Ready","status":"True"}]}}`)
		}
	}
}

// A loop of render and kubectl apply makes a Bundle ready in the order that --simulate prints.
func TestClusterLoop(t *testing.T) {
	c := newCluster(t)
	words := []string{
		"bundle", "render", "testdata/bundle.yaml", "-n", c.namespace, "--observed", "kube:",
	}
	status, simulated, stderr := run(t, append(slices.Clone(words), "--simulate")...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var steps []string
	seen := map[string]bool{}
	for round := 1; ; round++ {
		_, text, _ := run(t, append(slices.Clone(words), "-o", "json")...)
		var report struct {
			Condition string
			Resources []struct {
				Name     string
				Rendered bool
			}
		}
		if err := json.Unmarshal([]byte(text), &report); err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Resources {
			if r.Rendered && !seen[r.Name] {
				seen[r.Name] = true
				steps = append(steps, fmt.Sprintf("step %d: %s", round, r.Name))
			}
		}
		status, objects, stderr := run(t, words...)
		if status == 0 {
			break
		}
		if status != 1 || round == 10 {
			t.Fatalf("round %d: status %d: %s", round, status, stderr)
		}
		c.run(objects, "apply", "-f", "-")
		c.control()
	}
	var want []string
	for line := range strings.Lines(simulated) {
		if strings.HasPrefix(line, "step ") {
			step, _, _ := strings.Cut(line, " (")
			want = append(want, step)
		}
	}
	if !slices.Equal(steps, want) || len(steps) != 5 {
		t.Errorf("the loop went\n%s\nand --simulate said\n%s", strings.Join(steps, "\n"), simulated)
	}
	got := c.run("", "get", "secret", "settings", "-n", c.namespace, "-o",
		"jsonpath={.data.password}")
	if got != "aHVudGVyMg==" {
		t.Errorf("the password is %s", got)
	}
}

// What kubectl applied is up to date: what the API server adds, moves and writes in another way is
// no difference, and a change of the Bundle is one.
func TestClusterUpToDate(t *testing.T) {
	c := newCluster(t)
	text, err := os.ReadFile("testdata/workload.yaml")
	if err != nil {
		t.Fatal(err)
	}
	outdated := func(text string) (objects, report string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "b.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		words := []string{"bundle", "render", file, "-n", c.namespace, "--observed", "kube:"}
		if status, objects, stderr := run(t, words...); status != 1 {
			t.Fatalf("status %d: %s%s", status, objects, stderr)
		}
		_, objects, report = run(t, words...)
		return objects, report
	}
	objects, _ := outdated(string(text))
	c.run(objects, "apply", "-f", "-") // all but the Deployment
	objects, _ = outdated(string(text))
	c.run(objects, "apply", "-f", "-")
	objects, report := outdated(string(text))
	if strings.Count(objects, "\n---\n") != 9 || strings.Contains(report, "not up to date") ||
		strings.Contains(report, "not observed") {
		t.Errorf("got %s%s", objects, report)
	}
	for _, change := range [][3]string{
		{"level: info", "level: debug", "not up to date: data.level"},
		{`, version: "1.10"`, "", "not up to date: data.version"},
		{"password: x", "password: y", "not up to date: stringData.password"},
		{"nginx:1.27", "nginx:1.28", "not up to date: spec.template.spec.containers.0.image"},
		{
			"cpu: 1000m", "cpu: 1001m",
			"not up to date: spec.template.spec.containers.0.resources.limits.cpu",
		},
		{", {name: more, port: 81}", "", "not up to date: spec.ports"},
	} {
		t.Run(change[0], func(t *testing.T) {
			if _, report := outdated(strings.Replace(string(text), change[0], change[1],
				1)); strings.Count(
				report, "not up to date") != 1 || !strings.Contains(report, change[2]+"\n") {
				t.Errorf("%s: got %s", change[1], report)
			}
		})
	}
}

// Without the kinds in the cluster, nothing was observed, which is noted.
func TestClusterWithoutKinds(t *testing.T) {
	c := newCluster(t)
	text := `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata: {name: b}
spec:
  resources:
  - name: none
    spec: {object: {apiVersion: example.com/v1, kind: None, metadata: {name: none}}}
  - name: config
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: config}}}
`
	c.run("", "create", "configmap", "config", "-n", c.namespace)
	file := filepath.Join(t.TempDir(), "b.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := run(t, "bundle", "render", file, "-n", c.namespace, "--observed", "kube:")
	const note = "note: the cluster does not know None; none was observed\n"
	if status != 1 || !strings.Contains(stderr, note) ||
		!strings.Contains(stderr, "  config  Ready ") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
