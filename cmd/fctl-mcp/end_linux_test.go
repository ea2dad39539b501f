package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// children returns the processes that a process has started.
func children(pid int) []string {
	var all []string
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // it may have ended
	for _, thread := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

// state returns the state of a process, and how many hundredths of a second it has worked.
func state(pid string) (_ string, worked int) {
	text, _ := os.ReadFile("/proc/" + pid + "/stat") // it may have ended
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 12 {
		return "", 0
	}
	worked, _ = strconv.Atoi(fields[11])
	return fields[0], worked
}

// wait waits until something is true.
func wait(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// TestCancel cancels a call that would take minutes. Its process ends, and the next call works.
func TestCancel(t *testing.T) {
	s, _, server := startServer(t, "--timeout=5m")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, slow())
		ended <- err
	}()
	wait(t, "a call runs", func() bool { return len(children(server.Process.Pid)) > 0 })
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call has not ended early")
	}
	wait(t, "its process ends", func() bool { return len(children(server.Process.Pid)) == 0 })
	if got, failed := call(t, s, "list_functions", object{"words": []string{"replicas"}}); failed {
		t.Error(got)
	}
}

// TestEnd ends a server that has a call in work, by the end of its input and by a signal: nothing
// stays.
func TestEnd(t *testing.T) {
	request, err := json.Marshal(object{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": slow()})
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(io.Closer, *os.Process) error{
		"the input ends": func(in io.Closer, _ *os.Process) error { return in.Close() },
		"a signal":       func(_ io.Closer, p *os.Process) error { return p.Signal(syscall.SIGTERM) },
		"it is killed":   func(_ io.Closer, p *os.Process) error { return p.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "--fctl="+os.Args[0], "--root="+t.TempDir(), "--timeout=5m")
			temporary := t.TempDir()
			cmd.Env = append(os.Environ(), "FCTL_TEST_MCP=1", "TMPDIR="+temporary)
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+
				`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+
				"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+string(request)+"\n")
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			wait(t, "a call works", func() bool {
				calls = children(cmd.Process.Pid)
				if len(calls) == 0 {
					return false
				}
				_, worked := state(calls[0])
				return worked > 50 // it has read its input
			})
			if err := end(in, cmd.Process); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			_ = cmd.Wait() // its status does not matter
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("the server took %v to end", took)
			}
			for _, pid := range calls {
				wait(t, "a call ends", func() bool {
					now, _ := state(pid)
					return now == "" || now == "Z" // nobody may wait for it
				})
			}
			left, err := os.ReadDir(temporary)
			if err != nil || len(left) > 0 && name != "it is killed" {
				t.Errorf("files are left: %v %v", left, err)
			}
		})
	}
}
