package cli

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// buffer is an io.Writer that may be read meanwhile.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// served is a server in this process.
type served struct {
	conn    *grpc.ClientConn
	address string
	metrics string
	log     *buffer
	// stop ends the server and returns its exit status.
	stop func() int
}

// startServe starts `fctl-runner serve` with words and waits until it listens.
func startServe(t *testing.T, words ...string) *served {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{metrics: listener.Addr().String(), log: &buffer{}}
	_ = listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	args := append([]string{
		"serve", "--address", "127.0.0.1:0", "--metrics-address", s.metrics, "--reload-interval",
		"10ms",
	}, words...)
	go func() {
		ended <- Main(ctx, args, iostreams.New(strings.NewReader(""), io.Discard, s.log),
			func(string) string { return "" })
	}()
	s.stop = sync.OnceValue(func() int {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { s.stop() })
	var found []string
	for range 500 {
		found = regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(s.log.String())
		if found != nil || len(ended) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if found == nil {
		t.Fatalf("it does not listen:\n%s", s.log)
	}
	s.address = found[1]
	s.conn, err = grpc.NewClient("passthrough:///"+s.address,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.conn.Close() })
	return s
}

func (s *served) call(ctx context.Context, image string) (*response, error) {
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n" +
		"functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: f}, data: {app: x}}\n"
	return evaluator.NewFunctionEvaluatorClient(s.conn).EvaluateFunction(ctx,
		&request{ResourceList: []byte(list), Image: image})
}

func configFile(t *testing.T, dir, spec string) string {
	t.Helper()
	path := filepath.Join(dir, "config.yaml")
	text := "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
		"metadata: {name: set-labels}\nspec:\n  image: set-labels\n" + spec
	// Renamed, so that no reader sees half of it.
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestServeRefusesNegativeLimits gives limits that no function could keep.
func TestServeRefusesNegativeLimits(t *testing.T) {
	for _, flag := range []string{"--timeout=-1s", "--grace=-1s", "--memory=-1"} {
		t.Run(flag, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			log := &buffer{}
			code := Main(ctx, []string{
				"serve", "--address", "127.0.0.1:0", "--metrics-address", "", flag,
			}, iostreams.New(strings.NewReader(""), io.Discard, log), func(string) string {
				return ""
			})
			if code != 2 || !strings.Contains(log.String(), "must not be negative") {
				t.Errorf("%d\n%s", code, log)
			}
		})
	}
}

func TestServe(t *testing.T) {
	program := script(t, "sed 's/name: a/name: b/'; echo said >&2\n")
	dir := t.TempDir()
	path := configFile(t, dir, "  goExecutor: {tags: [v1]}\n"+
		"  binaryExecutor: {tags: [v2], path: function}\n")
	s := startServe(t, "--function-configs", path, "--functions", filepath.Dir(program),
		"--allow-exec")
	r, err := s.call(t.Context(), "set-labels:v1")
	if err != nil || !strings.Contains(string(r.ResourceList), "labels: {app: x}") {
		t.Errorf("go: %v\n%s", err, r.ResourceList)
	}
	r, err = s.call(t.Context(), "set-labels:v2")
	if err != nil || !strings.Contains(string(r.ResourceList), "name: b") ||
		string(r.Log) != "said\n" {
		t.Errorf("binary: %v\n%s", err, r.ResourceList)
	}
	_, err = s.call(t.Context(), "set-labels:v3")
	if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "pod: ") ||
		!strings.Contains(err.Error(), "go: tag v3 is not in [v1]; binary: tag v3 is not in "+
			"[v2]; ") {
		t.Errorf("neither: %v", err)
	}
	if _, err = s.call(t.Context(), "Set-Labels:"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a wrong name: %v", err)
	}
	answer, err := http.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	for _, want := range []string{
		`fctl_runner_evaluation_seconds_count{code="OK",executor="binary",image="set-labels"} 1`,
		`fctl_runner_evaluation_seconds_count{code="OK",executor="go",image="set-labels"} 1`,
		`fctl_runner_evaluation_seconds_count{code="NotFound",executor="none",image="set-labels"} 1`,
		`fctl_runner_evaluation_seconds_bucket{code="OK",executor="go",image="set-labels",le="+Inf"} 1`,
		`fctl_runner_functionconfigs{state="used"} 1`,
		`fctl_runner_functionconfigs{state="error"} 0`,
		"fctl_runner_reloads_total 1",
		"# TYPE fctl_runner_build_info gauge", "# TYPE go_goroutines gauge",
		"# TYPE process_open_fds gauge",
		"fctl_runner_requests 0",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(string(text), want+"\n") {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		})
	}
	if status := s.stop(); status != diag.ExitDone {
		t.Errorf("status %d\n%s", status, s.log)
	}
}

