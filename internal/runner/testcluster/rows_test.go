//go:build cluster

package testcluster

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const header = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
	"metadata: {name: NAME, namespace: porch-fn-system}\nspec:\n"

func object(name, spec string) string {
	return "---\n" + strings.Replace(header, "NAME", name, 1) + spec
}

// testDefinition applies objects that the API server must take or refuse.
func testDefinition(t *testing.T, e *env) {
	defer e.clean(t)
	for name, spec := range map[string]string{
		"both-spellings-of-the-proposal": `
  image: set-image
  prefixes: ["", registry.example/fn]
  podExecutorConfig:
    tags: [v0.1.1, v0.2.0]
    serviceAccount: functions
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
    timeToLive: 30m
    maxParallelExecutions: 2
    preferredMaxQueueLength: 3
  binaryExecutorConfig: {tags: [v0.2, v0.2.3], relPath: set-image}
  goExecutorConfig: {tags: [v0.1.1], id: set-image}
`,
		"those-of-today": `
  image: set-image
  podExecutor:
    tags: [v0.1.1]
    templateOverrides: {serviceAccountName: functions}
  binaryExecutor: {tags: [v0.2.3], path: /functions/set-image}
  goExecutor: {tags: [v0.1.1]}
`,
	} {
		t.Run(name, func(t *testing.T) {
			e.kubectl(t, object(name, spec), "apply", "-f", "-")
		})
	}
	for name, spec := range map[string]string{
		"no-image":       "  goExecutor: {tags: [v1]}\n",
		"empty-image":    "  image: \"\"\n  goExecutor: {tags: [v1]}\n",
		"image-with-tag": "  image: a:v1\n  goExecutor: {tags: [v1]}\n",
		"no-executor":    "  image: a\n",
		"both-spellings": "  image: a\n  goExecutor: {tags: [v1]}\n" +
			"  goExecutorConfig: {tags: [v1]}\n",
		"no-tags": "  image: a\n  goExecutor: {tags: []}\n",
		"two-paths": "  image: a\n  binaryExecutorConfig: {tags: [v1], relPath: a, " +
			"absPath: /a}\n",
		"no-path":         "  image: a\n  binaryExecutorConfig: {tags: [v1]}\n",
		"negative-queue":  "  image: a\n  podExecutor: {preferredMaxQueueLength: -1}\n",
		"broken-duration": "  image: a\n  podExecutor: {timeToLive: soon}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Kubectl(t.Context(), object(name, spec), "apply", "-f", "-")
			if err == nil || !strings.Contains(err.Error(), "spec") {
				t.Errorf("it is not refused: %v", err)
			}
		})
	}
}

const flowConfig = `
  image: set-labels
  prefixes: [REGISTRY]
  goExecutorConfig: {tags: [v0.1.1]}
  binaryExecutorConfig: {tags: [v0.2, v0.2.3], relPath: set-labels}
  podExecutorConfig:
    tags: [v0.1.1, v0.2.0]
    templateOverrides: {container: {env: [{name: CONFIGURED, value: "yes"}]}}
`

// testFlow runs one function through each executor: the decisions are right, and the bytes are the
// same.
func testFlow(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("set-labels", flowConfig))
	r := e.serve(t)
	var first string
	for _, c := range []struct{ tag, executor, configured string }{
		{"v0.1.1", "go", ""},
		{"v0.2.3", "binary", ""},
		{"v0.2.0", "pod", "yes"},
		{"v9", "pod", "no"},
	} {
		t.Run(c.tag, func(t *testing.T) {
			before := r.executed(t)
			began := time.Now()
			response, err := r.evaluate(t.Context(), "set-labels:"+c.tag, "app: shop")
			if err != nil {
				t.Fatal(err)
			}
			text := string(response.ResourceList)
			if first == "" {
				first = text
			}
			if text != first || !strings.Contains(text, "app: shop") ||
				!strings.Contains(text, "# kept") {
				t.Errorf("it returns\n%s", text)
			}
			if before[c.executor]++; !maps.Equal(before, r.executed(t)) {
				t.Errorf("%v, want %v", r.executed(t), before)
			}
			if c.configured != "" {
				found := e.pods(t, "set-labels:"+c.tag)
				if len(found) != 1 || strings.Contains(string(found[0].Spec), "CONFIGURED") !=
					(c.configured == "yes") {
					t.Errorf("its pod is not the configured one: %d pods", len(found))
				}
			}
			t.Logf("%s: %v, again: %v", c.tag, time.Since(began).Round(time.Millisecond),
				warm(t, r, c.tag))
		})
	}
	// A function that runs and fails does not run again on another executor.
	count := filepath.Join(e.work, "count")
	e.apply(t, object("test", `
  image: test
  binaryExecutor: {tags: [v9], path: function}
`))
	_, err := r.evaluate(t.Context(), "test:v9", `fail: "no", count: `+count)
	if status.Code(err) != codes.Internal {
		t.Errorf("a function that fails: %v", err)
	}
	text, err := os.ReadFile(count)
	if err != nil || string(text) != "run\n" {
		t.Errorf("it ran %q, %v", text, err)
	}
}

