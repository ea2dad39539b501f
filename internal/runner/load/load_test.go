//go:build load

package load

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// parallel is how many requests are on their way at once.
const parallel = 200

// The bounds of the runner: how much memory it has at most, and how many programs at once. The
// programs are not counted in one moment, so that one which ends and the next may both count.
const (
	maxMemory   = 512 << 20
	maxPrograms = 4
	maxCounted  = 2 * maxPrograms
)

const configs = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: FunctionConfig
metadata: {name: set-labels}
spec:
  image: set-labels
  goExecutor: {tags: [go]}
  binaryExecutor: {tags: [binary], path: set-labels}
`

// TestLoad sends requests to each executor for LOAD (60 s).
func TestLoad(t *testing.T) {
	limit := 60 * time.Second
	if text := os.Getenv("LOAD"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for name, path := range map[string]string{
		"fctl-runner": "../../../cmd/fctl-runner", "function": "../testcluster/testdata/function",
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), path)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
	for name, text := range map[string]string{
		"configs.yaml": configs,
		"set-labels":   "#!/bin/sh\nexec " + dir + "/function catalog set-labels\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		})
	}
	cmd := exec.Command(filepath.Join(dir, "fctl-runner"), "serve", "--address", "127.0.0.1:0",
		"--metrics-address", "", "--function-configs", filepath.Join(dir, "configs.yaml"),
		"--functions", dir, "--allow-exec", "--parallel", strconv.Itoa(maxPrograms))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	first, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(first)
	if found == nil {
		t.Fatal(first)
	}
	for _, tag := range []string{"go", "binary"} {
		t.Run(tag, func(t *testing.T) {
			measure(t, found[1], tag, limit, cmd.Process.Pid)
		})
	}
}

// measure sends requests to one executor and prints how long they took.
func measure(t *testing.T, address, tag string, limit time.Duration, pid int) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	request := &evaluator.Request{ResourceList: list(), Image: "set-labels:" + tag}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	times := make([][]time.Duration, parallel)
	var senders, watcher sync.WaitGroup
	for i := range parallel {
		senders.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				r, err := evaluator.NewFunctionEvaluatorClient(conn).EvaluateFunction(t.Context(), request)
				if err != nil || !strings.Contains(string(r.ResourceList), "app: shop") {
					t.Errorf("%s: %v", tag, err)
					return
				}
				times[i] = append(times[i], time.Since(began))
			}
		})
	}
	memory, programs := 0, 0
	watcher.Go(func() {
		for ctx.Err() == nil {
			memory, programs = max(memory, resident(pid)), max(programs, children(pid))
			time.Sleep(20 * time.Millisecond)
		}
	})
	senders.Wait()
	watcher.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	if len(all) == 0 {
		t.Fatalf("%s: no answer", tag)
	}
	at := func(share float64) time.Duration {
		return all[int(float64(len(all)-1)*share)].Round(10 * time.Microsecond)
	}
	t.Logf("%-6s %d requests of %d bytes in %v, %d at once: %.0f/s, p50 %v, p99 %v, longest %v; "+
		"at most %d MiB and %d programs", tag, len(all), len(request.ResourceList), limit, parallel,
		float64(len(all))/limit.Seconds(), at(0.5), at(0.99), at(1), memory>>20, programs)
	if memory > maxMemory || programs > maxCounted {
		t.Errorf("%s: %d bytes of memory, %d programs", tag, memory, programs)
	}
}

// list returns a list with twenty Deployments.
func list() []byte {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range 20 {
		fmt.Fprintf(&b, `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web-%d
  spec:
    replicas: 3
    selector: {matchLabels: {name: web}}
    template:
      metadata: {labels: {name: web}}
      spec:
        containers:
        - {name: web, image: nginx:1.29}
`, i)
	}
	b.WriteString("functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: fn}\n" +
		"  data: {app: shop}\n")
	return []byte(b.String())
}

// resident returns how many bytes of memory a process has.
func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// children returns how many processes a process has started that still run.
func children(pid int) int {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return 0
	}
	n := 0
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		n += len(strings.Fields(string(text)))
	}
	return n
}