// TestServeLogsAsJSON logs one line for each request, without what a function says.
func TestServeLogsAsJSON(t *testing.T) {
	program := script(t, "echo 'a value of a resource' >&2; exit 1\n")
	path := configFile(t, t.TempDir(), "  goExecutor: {tags: [v1]}\n"+
		"  binaryExecutor: {tags: [v2], path: function}\n")
	s := startServe(t, "--function-configs", path, "--functions", filepath.Dir(program),
		"--allow-exec", "--log", "json", "--strict-images", "--allow-repository", "registry.example.com/ours")
	for _, image := range []string{
		"set-labels:v1", "set-labels:v2", "example.com/a:v1", "registry.example.com/ours/b:v1",
	} {
		_, _ = s.call(t.Context(), image)
	}
	s.stop()
	type request struct {
		Msg, Image, Executor, Reason, Code, Error string
		Seconds                                   *float64
		RequestBytes, ResponseBytes               int
	}
	var got []request
	for line := range strings.Lines(s.log.String()) {
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if r.Msg != "request" {
			continue
		}
		if r.RequestBytes == 0 || r.Seconds == nil || (r.ResponseBytes > 0) != (r.Code == "OK") {
			t.Errorf("sizes or time: %s", line)
		}
		r.RequestBytes, r.ResponseBytes, r.Seconds = 0, 0, nil
		got = append(got, r)
	}
	want := []request{
		{Msg: "request", Image: "set-labels:v1", Executor: "go", Reason: "tag v1 matches", Code: "OK"},
		{Msg: "request", Image: "set-labels:v2", Executor: "binary", Reason: "tag v2 matches", Code: "Internal"},
		{
			Msg: "request", Image: "example.com/a:v1", Executor: "none", Code: "NotFound",
			Error: "nothing here can start example.com/a:v1: no FunctionConfig names it, and it is in no " +
				"repository of --allow-repository",
		},
		{
			Msg: "request", Image: "registry.example.com/ours/b:v1", Executor: "none", Code: "NotFound",
		},
	}
	if len(got) == len(want) { // pods say more
		want[3].Reason, want[3].Error = got[3].Reason, got[3].Error
	}
	if !slices.Equal(got, want) || !strings.Contains(got[3].Error, "pod: ") {
		t.Errorf("%+v\n%s", got, s.log)
	}
}

// TestServeOrder asks the executors of one FunctionConfig in orders of the caller.
func TestServeOrder(t *testing.T) {
	program := script(t, "sed 's/name: a/name: b/'\n")
	path := configFile(t, t.TempDir(), "  goExecutor: {tags: [v1]}\n"+
		"  binaryExecutor: {tags: [v1], path: function}\n")
	for _, c := range []struct{ name, executors, image, want string }{
		{"usual", "", "set-labels:v1", "labels: {app: x}"},
		{"program first", "binary,go", "set-labels:v1", "name: b"},
		{"only Go", "go", "set-labels:v1", "labels: {app: x}"},
		{"only pods", "pod", "set-labels:v1", "go: tag v1 matches, not available here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startServe(t, "--function-configs", path, "--functions", filepath.Dir(program),
				"--allow-exec", "--executor", c.executors)
			r, err := s.call(t.Context(), c.image)
			if err != nil && strings.Contains(err.Error(), c.want) {
				return
			}
			if err != nil || !strings.Contains(string(r.ResourceList), c.want) {
				t.Errorf("%v\n%s", err, r.ResourceList)
			}
		})
	}
}

// TestServeWithoutExec runs no program by being given a FunctionConfig.
func TestServeWithoutExec(t *testing.T) {
	program := script(t, "cat\n")
	path := configFile(t, t.TempDir(), "  binaryExecutor: {tags: [v2], path: function}\n")
	s := startServe(t, "--function-configs", path, "--functions", filepath.Dir(program))
	if _, err := s.call(t.Context(), "set-labels:v2"); status.Code(err) != codes.NotFound ||
		!strings.Contains(err.Error(), "exec is not allowed (--allow-exec)") {
		t.Error(err)
	}
}

