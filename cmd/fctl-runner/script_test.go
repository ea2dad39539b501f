package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fctl-dev/fctl"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/wrapper/cli"
)

func TestMain(m *testing.M) {
	// With -race every process that a test starts would sleep for a second before it exits.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"fctl-runner": main, "fctl-wrapper": wrapper, "fctl": func() { os.Exit(fctl.Main()) }, "catalog": runCatalog,
	})
}

// wrapper is fctl-wrapper.
func wrapper() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], iostreams.System(), os.Getenv))
}

// runCatalog is a program that runs the function of the catalogue that its argument names.
func runCatalog() {
	text, err := io.ReadAll(os.Stdin)
	f, ok := catalog.Find(os.Args[1], "")
	if err == nil && !ok {
		err = errors.New("the catalogue has no " + os.Args[1])
	}
	if err == nil {
		var list *krm.ResourceList
		if list, err = krm.Apply(context.Background(), f, text); list != nil {
			out, problem := list.Bytes()
			_, write := os.Stdout.Write(out)
			err = errors.Join(err, problem, write)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestScript runs the scripts about fctl and fctl-runner together. Besides testscript's own
// commands there are:
//
//	serve ARG...           starts `fctl-runner serve` on a free port, and sets $RUNNER to its address
//	wrapper ARG...         does so with `fctl-wrapper`
//	status N COMMAND...    COMMAND ends with status N
//	catalog NAME           is a program that runs a function of the catalogue
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Values["env"] = env
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":   starts("fctl-runner", "serve", "--address", "127.0.0.1:0", "--metrics-address", ""),
			"wrapper": starts("fctl-wrapper", "--address", "127.0.0.1", "--port", "0"),
			"status":  status,
		},
	})
}

// starts returns a command that starts a server, which ends with the script.
func starts(words ...string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("no '!' is expected")
		}
		start(ts, slices.Concat(words, args))
	}
}

func start(ts *testscript.TestScript, words []string) {
	env, ok := ts.Value("env").(*testscript.Env)
	if !ok {
		ts.Fatalf("script has no environment")
	}
	// The commands of testscript.Main are in the first directory of the script's PATH.
	path := filepath.Join(filepath.SplitList(env.Getenv("PATH"))[0], words[0])
	cmd := exec.Command(path, words[1:]...)
	cmd.Env, cmd.Dir = env.Vars, ts.MkAbs(".")
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	log, ended := bufio.NewReader(stderr), make(chan struct{})
	var rest bytes.Buffer
	env.Defer(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	line, readErr := log.ReadString('\n')
	go func() {
		_, _ = io.Copy(&rest, log)
		_ = cmd.Wait()
		close(ended)
	}()
	found := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(line)
	if found == nil {
		<-ended
		ts.Fatalf("it does not listen: %v\n%s%s", readErr, line, rest.String())
	}
	ts.Setenv("RUNNER", found[1])
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("a status and a command are expected, and no '!'")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