func warm(t *testing.T, r *runner, tag string) time.Duration {
	began := time.Now()
	const n = 20
	for range n {
		if _, err := r.evaluate(t.Context(), "set-labels:"+tag, "app: shop"); err != nil {
			t.Error(err)
		}
	}
	return (time.Since(began) / n).Round(10 * time.Microsecond)
}

// testStatus reads what the runner writes to the objects.
func testStatus(t *testing.T, e *env) {
	defer e.clean(t)
	r := e.serve(t)
	e.apply(t, object("a", "  image: a\n  goExecutor: {tags: [v1]}\n")+
		object("b", "  image: a\n  goExecutor: {tags: [v1]}\n")+
		object("c", "  image: c\n  goExecutor: {tags: [\"not a tag!\"]}\n"))
	time.Sleep(time.Second)
	for name, want := range map[string]string{
		"a": "1:", "b": "1:", "c": "1:spec.goExecutor.tags.0: ",
	} {
		t.Run(name, func(t *testing.T) {
			got := e.kubectl(t, "", "get", "functionconfig", name, "-n", "porch-fn-system", "-o",
				"jsonpath={.status.functionRunnerObservedGeneration}:{.status.error}")
			if !strings.HasPrefix(got, want) || name == "a" && got != want ||
				name == "b" && got == want {
				t.Errorf("%q\n%s", got, r.log)
			}
		})
	}
}