// TestServeWithABrokenFile starts nevertheless: the objects of other files are good.
func TestServeWithABrokenFile(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := configFile(t, t.TempDir(), "  goExecutor: {tags: [v1]}\n")
	s := startServe(t, "--function-configs", broken, "--function-configs", good)
	if _, err := s.call(t.Context(), "set-labels:v1"); err != nil {
		t.Error(err)
	}
	if !strings.Contains(s.log.String(), broken+":1:1: unclosed") {
		t.Error(s.log)
	}
}

// TestServeReloads changes and deletes the file while requests run. Every answer is that of an old
// file or of a new one.
func TestServeReloads(t *testing.T) {
	program := script(t, "sed 's/name: a/name: b/'\n")
	dir := t.TempDir()
	path := configFile(t, dir, "  goExecutor: {tags: [v1]}\n")
	s := startServe(t, "--function-configs", dir, "--functions", filepath.Dir(program),
		"--allow-exec")
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	answers := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				r, err := s.call(context.WithoutCancel(ctx), "set-labels:v1")
				answer := ""
				switch {
				case status.Code(err) == codes.NotFound:
					answer = "none"
				case err != nil:
					t.Error(err)
				case strings.Contains(string(r.ResourceList), "labels: {app: x}"):
					answer = "go"
				case strings.Contains(string(r.ResourceList), "name: b"):
					answer = "binary"
				}
				mu.Lock()
				answers[answer]++
				mu.Unlock()
			}
		})
	}
	seen := func(answer string) {
		t.Helper()
		mu.Lock()
		clear(answers)
		mu.Unlock()
		for range 500 {
			mu.Lock()
			n := answers[answer]
			mu.Unlock()
			if n > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("no answer is %q:\n%s", answer, s.log)
	}
	seen("go")
	configFile(t, dir, "  binaryExecutor: {tags: [v1], path: function}\n")
	seen("binary")
	// A file with errors changes nothing.
	configFile(t, dir, "  goExecutor: {tags: [v1], idd: x}\n")
	for range 500 {
		if strings.Contains(s.log.String(), "FunctionConfig/set-labels stays as it was") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	seen("binary")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	seen("none")
	configFile(t, dir, "  goExecutor: {tags: [v1]}\n")
	seen("go")
	cancel()
	wg.Wait()
	if answers[""] > 0 {
		t.Errorf("answers of neither: %v", answers)
	}
}

func TestServeUsage(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  string
	}{
		"argument": {[]string{"x"}, "no arguments"},
		"exec":     {[]string{"--allow-exec=all"}, "no value or \"any\" is expected"},
		"address":  {[]string{"--address", "nowhere"}, "missing port"},
		"executor": {
			[]string{"--executor", "go,container"},
			`--executor: "container" is not one`,
		},
		"directory":    {[]string{"--functions", "missing"}, "--functions: missing is not a dir"},
		"missing file": {[]string{"--function-configs", "missing"}, "missing"},
		"log":          {[]string{"--log", "xml"}, `--log "xml": text or json`},
		"repository":   {[]string{"--allow-repository", "r"}, "needs --strict-images"},
		"no image":     {[]string{"--pods"}, "--wrapper-image or FCTL_RUNNER_IMAGE"},
		"no cluster": {
			[]string{"--pods", "--wrapper-image", "i", "--kubeconfig", "missing"},
			"no cluster is known",
		},
		"objects": {
			[]string{"--function-configs", "kube:", "--kubeconfig", "missing"},
			"no cluster",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := run(t, "", append([]string{
				"serve", "--metrics-address", "", "--address", "127.0.0.1:0",
			}, c.words...)...)
			if status == 0 || !strings.Contains(stderr, c.want) {
				t.Errorf("status %d\n%s", status, stderr)
			}
		})
	}
	if status, out, _ := run(t, ""); status != 0 || !strings.Contains(out, "fctl-runner serve") {
		t.Errorf("help: %d %s", status, out)
	}
	if status, out, _ := run(t, "", "serve", "--help"); status != 0 ||
		!strings.Contains(out, "--allow-exec") {
		t.Errorf("help of serve: %d %s", status, out)
	}
}
