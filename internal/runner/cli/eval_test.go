package cli

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/server"
	"github.com/fctl-dev/fctl/internal/runner/wrapper"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const emptyList = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"

type (
	request  = evaluator.Request
	response = evaluator.Response
)

// evaluate is an Evaluator.
type evaluate func(context.Context, *request) (*response, error)

func (e evaluate) EvaluateFunction(ctx context.Context, r *request) (*response, error) {
	return e(ctx, r)
}

// serve serves an evaluator until the test ends and returns the address.
func serve(t *testing.T, e evaluator.Evaluator, o server.Options) string {
	t.Helper()
	s := server.New(e, o)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// script makes an executable script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "function")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// wrapped serves a script as the pod of a function does.
func wrapped(t *testing.T, text string) string {
	t.Helper()
	w, err := wrapper.New(wrapper.Options{Command: []string{script(t, text)}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, w, server.Options{Grace: time.Second})
}

// run runs a command line in this process.
func run(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = Main(t.Context(), args, iostreams.New(strings.NewReader(stdin), &out, &errOut),
		func(string) string { return "" })
	return status, out.String(), errOut.String()
}

func TestEval(t *testing.T) {
	const results = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n" +
		"results: [{message: no limit, severity: error}]\n"
	withResults := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" +
		"items:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\nresults:\n- message: no limit\n"
	for name, c := range map[string]struct {
		script         string
		status         int
		stdout, stderr string
	}{
		"echo":   {"cat; echo hello >&2\n", 0, emptyList, "hello\n"},
		"silent": {"cat\n", 0, emptyList, ""},
		"fails with results": {
			"echo why >&2; cat <<E\n" + withResults + "E\nexit 3\n", 1, results,
			"why\nfctl-runner: function f failed: exit status 3\n",
		},
		"fails": {"exit 3\n", 1, "", "fctl-runner: function f failed: exit status 3\n"},
		"prints text": {
			"echo hello\n", 1, "",
			"fctl-runner: its output is not a ResourceList; it begins with \"hello\"\n",
		},
		"prints nothing": {"true\n", 1, "", "fctl-runner: the function produced no output\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := script(t, c.script)
			w, err := wrapper.New(wrapper.Options{Command: []string{path}, Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			address := serve(t, w, server.Options{Grace: time.Second})
			status, stdout, stderr := run(t, emptyList, "eval", "--runner", address, "--image", "f")
			stderr = strings.ReplaceAll(stderr, path, "PROGRAM")
			if status != c.status || stdout != c.stdout || stderr != c.stderr {
				t.Errorf("status %d\nstdout %q\nstderr %q", status, stdout, stderr)
			}
		})
	}
}

// TestABrokenWrapper has something left that cannot be removed. The answer is given, and there is
// no other one.
func TestABrokenWrapper(t *testing.T) {
	path := script(t, "cat\n")
	var problems []error
	w, err := wrapper.New(wrapper.Options{
		Command: []string{path}, Dir: t.TempDir(), Empty: []string{path}, // not a directory
		Broken: func(err error) { problems = append(problems, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &request{ResourceList: []byte(emptyList)}
	if _, err := w.EvaluateFunction(t.Context(), r); err != nil || len(problems) != 1 {
		t.Errorf("%v, %v", err, problems)
	}
	if _, err := w.EvaluateFunction(t.Context(), r); status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
}

func TestEvalWithoutAStart(t *testing.T) {
	refuse := serve(t, evaluate(func(context.Context, *request) (*response, error) {
		return nil, &evaluator.NotStartedError{Image: "f", Reasons: []string{"go: no", "pod: no"}}
	}), server.Options{})
	busy := serve(t, evaluate(func(context.Context, *request) (*response, error) {
		return nil, status.Error(codes.ResourceExhausted, "the queue of f is full")
	}), server.Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	for name, c := range map[string]struct {
		status int
		stderr string
		args   []string
	}{
		"refused":  {4, "nothing here can start f: go: no; pod: no", []string{"--runner", refuse}},
		"busy":     {4, "fctl-runner: the queue of f is full\n", []string{"--runner", busy}},
		"closed":   {4, "cannot be reached: dial tcp", []string{"--runner", closed}},
		"large":    {4, "more than 10 bytes", []string{"--runner", refuse, "--max-message", "10"}},
		"no image": {2, `"F:" is not the name`, []string{"--runner", refuse, "--image", "F:"}},
		"no port":  {2, "missing port", []string{"--runner", "localhost"}},
		"argument": {2, "no arguments", []string{"x"}},
		"flag":     {2, "unknown flag: --imag", []string{"--imag", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := run(t, emptyList,
				append([]string{"eval", "--image", "f"}, c.args...)...)
			if status != c.status || stdout != "" || !strings.Contains(stderr, c.stderr) {
				t.Errorf("status %d\nstdout %q\nstderr %q", status, stdout, stderr)
			}
		})
	}
}

func TestMessagesAboveTheLimit(t *testing.T) {
	large := strings.Repeat("#", 20<<10)
	address := serve(t, evaluate(func(context.Context, *request) (*response, error) {
		return &response{ResourceList: []byte(large)}, nil
	}), server.Options{MaxMessage: 10 << 10})
	status, _, stderr := run(t, emptyList, "eval", "--runner", address, "--image", "f")
	if status != 1 || !strings.Contains(stderr, "returned 20480 bytes; a message may have 10240") {
		t.Errorf("response: status %d, %s", status, stderr)
	}
	status, _, stderr = run(t, large, "eval", "--runner", address, "--image", "f")
	if status != 1 || !strings.Contains(stderr, "larger than max") {
		t.Errorf("request: status %d, %s", status, stderr)
	}
}

func TestEvalTimeout(t *testing.T) {
	address := wrapped(t, "sleep 10\n")
	status, _, stderr := run(t, emptyList, "eval", "--runner", address, "--image", "f",
		"--timeout", "200ms")
	if status != 1 || !strings.Contains(stderr, "f gave no answer within 200ms") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestAPanicEndsOneRequest(t *testing.T) {
	var stack []byte
	address := serve(t, evaluate(func(_ context.Context, r *request) (*response, error) {
		if r.Tag == "panic" {
			panic(errors.New("oh"))
		}
		return &response{ResourceList: r.ResourceList}, nil
	}), server.Options{Panicked: func(_ any, s []byte) { stack = s }})
	status, _, stderr := run(t, emptyList, "eval", "--runner", address, "--image", "f",
		"--tag", "panic")
	if status != 1 || !strings.Contains(stderr, "panic: oh") || len(stack) == 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if status, _, _ := run(t, emptyList, "eval", "--runner", address, "--image", "f"); status != 0 {
		t.Errorf("the server did not survive: %d", status)
	}
}
