//go:build load

package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
)

const (
	parallel  = 200       // requests that are on their way at once
	maxMemory = 512 << 20 // bytes of all processes of the server
	// maxRatio is how many requests the empty handler may answer in the time of the processor that
	// the server needs for one.
	maxRatio = 5
	turns    = 4 // of each of the two, in alternation
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    app: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: nginx:1.25
          ports:
            - containerPort: 8080
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  selector:
    app: web
  ports:
    - port: 80
      targetPort: 8080
`

// emptyHandler is the variable of the environment that makes a process of this test serve a handler
// which reads requests and answers a constant.
const emptyHandler = "FCTL_EMPTY_HANDLER"

func TestMain(m *testing.M) {
	if os.Getenv(emptyHandler) == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Fprintf(os.Stderr, "listening on http://%s\n", listener.Addr())
		err = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `"OK"`)
		}))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// detector says that the server is built with the race detector, which tests with -race have.
var detector = isRace()

func isRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-race" && s.Value == "true"
	})
}

// TestLoad sends requests to a server and to an empty handler in alternation, for LOAD (60 s) to each.
// With -race the server must have no race; its speed is not measured then.
func TestLoad(t *testing.T) {
	limit := 60 * time.Second
	if text := os.Getenv("LOAD"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	fctl := filepath.Join(t.TempDir(), "fctl")
	build := exec.Command("go", "build", "-race="+strconv.FormatBool(detector), "-o", fctl, "../../../cmd/fctl")
	if !detector {
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	request := &api.FunctionInvocationRequest{
		ConfigData: []byte(deployment),
		FunctionInvocations: api.FunctionInvocationList{{
			FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: "3"}},
		}},
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"serve", "--address", "127.0.0.1:0"}
	if detector {
		words = append(words, "--max-memory", "4TiB") // of addresses, which the detector takes
	}
	served := start(t, nil, fctl, words...)
	empty := start(t, []string{emptyHandler + "=1"}, os.Args[0])
	for range turns {
		empty.load(t, limit/turns, body, `"OK"`)
		served.load(t, limit/turns, body, `"Success":true`)
	}
	t.Log("empty  " + empty.String())
	t.Log("server " + served.String())
	if detector {
		if said := served.said.String(); strings.Contains(said, "DATA RACE") {
			t.Error(said)
		}
		return
	}
	ratio := empty.perSecond() / served.perSecond()
	t.Logf("a request costs %.2f times the processor's time of an empty one", ratio)
	if ratio > maxRatio {
		t.Errorf("more than %d times", maxRatio)
	}
	if served.memory > maxMemory {
		t.Errorf("%d bytes of memory", served.memory)
	}
}

// target is a process that answers requests, and what was measured of it.
type target struct {
	url    string
	pid    int
	times  []time.Duration // of the requests
	cpu    time.Duration   // of all processes of the target
	memory int             // the most bytes of them
	said   text
}

// text is written while it is read.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// start starts a process that says where it listens.
func start(t *testing.T, env []string, name string, args ...string) *target {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("it says %q (%v)", line, err)
	}
	g := &target{url: url, pid: cmd.Process.Pid}
	go func() { _, _ = io.Copy(io.MultiWriter(os.Stderr, &g.said), stderr) }()
	return g
}

// load sends requests for some time.
func (g *target) load(t *testing.T, limit time.Duration, body []byte, want string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
	defer client.CloseIdleConnections()
	before, end := g.usage(t), time.Now().Add(limit)
	times := make([][]time.Duration, parallel)
	var senders, watcher sync.WaitGroup
	var done atomic.Bool
	for i := range parallel {
		senders.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				if err := g.send(client, body, want); err != nil {
					t.Error(err)
					return
				}
				times[i] = append(times[i], time.Since(began))
			}
		})
	}
	watcher.Go(func() {
		for !done.Load() {
			g.memory = max(g.memory, g.usage(t).memory)
			time.Sleep(100 * time.Millisecond)
		}
	})
	senders.Wait()
	done.Store(true)
	watcher.Wait()
	g.cpu += g.usage(t).cpu - before.cpu
	g.times = append(g.times, slices.Concat(times...)...)
}

// send sends a request and checks the answer.
func (g *target) send(client *http.Client, body []byte, want string) error {
	response, err := client.Post(g.url+"/function/kubernetes", "application/json",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(want)) {
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	return nil
}

// perSecond returns how many requests the target answers in a second of one processor.
func (g *target) perSecond() float64 { return float64(len(g.times)) / g.cpu.Seconds() }

func (g *target) String() string {
	slices.Sort(g.times)
	at := func(share float64) time.Duration {
		return g.times[int(float64(len(g.times)-1)*share)].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("%d requests, %d at once: %.0f in a second of one processor, p50 %v, p99 %v, "+
		"longest %v; at most %d MiB", len(g.times), parallel, g.perSecond(), at(0.5), at(0.99), at(1),
		g.memory>>20)
}

// used is what processes have used.
type used struct {
	cpu    time.Duration
	memory int // bytes, now
}

// usage returns what the target and its children have used.
func (g *target) usage(t *testing.T) used {
	t.Helper()
	var all used
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", g.pid))
	if err != nil {
		t.Fatal(err)
	}
	pids := []string{strconv.Itoa(g.pid)}
	for _, name := range children {
		text, _ := os.ReadFile(name) // the thread may have ended
		pids = append(pids, strings.Fields(string(text))...)
	}
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			continue // a worker that has ended, whose time is that of the target
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		const utime, stime, cutime, cstime, rss, ticks = 11, 12, 13, 14, 21, 100
		for _, i := range []int{utime, stime, cutime, cstime} {
			n, _ := strconv.Atoi(fields[i])
			all.cpu += time.Duration(n) * time.Second / ticks
		}
		pages, _ := strconv.Atoi(fields[rss])
		all.memory += pages * os.Getpagesize()
	}
	return all
}
