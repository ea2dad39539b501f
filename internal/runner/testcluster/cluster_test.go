//go:build cluster

package testcluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/registry/registrytest"
)

// env is what the tests share.
type env struct {
	*Cluster
	registry *registrytest.Registry
	bin      string // the programs of this module
	work     string
}

// TestCluster runs all tests in one cluster, one after the other.
func TestCluster(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("a node needs Linux and root")
	}
	for _, program := range []string{"runc", "ip", "iptables"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing (apt-get install runc containernetworking-plugins iptables)",
				program)
		}
	}
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), cache, t.Logf); err != nil {
		t.Fatal(err)
	}
	e := &env{bin: t.TempDir(), work: t.TempDir()}
	for name, path := range map[string]string{
		"fctl-runner": "../../../cmd/fctl-runner", "fctl": "../../../cmd/fctl",
		"fctl-wrapper": "../../../cmd/fctl-wrapper",
		"function":     "./testdata/function",
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o",
				filepath.Join(e.bin, name), path)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
		})
	}
	if e.registry, err = registrytest.New(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.registry.Close() })
	e.pushAll(t)
	// The path of the socket of containerd may have 107 bytes.
	dir, err := os.MkdirTemp("", "fctl-kube") //nolint:usetesting // t.TempDir is longer
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	e.Cluster, err = Start(t.Context(), cache, dir, e.registry.Host+"/pause:1", t.Logf)
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		for _, what := range e.Left() {
			t.Errorf("%s is left", what)
		}
		if t.Failed() {
			t.Logf("the logs are in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the cluster was ready after %v", time.Since(began).Round(100*time.Millisecond))
	e.kubectl(t, functionconfig.CRD(), "apply", "-f", "-")
	e.kubectl(t, "", "create", "namespace", "porch-fn-system")
	e.kubectl(t, "", "wait", "--for=condition=Established", "--timeout=30s",
		"crd/functionconfigs.config.porch.kpt.dev")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *env)
	}{
		{"definition", testDefinition},
		{"flow", testFlow},
		{"status", testStatus},
		{"queue", testQueue},
		{"ttl", testTTL},
		{"killed pods", testKill},
		{"limits", testLimits},
		{"changes under load", testReload},
		{"adoption", testAdoption},
		{"security", testSecurity},
		{"template", testTemplate},
		{"entrypoint and warm-up", testEntrypoint},
		{"without a server", testEval},
		{"same bytes", testSameBytes},
		{"fctl", testFctl},
		{"fleet", testFleet},
		{"tests of an API server", testOthers},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, e) })
	}
}

