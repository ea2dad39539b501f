package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the program that a Sandbox starts again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == SandboxCommand {
		err := EnterSandbox(os.Args[2:])
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(125)
	}
	os.Exit(m.Run())
}

// script writes a shell script and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "function.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the functions of this test are shell scripts")
	}
}

func TestE8ProgramGetsBytesAndMinimalEnvironment(t *testing.T) {
	needUnix(t)
	host := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": "/h", "SECRET": "s",
		"ASKED": "a=b",
	}
	p := &Program{
		Path: script(t, `cat; printf '%s\n' "$@" "$PWD"; env | sort | grep -v -e PATH= -e PWD= `+
			`-e _= -e SHLVL; echo talk >&2`),
		Args: []string{"own"},
		LookupEnv: func(key string) (string, bool) {
			value, ok := host[key]
			return value, ok
		},
	}
	dir := t.TempDir()
	out, err := p.Run(t.Context(), Call{
		Stdin: []byte("in\n"), Args: []string{"a b"}, Dir: dir,
		Env: []string{"B=1=2", "ASKED", "UNSET", "B=2=3"},
	})
	if err != nil {
		t.Fatal(err, string(out.Stderr))
	}
	want := "in\nown\na b\n" + dir + "\nASKED=a=b\nB=2=3\nHOME=/h\n"
	if string(out.Stdout) != want {
		t.Errorf("stdout is\n%swant\n%s", out.Stdout, want)
	}
	if string(out.Stderr) != "talk\n" || out.ExitCode != 0 {
		t.Errorf("stderr %q, exit %d", out.Stderr, out.ExitCode)
	}
}

func TestE8EachFailureHasItsType(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		limits     Limits
		stdout     string
		is         func(error) bool
	}{
		{"missing", filepath.Join(dir, "none"), Limits{}, "", notStarted(Missing)},
		{"file mode", plain, Limits{}, "", notStarted(NotExecutable)},
		{"directory", dir, Limits{}, "", notStarted(NotExecutable)},
		{"no known format", broken, Limits{}, "", notStarted(NotExecutable)},
		{
			"exit status", script(t, "echo partly; exit 7"),
			Limits{},
			"partly\n",
			func(err error) bool {
				var e *ExitError
				return errors.As(err, &e) && e.Code == 7
			},
		},
		{"signal", script(t, "kill -TERM $$"), Limits{}, "", func(err error) bool {
			var e *SignalError
			return errors.As(err, &e) && e.Signal == syscall.SIGTERM
		}},
		{
			"timeout", script(t, "echo begun; sleep 60"),
			Limits{Time: 300 * time.Millisecond},
			"begun\n",
			is[*TimeoutError],
		},
		{
			"too much output", script(t, "while :; do echo yyyyyyy; done"),
			Limits{Output: 16},
			"yyyyyyy\nyyyyyyy\n", is[*OutputError],
		},
		{
			"too much talk", script(t, "while :; do echo yyyyyyy >&2; done"),
			Limits{Output: 16},
			"",
			is[*OutputError],
		},
		{
			"too much talk for people", script(t, "head -c 20000000 /dev/zero >&2"),
			Limits{},
			"",
			is[*OutputError],
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Program{Path: c.path}
			out, err := p.Run(t.Context(), Call{Dir: dir, Limits: c.limits})
			if !c.is(err) {
				t.Errorf("error is %T: %v", err, err)
			}
			if string(out.Stdout) != c.stdout {
				t.Errorf("stdout is %q, want %q", out.Stdout, c.stdout)
			}
		})
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// notStarted returns a check for an error that says that the function was not started for a cause.
func notStarted(cause Cause) func(error) bool {
	return func(err error) bool { return NotStarted(err, cause) }
}

func TestE8StdinThatIsNotReadIsNoError(t *testing.T) {
	needUnix(t)
	out, err := (&Program{Path: script(t, "echo done")}).Run(t.Context(),
		Call{Dir: t.TempDir(), Stdin: make([]byte, 10<<20)})
	if err != nil || string(out.Stdout) != "done\n" {
		t.Errorf("%v, %q", err, out.Stdout)
	}
	_, err = (&Program{Path: script(t, "exit 3")}).Run(t.Context(),
		Call{Dir: t.TempDir(), Stdin: make([]byte, 10<<20)})
	if !is[*ExitError](err) {
		t.Errorf("error is %v", err)
	}
}

func TestE8WorkingDirectory(t *testing.T) {
	needUnix(t)
	p := &Program{Path: script(t, "true")}
	for _, dir := range []string{"", "relative", "/", "/no/such/directory", "/bin/sh"} {
		t.Run(dir, func(t *testing.T) {
			if _, err := p.Run(t.Context(), Call{Dir: dir}); !notStarted(NotPossible)(err) {
				t.Errorf("directory %q: %v", dir, err)
			}
		})
	}
}

