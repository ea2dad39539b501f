package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fctl-dev/fctl"
)

func TestMain(m *testing.M) {
	// With -race every process that a test starts would sleep for a second before it exits.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	// nohup and shells without job control ignore signals also for programs that a program starts,
	// unless it handles them.
	if strings.HasSuffix(os.Args[0], ".test") {
		for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
			if signal.Ignored(s) {
				signal.Notify(make(chan os.Signal, 1), s)
			}
		}
	}
	command := func() { os.Exit(fctl.Main()) }
	testscript.Main(m, map[string]func(){"fctl": command, "shopctl": command})
}

// TestScript runs the scripts that describe the behaviour of the command line. Besides testscript's
// own commands there are three that check the exact exit status, which `! exec` does not:
//
//	status N COMMAND...       COMMAND ends with status N
//	unread N COMMAND...       the same, with a standard output nobody reads
//	interrupt N COMMAND...    the same, interrupted while it waits for its standard input
//
// $TESTDATA is the directory of the fixtures that several scripts share.
func TestScript(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TESTDATA", testdata)
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Values["env"] = env
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				want, words := statusWords(ts, neg, args)
				ts.Check(checkStatus(want, ts.Exec(words[0], words[1:]...)))
			},
			"unread":    unread,
			"interrupt": interrupt,
		},
	})
}

// process prepares a process that runs fctl.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "fctl" // TestMain runs the command of this name
	return cmd
}

func statusWords(ts *testscript.TestScript, neg bool, args []string) (want int, words []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("a status and a command are expected, and no '!'")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	return want, args[1:]
}

func checkStatus(want int, err error) error {
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode() // -1: killed by a signal
	} else if err != nil {
		return err
	}
	if got != want {
		return errors.New("exit status " + strconv.Itoa(got) + ", want " + strconv.Itoa(want))
	}
	return nil
}

// command prepares a process with the environment of the script.
func command(ts *testscript.TestScript, words []string) *exec.Cmd {
	env, ok := ts.Value("env").(*testscript.Env)
	if !ok {
		ts.Fatalf("no environment")
	}
	// The commands of testscript.Main are in the script's PATH.
	program := words[0]
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if path := filepath.Join(dir, program); isFile(path) {
			program = path
			break
		}
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Env, cmd.Dir = env.Vars, ts.MkAbs(".")
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func unread(ts *testscript.TestScript, neg bool, args []string) {
	want, words := statusWords(ts, neg, args)
	cmd := command(ts, words)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	cmd.Stdout = w
	ts.Check(checkStatus(want, cmd.Run()))
	ts.Check(w.Close())
	if stderr.Len() > 0 {
		ts.Fatalf("it said: %s", stderr.String())
	}
}

func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	want, words := statusWords(ts, neg, args)
	cmd := command(ts, words)
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	ts.Check(cmd.Start())
	defer time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() }).Stop()
	// This is more than a pipe holds, so once it is written the process is reading.
	_, err = stdin.Write(bytes.Repeat([]byte("# waiting\n"), 20_000))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	ts.Check(checkStatus(want, cmd.Wait()))
	if stdout.Len() > 0 {
		ts.Fatalf("it printed: %s", stdout.String())
	}
}

// TestScriptsAreShort holds the rule that a script makes one claim, which its first line states.
func TestScriptsAreShort(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > 140 {
			t.Errorf("%s has %d lines, about 120 are enough: split it, one claim in each part",
				path, n)
		}
		if !bytes.HasPrefix(text, []byte("# ")) {
			t.Errorf("%s does not begin with a comment that states its claim", path)
		}
	}
}
