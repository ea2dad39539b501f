package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

// executor has the standard functions and some that fail, wait or panic.
func executor(t *testing.T) func() (*functions.Executor, error) {
	t.Helper()
	e := functions.NewStandardExecutor()
	add := func(name string, s api.FunctionSignature, f handler.FunctionImplementation) {
		s.FunctionName, s.Description, s.FunctionType, s.Hermetic = name, "A function for tests",
			api.FunctionTypeCustom, true
		if err := e.RegisterFunction(api.ToolchainKubernetesYAML,
			handler.FunctionRegistration{FunctionSignature: s, Function: f}); err != nil {
			t.Fatal(err)
		}
	}
	add("vet-nothing", api.FunctionSignature{
		Validating: true, OutputInfo: &api.FunctionOutput{
			ResultName:  "passed",
			Description: "whether", OutputType: api.OutputTypeValidationResult,
		},
	}, func(_ *api.FunctionContext, c gaby.Container, _ []api.FunctionArgument,
		_ []byte,
	) (gaby.Container, any, error) {
		return c, api.ValidationResult{Details: []string{"never good enough"}}, nil
	})
	add("panic-now", api.FunctionSignature{Mutating: true},
		func(*api.FunctionContext, gaby.Container, []api.FunctionArgument,
			[]byte,
		) (gaby.Container, any, error) {
			panic("so much for that")
		})
	add("wait-for-test", api.FunctionSignature{Mutating: true},
		func(_ *api.FunctionContext, c gaby.Container, _ []api.FunctionArgument,
			_ []byte,
		) (gaby.Container, any, error) {
			<-t.Context().Done()
			return c, nil, nil
		})
	add("wait", api.FunctionSignature{Mutating: true},
		func(fc *api.FunctionContext, c gaby.Container, _ []api.FunctionArgument,
			_ []byte,
		) (gaby.Container, any, error) {
			<-fc.Context().Done()
			return c, nil, fc.Context().Err()
		})
	add("nap", api.FunctionSignature{Mutating: true},
		func(fc *api.FunctionContext, c gaby.Container, _ []api.FunctionArgument,
			_ []byte,
		) (gaby.Container, any, error) {
			time.Sleep(time.Duration(len(c)) * 650 * time.Millisecond)
			_, err := c[0].SetP("b", "metadata.labels.a")
			return c, nil, err
		})
	return func() (*functions.Executor, error) { return e, nil }
}

// run runs words with the manifest on the standard input.
func run(t *testing.T, ctx context.Context, words ...string) (status int, out, errOut string) {
	t.Helper()
	streams, in, stdout, stderr := iostreams.Test()
	in.WriteString(manifest)
	a := &command.App{Streams: streams, Executor: executor(t)}
	status = cli.Run(ctx, a, words)
	return status, stdout.String(), stderr.String()
}

func TestFailedValidationHasStatusOne(t *testing.T) {
	status, out, errOut := run(t, t.Context(), "do", "-", "U", "vet-nothing")
	if status != 1 || !strings.Contains(out, "never good enough") || errOut != "" {
		t.Errorf("status %d, %s%s", status, out, errOut)
	}
	// --data-only prints the configuration even so.
	if status, out, _ := run(t, t.Context(), "do", "--data-only", "-", "U",
		"vet-nothing"); status != 1 || out != manifest {
		t.Errorf("status %d, %s", status, out)
	}
}

func TestAPanicIsTheFunctionsFailure(t *testing.T) {
	status, out, errOut := run(t, t.Context(), "do", "-", "U", "panic-now", "then", "get-resources")
	if status != 4 || out != "" || !strings.Contains(errOut, "panic-now: ") ||
		!strings.Contains(errOut, "so much for that") {
		t.Errorf("status %d, %s%s", status, out, errOut)
	}
}

func TestDebugShowsTheStackOfAPanic(t *testing.T) {
	if _, _, errOut := run(t, t.Context(), "do", "-", "U", "panic-now"); strings.Contains(errOut,
		"do_test.go") || !strings.HasSuffix(errOut, "hint: --debug prints the stack\n") {
		t.Errorf("the stack is shown without --debug: %s", errOut)
	}
	if _, _, errOut := run(t, t.Context(), "do", "-", "U", "panic-now",
		"--debug"); !strings.Contains(errOut, "do_test.go") {
		t.Errorf("no stack: %s", errOut)
	}
}

func TestKeepGoingRunsTheRest(t *testing.T) {
	status, out, _ := run(t, t.Context(), "do", "--keep-going", "-o", "output", "-", "U",
		"panic-now", "then", "get-resources")
	if status != 4 || !strings.Contains(out, "v1/ConfigMap") {
		t.Errorf("status %d, %s", status, out)
	}
	status, out, _ = run(t, t.Context(), "do", "-o", "output", "-", "U", "panic-now", "then",
		"get-resources")
	if status != 4 || out != "" {
		t.Errorf("without: status %d, %s", status, out)
	}
}

// TestAFunctionIsInterrupted interrupts functions, including one that ignores its context.
func TestAFunctionIsInterrupted(t *testing.T) {
	for _, function := range []string{"wait", "wait-for-test"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		status, out, errOut := run(t, ctx, "do", "-", "U", function)
		if status != 130 || out != "" || errOut != "fctl: interrupted\n" {
			t.Errorf("%s: status %d, %q %q", function, status, out, errOut)
		}
	}
}

func TestListFitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 1000} {
		streams, _, out, _ := iostreams.Test()
		streams.SetTerminal(true, true, true, width)
		streams.SetEnv(func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] })
		a := &command.App{Streams: streams, Executor: executor(t)}
		if status := cli.Run(t.Context(), a, []string{"list"}); status != 0 {
			t.Fatalf("status %d", status)
		}
		longest := 0
		for line := range strings.Lines(out.String()) {
			longest = max(longest, len([]rune(strings.TrimSuffix(line, "\n"))))
		}
		if longest > width || width == 40 && longest < 40 {
			t.Errorf("%d columns wide on a terminal of %d", longest, width)
		}
		if cut := bytes.ContainsRune(out.Bytes(), '…'); cut != (width < 100) {
			t.Errorf("width %d: cut is %v", width, cut)
		}
		// A few long names must leave enough width for the descriptions of the others.
		if width == 80 && !strings.Contains(out.String(),
			"changes    Set the image of containers\n") {
			t.Errorf("little is said of the functions:\n%s", out)
		}
	}
}

func TestCommandsWithoutFunctionsMakeNoExecutor(t *testing.T) {
	for _, words := range [][]string{
		{"version"},
		{"help"},
		{"help", "do"},
		{},
		{"--version"},
		{"completion", "bash"},
	} {
		streams, _, _, _ := iostreams.Test()
		a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
			t.Errorf("%q makes an executor", words)
			return functions.NewEmptyExecutor(), nil
		}}
		if status := cli.Run(t.Context(), a, words); status != 0 {
			t.Errorf("%q: status %d", words, status)
		}
	}
}

// TestOnATerminal runs functions on a terminal: findings are lines, attributes a table. In a pipe
// they are JSON.
func TestOnATerminal(t *testing.T) {
	for _, c := range []struct {
		words    []string
		terminal bool
		status   int
		want     string
	}{
		{[]string{"vet-nothing"}, true, 1, "<stdin>: vet-nothing: never good enough\n"},
		{
			[]string{"get-string-path", "*", "metadata.name"},
			true, 0,
			"TYPE          NAME  VALUE  PATH           POSITION\n" +
				"v1/ConfigMap  a     a      metadata.name  <stdin>:4:9\n",
		},
		{[]string{"get-resources-of-type", "v1/ConfigMap"}, true, 0, "[\n"},
		{[]string{"get-string-path", "*", "metadata.name"}, false, 0, "[\n"},
		{[]string{"vet-nothing"}, false, 1, "[\n"},
		{
			[]string{"--color=always", "get-string-path", "*", "metadata.name", "-o", "table"},
			false,
			0, "\x1b[1mTYPE",
		},
	} {
		t.Run(strings.Join(c.words, " "), func(t *testing.T) {
			streams, in, out, _ := iostreams.Test()
			streams.SetTerminal(false, c.terminal, c.terminal, 80)
			streams.SetEnv(func(name string) string {
				return map[string]string{"NO_COLOR": "1"}[name]
			})
			in.WriteString(manifest)
			a := &command.App{Streams: streams, Executor: executor(t)}
			status := cli.Run(t.Context(), a, append([]string{"do", "-", "U"}, c.words...))
			if status != c.status || !strings.HasPrefix(out.String(), c.want) {
				t.Errorf("%q on a terminal %v: status %d\n%s", c.words, c.terminal, status, out)
			}
		})
	}
}

// TestProgressStays checks that output to a stream that is not the terminal leaves the progress on
// the terminal.
func TestProgressStays(t *testing.T) {
	dir := t.TempDir()
	for name, documents := range map[string]int{"a.yaml": 1, "b.yaml": 2} {
		if err := os.WriteFile(filepath.Join(dir, name),
			[]byte(strings.Repeat("---\n"+manifest, documents)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	streams, _, out, errOut := iostreams.Test()
	streams.SetTerminal(false, false, true, 80)
	a := &command.App{Streams: streams, Executor: executor(t)}
	status := cli.Run(t.Context(), a, []string{"do", "--check", "-f", dir, "nap"})
	if status != 1 || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("status %d, %s%s", status, out, errOut)
	}
	if shown := errOut.String(); !strings.Contains(shown, "\r1 of 2 files") ||
		strings.Count(shown, "\x1b[K") != 1 {
		t.Errorf("got %q", shown)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWhatCannotBePrintedIsAFailure(t *testing.T) {
	for _, words := range []string{
		"", "--help", "do --help", "help do", "help where", "where",
		"completion", "completion bash", "completion fish", "list", "version",
	} {
		errOut := &bytes.Buffer{}
		streams := iostreams.New(nil, fullDisk{}, errOut)
		a := &command.App{Streams: streams, Executor: executor(t)}
		if status := cli.Run(t.Context(), a, strings.Fields(words)); status != 4 ||
			errOut.String() != "fctl: writing the result: no space left\n" {
			t.Errorf("fctl %s: status %d, %s", words, status, errOut)
		}
	}
}

// The settings are read and the executor is made once, also if UNIT is left out.
func TestExecutorIsMadeOnce(t *testing.T) {
	for name, words := range map[string][]string{
		"without UNIT":   {"do", "-", "set-label", "a", "b"},
		"with UNIT":      {"do", "-", "unit", "set-label", "a", "b"},
		"flag before":    {"do", "-q", "-", "set-label", "a", "b"},
		"flag after":     {"do", "-", "set-label", "a", "b", "-q"},
		"vet":            {"vet", "-"},
		"vet a function": {"vet", "-", "vet-schemas"},
	} {
		t.Run(name, func(t *testing.T) {
			streams, in, _, stderr := iostreams.Test()
			in.WriteString(manifest)
			made := 0
			a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
				made++
				return functions.NewStandardExecutor(), nil
			}}
			if status := cli.Run(t.Context(), a, words); status != 0 || made != 1 {
				t.Errorf("status %d, made %d times: %s", status, made, stderr)
			}
		})
	}
}