func TestD4FindProgram(t *testing.T) {
	needUnix(t)
	root := t.TempDir()
	sub := filepath.Join(root, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(sub, "fn")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(sub, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path    string
		outside bool
		want    string // "" for an error
	}{
		{"./fn", false, program},
		{"fn", false, program},
		{"../sub/fn", false, program},
		{program, false, program},
		{"/bin/sh", false, ""},
		{"/bin/sh", true, "/bin/sh"},
		{"./link", false, ""},
		{"./sh", false, ""},
		{"", false, ""},
		{"no-such-program-anywhere", false, ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			got, err := FindProgram(c.path, sub, root, c.outside)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("FindProgram(%q, outside %v) = %q, %v", c.path, c.outside, got, err)
			}
		})
	}
	if got, err := FindProgram("sh", sub, root, false); err != nil || !filepath.IsAbs(got) {
		t.Errorf("a bare name is not found on PATH: %q, %v", got, err)
	}
}

func TestE11Sandbox(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Sandbox: &Sandbox{Self: self}, Path: script(t, `cat
id -u
touch /etc/fctl-was-here 2>/dev/null && echo "wrote to /etc"
touch "$PWD/x" 2>/dev/null && echo "wrote to $PWD"
touch /tmp/x && ls /tmp/x
ls "$FCTL_LOCAL"
ls /sys/class/net 2>/dev/null >&2
cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '
grep -e NoNewPrivs -e CapEff /proc/self/status
`)}
	dir, local := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(local, "config.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(t.Context(), Call{Stdin: []byte("in\n"), Dir: dir, Local: local})
	if err != nil && (runtime.GOOS != "linux" || strings.Contains(err.Error(), "not permitted")) {
		t.Skipf("this system does not allow namespaces: %v", err)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out.Stderr)
	}
	want := "in\n65534\n/tmp/x\nconfig.yaml\nlo\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n"
	if string(out.Stdout) != want {
		t.Errorf("stdout is\n%swant\n%s%s", out.Stdout, want, out.Stderr)
	}
	if _, err := (&Program{Sandbox: p.Sandbox, Path: p.Path}).Run(t.Context(),
		Call{Dir: dir, NetworkWanted: true}); !notStarted(NoNetwork)(err) {
		t.Errorf("error is %v", err)
	}
	if _, err := (&Program{Sandbox: &Sandbox{Self: "/dev/null"}, Path: p.Path}).Run(t.Context(),
		Call{Dir: dir}); !notStarted(NotPossible)(err) {
		t.Errorf("a sandbox that cannot be made: %v", err)
	}
	_, err = (&Program{Sandbox: p.Sandbox, Path: script(t, "exit 9")}).Run(t.Context(),
		Call{Dir: dir})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 9 {
		t.Errorf("error is %v", err)
	}
}

func TestE4MergeEnv(t *testing.T) {
	got, err := MergeEnv([]string{"B=1", "A=x"}, []string{"B=2=3", "C"})
	if want := "A=x B=2=3 C"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"=x", "", "A=\x00"} {
		t.Run(bad, func(t *testing.T) {
			if _, err := MergeEnv([]string{bad}); err == nil {
				t.Errorf("%q is accepted", bad)
			}
		})
	}
}

func TestLimitOfMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of another process can only be limited on Linux")
	}
	p := &Program{Path: script(t, `sleep 0.2; x=$(head -c 400000000 /dev/zero | tr '\0' x); echo `+
		`${#x}`)}
	_, err := p.Run(t.Context(), Call{Dir: t.TempDir(), Limits: Limits{Memory: 100 << 20}})
	if err == nil {
		t.Error("a function used more memory than it may")
	}
}

// What a program writes is held once, whether there is too much of it or not.
func TestOutputIsHeldOnce(t *testing.T) {
	const most = 32 << 20
	for name, text := range map[string]struct{ bytes, kept int64 }{
		"all": {most - 1, most - 1}, "too much": {2 * most, 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Program{Path: script(t, fmt.Sprintf("head -c %d /dev/zero", text.bytes))}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := p.Run(t.Context(), Call{Dir: t.TempDir(), Limits: Limits{Output: most}})
			runtime.ReadMemStats(&after)
			if int64(len(out.Stdout)) != text.kept {
				t.Errorf("%d bytes are kept: %v", len(out.Stdout), err)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > most*9/4 {
				t.Errorf("%d bytes are made for %d", made, text.bytes)
			}
		})
	}
}
