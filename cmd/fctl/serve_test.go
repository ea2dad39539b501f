package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/client"
)

// served is a running server.
type served struct {
	*client.Client
	url string
	cmd *exec.Cmd
}

// serve starts fctl serve at a free port.
func serve(t *testing.T, token string, flags ...string) *served {
	t.Helper()
	cmd := process(t, append([]string{"serve", "--address", "127.0.0.1:0"}, flags...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has perhaps ended
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("it says %q", line)
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	c, err := client.New(url, token)
	if err != nil {
		t.Fatal(err)
	}
	return &served{c, url, cmd}
}

// The documents of the tests.
const (
	servedWeb = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n" +
		"  replicas: 1 # for now\n"
	servedDocs = servedWeb + "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
)

// request returns a request for one function.
func request(data, function string, values ...any) *api.FunctionInvocationRequest {
	i := api.FunctionInvocation{FunctionName: function}
	for _, v := range values {
		i.Arguments = append(i.Arguments, api.FunctionArgument{Value: v})
	}
	r := &api.FunctionInvocationRequest{
		ConfigData: []byte(data), FunctionInvocations: api.FunctionInvocationList{i},
	}
	r.ToolchainType, r.RevisionID, r.UnitID = api.ToolchainKubernetesYAML, "r1", "u1"
	return r
}

// TestServe sends requests of all kinds to one server.
func TestServe(t *testing.T) {
	s := serve(t, "")
	if err := s.OK(t.Context()); err != nil {
		t.Error(err)
	}
	t.Run("a setter", func(t *testing.T) {
		// Strings are converted by the signature.
		got, err := s.Invoke(t.Context(), request(servedDocs, "set-replicas", "5"))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(servedDocs, "replicas: 1", "replicas: 5", 1); !got.Success ||
			!got.Changed || string(got.ConfigData) != want || got.RevisionID != "r1" ||
			got.UnitID != "u1" || len(got.Mutators) != 1 {
			t.Errorf("%+v\n%s", got, got.ConfigData)
		}
		if len(got.Mutations) != 2 || got.Mutations[0].PathMutationMap["spec.replicas"].Value != "5\n" ||
			got.Mutations[1].ResourceMutationInfo.MutationType != api.MutationTypeNone ||
			got.Mutations[1].Resource.ResourceType != "v1/Service" {
			t.Errorf("mutations %+v", got.Mutations)
		}
	})
	t.Run("a getter", func(t *testing.T) {
		got, err := s.Invoke(t.Context(), request(servedDocs, "get-replicas"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Changed || string(got.ConfigData) != servedDocs || len(got.Mutations) != 0 ||
			got.OutputType != api.OutputTypeAttributeValueList {
			t.Errorf("%+v", got)
		}
	})
	t.Run("an error of a function", func(t *testing.T) {
		got, err := s.Invoke(t.Context(), request(servedDocs, "no-such-function"))
		if err != nil || got.Success || len(got.ErrorMessages) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a file of the server", func(t *testing.T) {
		got, err := s.Invoke(t.Context(), request(servedWeb, "set-annotation", "a", "file:/etc/hostname"))
		if err != nil || !strings.Contains(string(got.ConfigData), "a: file:/etc/hostname") {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("another format", func(t *testing.T) {
		r := request("a = 1 # one\n", "set-path", "a", "2")
		r.ToolchainType = api.ToolchainAppConfigTOML
		if got, err := s.Invoke(t.Context(), r); err != nil || string(got.ConfigData) != "a = 2 # one\n" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("descriptions", func(t *testing.T) {
		all, err := s.Signatures(t.Context(), api.ToolchainOpenTofuHCL)
		if err != nil || all["get-module-source"].FunctionName == "" {
			t.Errorf("%d signatures, %v", len(all), err)
		}
		paths, err := s.Paths(t.Context(), api.ToolchainKubernetesYAML)
		if err != nil || len(paths["container-image"]) == 0 {
			t.Errorf("%d attributes, %v", len(paths), err)
		}
	})
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestServeRefuses sends what is not a request. Every answer is a problem of RFC 9457.
func TestServeRefuses(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "s3cret", "--token-file", token, "--max-body", "1000000")
	if err := s.OK(t.Context()); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		method, path, body string
		header             http.Header
		status             int
		detail             string
	}{
		"no JSON":      {"POST", "/function/kubernetes", "{", nil, 400, "unexpected end of JSON"},
		"deep JSON":    {"POST", "/function/kubernetes", strings.Repeat("[", 900_000), nil, 400, "depth"},
		"no YAML":      {"POST", "/function/kubernetes", `{"ConfigData": "YTogW2IK", "FunctionInvocations": [{"FunctionName": "get-resources"}]}`, nil, 400, "1:"},
		"where":        {"POST", "/function/kubernetes", `{"WhereResource": "a ="}`, nil, 400, "column"},
		"large":        {"POST", "/function/kubernetes", strings.Repeat("x", 1_000_001), nil, 413, "1000000 bytes"},
		"other format": {"POST", "/function/opentofu", `{"ToolchainType": "Kubernetes/YAML"}`, nil, 400, "is for the toolchain"},
		"no format":    {"POST", "/function/cobol", "{}", nil, 404, "known are appconfig-env, "},
		"no address":   {"GET", "/functions", "", nil, 404, "nothing is served at GET /functions"},
		"no token":     {"GET", "/function/ok", "", http.Header{"Authorization": {"Bearer other"}}, 401, "token"},
		"a page": {
			"POST", "/function/shutdown", "",
			http.Header{"Origin": {"https://example.com"}},
			403, "other origins",
		},
		"another name": {"GET", "/function/ok", "", http.Header{"Host": {"example.com"}}, 421, "example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, s.url+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer s3cret")
			maps.Copy(r.Header, c.header)
			r.Host = c.header.Get("Host")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close() //nolint:errcheck // it is read
			var problem struct {
				Status                 int
				Title, Detail, Message string
			}
			if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != c.status || problem.Status != c.status || problem.Title == "" ||
				response.Header.Get("Content-Type") != "application/problem+json" ||
				!strings.Contains(problem.Detail, c.detail) || problem.Message != problem.Detail {
				t.Errorf("status %d, %+v, want %q", response.StatusCode, problem, c.detail)
			}
		})
	}
}

// TestServeIsolates runs hostile requests beside good ones: each costs only itself.
func TestServeIsolates(t *testing.T) {
	s := serve(t, "", "--timeout", "500ms", "--max-memory", "100MiB", "--workers", "2")
	long := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: " +
		strings.Repeat("a", 500_000) + "}\n"
	hostile := map[string]*api.FunctionInvocationRequest{
		"loop": request(servedWeb, "set-starlark",
			"x = 0\nfor i in range(9000000):\n  for j in range(9000000): x = x + 1"),
		"regexp": request(long, "search-replace", strings.Repeat("(?:[ab]?){900}", 4)+"c", "x", "true"),
		"memory": request(servedWeb, "set-starlark", "x = ['a' * 1000000]\nfor i in range(40): x = x + x"),
		"CEL": request(servedWeb, "vet-celexpr",
			`[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, r.metadata.name.matches("(a*)*b")))`),
		"aliases": request("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"+
			"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"+
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"+
			"g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", "get-resources"),
	}
	var wg sync.WaitGroup
	for name, r := range hostile {
		wg.Go(func() {
			got, err := s.Invoke(t.Context(), r)
			if failed, ok := errors.AsType[*client.Error](err); err != nil && !ok || ok && (failed.Detail == "" || strings.HasPrefix(failed.Detail, "fctl:")) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
	for range 40 {
		wg.Go(func() {
			got, err := s.Invoke(t.Context(), request(servedWeb, "set-replicas", 5))
			if err != nil || !got.Success || !bytes.Contains(got.ConfigData, []byte("replicas: 5")) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	// Clients that send their requests slowly take no worker.
	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // the server may have closed it
		if _, err := io.WriteString(conn, "POST /function/kubernetes HTTP/1.1\r\nHost: localhost\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}

// TestServeFinishes checks that requests in work end before the server does.
func TestServeFinishes(t *testing.T) {
	s := serve(t, "", "--workers", "1")
	done := make(chan error, 1)
	go func() {
		got, err := s.Invoke(context.WithoutCancel(t.Context()), request(servedWeb, "set-starlark",
			"x = 0\nfor i in range(900000): x = x + 1\nr[\"spec\"][\"replicas\"] = 7"))
		if err == nil && !got.Success {
			err = errors.New(strings.Join(got.ErrorMessages, "\n"))
		}
		done <- err
	}()
	time.Sleep(200 * time.Millisecond)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	err := s.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 130) {
		t.Errorf("the server ended with %v", err)
	}
}

// TestServeSlowRequestsHoldUpNobody sends short requests while one for which the only worker needs a
// second runs.
func TestServeSlowRequestsHoldUpNobody(t *testing.T) {
	s := serve(t, "", "--workers", "1")
	slow, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err := s.Invoke(slow, request(servedWeb+"x: "+strings.Repeat("a", 5_000_000)+"\n",
			"search-replace", strings.Repeat("(?:[ab]?){900}", 4)+"c", "x", "true"))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", got, err)
		}
	}()
	time.Sleep(500 * time.Millisecond) // the server has the request
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			got, err := s.Invoke(t.Context(), request(servedWeb, "set-replicas", 5))
			if err != nil || !got.Success {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	wg.Wait()
	select {
	case <-done:
		t.Error("the slow request has ended")
	default:
	}
	leave() // the worker that runs it ends
	<-done
}

// TestServeReplacesWorkers kills workers while they have requests, each of which gets its answer.
func TestServeReplacesWorkers(t *testing.T) {
	s := serve(t, "", "--workers", "2")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 20 {
				got, err := s.Invoke(t.Context(), request(servedWeb, "set-replicas", 5))
				if failed, ok := errors.AsType[*client.Error](err); ok && failed.Status == 500 {
					continue // it was alone with the worker that was killed
				}
				if err != nil || !got.Success {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
	killed := 0
	for range 10 {
		time.Sleep(20 * time.Millisecond)
		children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range children {
			text, _ := os.ReadFile(name) // the thread may have ended
			for pid := range strings.FieldsSeq(string(text)) {
				n, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				if worker, err := os.FindProcess(n); err == nil && worker.Kill() == nil {
					killed++
				}
			}
		}
	}
	wg.Wait()
	if killed == 0 {
		t.Skip("no worker was found: the system lists no children of processes")
	}
}

// TestServeLeavesNoWorkers kills a server with a request in work, whose worker ends, too.
func TestServeLeavesNoWorkers(t *testing.T) {
	s := serve(t, "", "--workers", "1")
	go func() {
		_, _ = s.Invoke(context.WithoutCancel(t.Context()), request(servedWeb+"x: "+
			strings.Repeat("a", 5_000_000)+"\n",
			"search-replace", strings.Repeat("(?:[ab]?){900}", 4)+"c", "x", "true"))
	}()
	var worker string
	eventually(t, func() string {
		children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
		if err != nil || len(children) == 0 {
			t.Skip("the system lists no children of processes")
		}
		for _, name := range children {
			if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
				worker = "/proc/" + strings.Fields(string(text))[0]
			}
		}
		if worker == "" {
			return "no worker has started"
		}
		return ""
	})
	time.Sleep(500 * time.Millisecond) // it has the request
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if state, err := os.ReadFile(worker + "/stat"); err == nil && !bytes.Contains(state, []byte(") Z")) {
			return "the worker goes on"
		}
		return ""
	})
}