// testQueue sends many requests at once: at most three pods work on them.
func testQueue(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", `
  image: test
  podExecutor: {tags: [], maxParallelExecutions: 3, preferredMaxQueueLength: 2}
`))
	r := e.serve(t)
	var most atomic.Int64
	stop := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			most.Store(max(most.Load(), int64(len(e.pods(t, "test:")))))
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	began := time.Now()
	errs := make([]error, 30)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = r.evaluate(t.Context(), "test:v9", "sleep: 300ms") })
	}
	wg.Wait()
	close(stop)
	watcher.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if n := most.Load(); n > 3 || n < 2 {
		t.Errorf("%d pods at once", n)
	}
	t.Logf("30 requests of 300 ms: %v with at most %d pods",
		time.Since(began).Round(time.Millisecond), most.Load())
}

// testTTL waits until an idle pod is deleted.
func testTTL(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {timeToLive: 5s}\n"))
	r := e.serve(t)
	if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Fatal(err)
	}
	used := time.Now()
	for time.Since(used) < 20*time.Second && len(e.pods(t, "test:v9")) > 0 {
		time.Sleep(200 * time.Millisecond)
	}
	if took := time.Since(used); took < 4*time.Second || took > 10*time.Second {
		t.Errorf("deleted after %v", took)
	} else {
		t.Logf("deleted after %v", took.Round(100*time.Millisecond))
	}
}

// testKill deletes pods while they work.
func testKill(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {}\n"))
	r := e.serve(t)
	if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Fatal(err)
	}
	kill := func() {
		for _, p := range ready(e.pods(t, "test:v9")) {
			e.kubectl(t, "", "delete", "pod", p.Metadata.Name, "-n", "default", "--grace-period=0",
				"--force")
		}
	}
	for _, kills := range []int{1, 3} {
		answer := make(chan error, 1)
		go func() {
			_, err := r.evaluate(context.WithoutCancel(t.Context()), "test:v9", "sleep: 8s")
			answer <- err
		}()
		for range kills {
			// A pod that is killed before it is ready did not start: that is another case.
			time.Sleep(time.Second)
			for len(ready(e.pods(t, "test:v9"))) == 0 && len(answer) == 0 {
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(time.Second)
			kill()
		}
		err := <-answer
		switch {
		case kills == 1 && err != nil:
			t.Errorf("one kill: %v", err)
		case kills == 3 && (status.Code(err) != codes.Unavailable ||
			!strings.Contains(err.Error(), "ended during the evaluation, 3 times")):
			t.Errorf("three kills: %v", err)
		case kills == 3:
			t.Logf("three kills: %v", err)
		}
	}
}

// ready returns the pods that answer.
func ready(pods []podInfo) []podInfo {
	var answering []podInfo
	for _, p := range pods {
		for _, c := range p.Status.Conditions {
			if c.Type == "Ready" && c.Status == "True" {
				answering = append(answering, p)
			}
		}
	}
	return answering
}

// testLimits sends and asks for messages that are too large.
func testLimits(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {}\n"))
	r := e.serve(t)
	_, err := r.evaluate(t.Context(), "test:v9", "a: "+strings.Repeat("x", 7<<20))
	if status.Code(err) != codes.ResourceExhausted ||
		!strings.Contains(err.Error(), "larger than max") {
		t.Errorf("a large request: %v", err)
	}
	t.Logf("a large request: %v", err)
	_, err = r.evaluate(t.Context(), "test:v9", `pad: "7000000"`)
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "it wrote more than") {
		t.Errorf("a large response: %v", err)
	}
	t.Logf("a large response: %v", err)
	if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// testReload changes and deletes objects while requests run. Each reply is that of the old objects
// or of the new ones, and no request fails.
func testReload(t *testing.T, e *env) {
	defer e.clean(t)
	states := []string{
		"  goExecutor: {tags: [v0.1.1]}\n",
		"  binaryExecutor: {tags: [v0.1.1], path: set-labels}\n",
		"  podExecutor: {tags: [v0.1.1]}\n",
		"  podExecutor: {tags: [v0.1.1], templateOverrides: {container: {env: [{name: A, value: " +
			"b}]}}}\n",
		"",
	}
	apply := func(spec string) {
		if spec == "" {
			e.kubectl(t, "", "delete", "functionconfig", "set-labels", "-n", "porch-fn-system")
			return
		}
		e.kubectl(t, object("set-labels", "  image: set-labels\n"+spec), "replace", "--force", "-f",
			"-")
	}
	e.kubectl(t, object("set-labels", "  image: set-labels\n"+states[0]), "apply", "-f", "-")
	r := e.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var answered, failed atomic.Int64
	var first sync.Once
	var want string
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				response, err := r.evaluate(context.WithoutCancel(ctx), "set-labels:v0.1.1",
					"app: shop")
				if err != nil {
					failed.Add(1)
					t.Error(err)
					return
				}
				first.Do(func() { want = string(response.ResourceList) })
				if string(response.ResourceList) != want {
					t.Errorf("another answer:\n%s", response.ResourceList)
				}
				answered.Add(1)
			}
		})
	}
	for range 3 {
		for _, s := range states {
			time.Sleep(1500 * time.Millisecond)
			apply(s)
		}
		e.kubectl(t, object("set-labels", "  image: set-labels\n"+states[0]), "apply", "-f", "-")
	}
	cancel()
	wg.Wait()
	counts := r.executed(t)
	for _, executor := range []string{"go", "binary", "pod"} {
		if counts[executor] == 0 {
			t.Errorf("no request ran with %s: %v", executor, counts)
		}
	}
	t.Logf("%d answers, %d failures, 18 changes: %v", answered.Load(), failed.Load(), counts)
}

// testAdoption stops a runner and starts another one, which uses its pods.
func testAdoption(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {tags: [v9]}\n"))
	r := e.serve(t, "--keep-pods", "--warm-up")
	for range 100 {
		if len(ready(e.pods(t, "test:v9"))) > 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Fatal(err)
	}
	before := e.pods(t, "test:v9")
	r.stop(t)
	again := e.serve(t)
	if _, err := again.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Fatal(err)
	}
	after := e.pods(t, "test:v9")
	if len(before) != 1 || len(after) != 1 || before[0].Metadata.Name != after[0].Metadata.Name {
		t.Errorf("%d pods before, %d after\n%s", len(before), len(after), again.log)
	}
	again.stop(t)
	if left := e.pods(t, "test:v9"); len(left) > 0 {
		t.Errorf("%d pods are left without --keep-pods", len(left))
	}
}

// testSecurity looks at what a pod may do, and weakens it.
func testSecurity(t *testing.T, e *env) {
	defer e.clean(t)
	root := object("test", "  image: test\n  podExecutor: {templateOverrides: "+
		"{securityContext: {runAsUser: 0, runAsNonRoot: false}}}\n")
	e.apply(t, object("test", "  image: test\n  podExecutor: {}\n"))
	r := e.serve(t)
	if _, err := r.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Fatal(err)
	}
	spec := string(e.pods(t, "test:v9")[0].Spec)
	for _, want := range []string{
		`"automountServiceAccountToken": false`, `"runAsNonRoot": true`, `"type": "RuntimeDefault"`,
		`"allowPrivilegeEscalation": false`, `"readOnlyRootFilesystem": true`, `"ALL"`,
		`"runAsUser": 65534`, `"enableServiceLinks": false`,
	} {
		if !strings.Contains(spec, want) {
			t.Errorf("%s is missing in %s", want, spec)
		}
	}
	e.kubectl(t, "", "delete", "functionconfig", "test", "-n", "porch-fn-system")
	time.Sleep(time.Second) // so that it is not an edit, after which the object stays as it was
	e.apply(t, root)
	_, err := r.evaluate(t.Context(), "test:v9", "")
	if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(),
		"runAsNonRoot is not true, it runs as root (--allow-privileged-pods)") {
		t.Errorf("as root: %v", err)
	}
	t.Logf("as root: %v", err)
	r.stop(t)
	allowed := e.serve(t, "--allow-privileged-pods")
	if _, err := allowed.evaluate(t.Context(), "test:v9", ""); err != nil {
		t.Errorf("as root, allowed: %v", err)
	}
	_, err = allowed.evaluate(t.Context(), "missing:v1", "")
	if status.Code(err) != codes.NotFound ||
		!strings.Contains(err.Error(), "entrypoint is not known") {
		t.Errorf("an image that does not exist: %v", err)
	}
	t.Logf("an image that does not exist: %v", err)
}

// testEval runs functions without a server, and through the API server.
func testEval(t *testing.T, e *env) {
	defer e.clean(t)
	e.apply(t, object("test", "  image: test\n  podExecutor: {}\n"))
	run := func(args ...string) (string, string) {
		cmd := exec.Command(filepath.Join(e.bin, "fctl-runner"), args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+e.Kubeconfig,
			"FCTL_RUNNER_IMAGE="+e.registry.Host+"/fctl-wrapper:test")
		cmd.Stdin = strings.NewReader(list(""))
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		if err := cmd.Run(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, errOut.String())
		}
		return out.String(), errOut.String()
	}
	began := time.Now()
	out, errOut := run("eval", "--executor", "pod", "--image", "test:v9", "--default-prefix",
		e.registry.Host, "--function-configs", "kube:")
	if out != list("") || !strings.Contains(errOut, "worked on 1 items\n") {
		t.Errorf("%s%s", out, errOut)
	}
	t.Logf("with a pod of its own, through the API server: %v",
		time.Since(began).Round(time.Millisecond))
	if left := e.pods(t, "test:v9"); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	out, _ = run("objects", "kube:")
	if !strings.Contains(out, `"kind": "List"`) || !strings.Contains(out, `"image": "test"`) {
		t.Errorf("objects: %s", out)
	}
}