// pushAll pushes the images of the tests.
func (e *env) pushAll(t *testing.T) {
	t.Helper()
	program := map[string]string{"function": filepath.Join(e.bin, "function")}
	push := func(image string, files map[string]string, entrypoint ...string) {
		if err := e.registry.Push(image, files, entrypoint...); err != nil {
			t.Fatal(err)
		}
	}
	// The program of the binary executor has no arguments: a script names the function.
	script := "#!/bin/sh\nexec " + e.bin + "/function catalog set-labels\n"
	if err := os.WriteFile(filepath.Join(e.bin, "set-labels"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	push("pause:1", program, "/function", "pause")
	push("fctl-wrapper:test", map[string]string{
		"fctl-wrapper": filepath.Join(e.bin, "fctl-wrapper"),
	}, "/fctl-wrapper")
	push("fctl:test", map[string]string{"fctl": filepath.Join(e.bin, "fctl")}, "/fctl")
	push("bare:v1", program)
	for _, tag := range []string{"v0.1.1", "v0.2.0", "v0.2.3", "v9"} {
		push("set-labels:"+tag, program, "/function", "catalog", "set-labels")
		push("test:"+tag, program, "/function", "test")
	}
}

func (e *env) kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := e.Kubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// apply applies FunctionConfigs and lets the runner see them.
func (e *env) apply(t *testing.T, objects string) {
	t.Helper()
	e.kubectl(t, strings.ReplaceAll(objects, "REGISTRY", e.registry.Host), "apply", "-f", "-")
	time.Sleep(time.Second)
}

// clean deletes the FunctionConfigs and pods of a test.
func (e *env) clean(t *testing.T) {
	t.Helper()
	e.kubectl(t, "", "delete", "functionconfigs", "--all", "-A")
	e.kubectl(t, "", "delete", "pods", "--all", "--grace-period=0", "--force")
}

// runner is a running fctl-runner serve.
type runner struct {
	cmd              *exec.Cmd
	conn             *grpc.ClientConn
	address, metrics string
	log              *safeLog
	done             chan struct{}
}

type safeLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts a runner that reads its configs in the cluster.
func (e *env) serve(t *testing.T, args ...string) *runner {
	t.Helper()
	ports, err := freePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{
		metrics: fmt.Sprintf("127.0.0.1:%d", ports[0]), log: &safeLog{}, done: make(chan struct{}),
	}
	r.cmd = exec.Command(filepath.Join(e.bin, "fctl-runner"), append([]string{
		"serve", "--address", "127.0.0.1:0", "--metrics-address", r.metrics,
		"--kubeconfig", e.Kubeconfig, "--function-configs", "kube:", "--functions", e.bin,
		"--allow-exec", "--pods", "--namespace", "default", "--pod-network", "direct",
		"--wrapper-image", e.registry.Host + "/fctl-wrapper:test", "--warm-up=false",
		"--default-prefix", e.registry.Host, "--gc-interval", "1s",
	}, args...)...)
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.stop(t) })
	address := make(chan string, 1)
	go func() {
		defer close(r.done)
		listening := regexp.MustCompile(`listening on (\S+)`)
		scanner := bufio.NewScanner(stderr)
		for scanner.Scan() {
			r.log.mu.Lock()
			r.log.text.WriteString(scanner.Text() + "\n")
			r.log.mu.Unlock()
			if m := listening.FindStringSubmatch(scanner.Text()); m != nil {
				address <- m[1]
			}
		}
		_ = r.cmd.Wait()
	}()
	select {
	case r.address = <-address:
	case <-r.done:
		t.Fatalf("the runner has ended:\n%s", r.log)
	case <-time.After(30 * time.Second):
		t.Fatalf("the runner does not listen:\n%s", r.log)
	}
	r.conn, err = grpc.NewClient("passthrough:///"+r.address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(32<<20),
			grpc.MaxCallSendMsgSize(32<<20)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stop ends the runner as a signal does.
func (r *runner) stop(t *testing.T) {
	t.Helper()
	select {
	case <-r.done:
		return
	default:
	}
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-r.done:
	case <-time.After(30 * time.Second):
		t.Error("the runner does not stop")
		_ = r.cmd.Process.Kill()
		<-r.done
	}
	if t.Failed() {
		t.Logf("the runner said:\n%s", r.log)
	}
}

// evaluate runs a function on a list with one ConfigMap.
func (r *runner) evaluate(ctx context.Context, image, config string) (*evaluator.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return evaluator.NewFunctionEvaluatorClient(r.conn).EvaluateFunction(ctx, &evaluator.Request{
		Image: image, ResourceList: []byte(list(config)),
	})
}

func list(config string) string {
	text := `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings # kept
  data: {a: "1"}
`
	if config != "" {
		text += "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: fn}\n" +
			"  data: {" + config + "}\n"
	}
	return text
}

// executed returns how often each executor answered without an error.
func (r *runner) executed(t *testing.T) map[string]int {
	t.Helper()
	response, err := http.Get("http://" + r.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	line := regexp.MustCompile(`_count\{code="OK",executor="(\w+)",image="[^"]*"\} (\d+)`)
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		n, _ := strconv.Atoi(m[2])
		counts[m[1]] += n
	}
	return counts
}

// podInfo is what the tests look at in a pod.
type podInfo struct {
	Metadata struct {
		Name              string
		DeletionTimestamp string
		Annotations       map[string]string
		Labels            map[string]string
	}
	Spec   json.RawMessage
	Status struct {
		Conditions []struct{ Type, Status string }
	}
}

// pods returns the pods of an image that are not being deleted.
func (e *env) pods(t *testing.T, image string) []podInfo {
	t.Helper()
	var list struct{ Items []podInfo }
	out, err := e.Kubectl(t.Context(), "", "get", "pods", "-n", "default", "-o", "json")
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Error(err)
		return nil
	}
	var found []podInfo
	for _, p := range list.Items {
		if strings.Contains(p.Metadata.Annotations["fctl.dev/image"], image) &&
			p.Metadata.DeletionTimestamp == "" {
			found = append(found, p)
		}
	}
	return found
}
