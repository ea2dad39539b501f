package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/client"
	"github.com/fctl-dev/fctl/internal/server/frame"
	"github.com/fctl-dev/fctl/internal/server/remote"
)

// at runs a command with the functions of a server, and returns what it prints and says.
func at(t *testing.T, dir, url, command string, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := process(t, append([]string{command, "--server", url}, words...)...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // the status says how it ended
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// session opens a connection to a server that says what frames hold.
func session(t *testing.T, s *served) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := fmt.Fprintf(conn, "GET /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"+
		"Upgrade: %s\r\n\r\n", remote.Protocol); err != nil {
		t.Fatal(err)
	}
	var head []byte
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
		if _, err := conn.Read(one); err != nil {
			t.Fatalf("%v after %s", err, head)
		}
		head = append(head, one...)
	}
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 101 ")) {
		t.Fatalf("%s", head)
	}
	return conn
}

// TestSessionHasTheFunctionsOfTheServer uses functions that only the server knows.
func TestSessionHasTheFunctionsOfTheServer(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"types.yaml": "attributes:\n  shift: {description: the shift of a watch, dataType: int}\n" +
			"resourceTypes:\n  example.com/v1/Watch:\n    attributes: {shift: [spec.shift]}\n",
		"config.yaml": "resource-types: [types.yaml]\n",
		"watch.yaml": "apiVersion: example.com/v1\nkind: Watch\nmetadata: {name: night}\n" +
			"spec: {shift: 1} # of three\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, "", "--config", filepath.Join(dir, "config.yaml"))
	for _, c := range []struct {
		words  []string
		stdout string
	}{
		{[]string{"do", "watch.yaml", "set-shift", "2"}, "spec: {shift: 2} # of three\n"},
		{[]string{"do", "watch.yaml", "get-shift"}, "1"},
		{[]string{"list", "shift"}, "set-shift"},
		{[]string{"explain", "set-shift"}, "example.com/v1/Watch"},
		{[]string{"listpaths", "--attribute", "shift"}, "spec.shift"},
	} {
		stdout, stderr, status := at(t, dir, s.url, c.words[0], c.words[1:]...)
		if status != 0 || !strings.Contains(stdout, c.stdout) {
			t.Errorf("%v: status %d\n%s%s", c.words, status, stdout, stderr)
		}
	}
	if _, stderr, status := at(t, dir, s.url, "do", "watch.yaml", "set-shift", "x"); status != 2 ||
		!strings.Contains(stderr, "set-shift") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestSessionRefuses sends what fctl does not send.
func TestSessionRefuses(t *testing.T) {
	s := serve(t, "", "--max-body", "1000", "--timeout", "1s")
	for name, c := range map[string]struct{ text, want string }{
		"another kind": {string(frame.Frame{Number: 2}.Append(nil)), "begins with"},
		"no message":   {string(frame.Frame{Number: 1, Body: []byte("x")}.Append(nil)), "fctl: "},
		"long":         {string(frame.Frame{Number: 1, Body: make([]byte, 2000)}.Append(nil)), "1000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := session(t, s)
			if _, err := io.WriteString(conn, c.text); err != nil {
				t.Fatal(err)
			}
			f, err := frame.Read(conn, 10_000)
			if err != nil || f.Number != 0 || !strings.Contains(string(f.Body), c.want) {
				t.Errorf("%d %s, %v", f.Number, f.Body, err)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Error("the session goes on")
			}
		})
	}
	if _, err := s.Session(t.Context(), "chat"); err == nil ||
		!strings.Contains(err.Error(), remote.Protocol) {
		t.Error(err)
	}
	if err := s.OK(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSessionReachesALimit runs what does not end: the client says so, and the server goes on.
func TestSessionReachesALimit(t *testing.T) {
	s := serve(t, "", "--timeout", "500ms")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "web.yaml"), []byte(servedWeb), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, status := at(t, dir, s.url, "do", "web.yaml", "set-starlark",
		"x = 0\nfor i in range(9000000):\n  for j in range(9000000): x = x + 1")
	if status != 4 || !strings.Contains(stderr, "set-starlark") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if stdout, stderr, status := at(t, dir, s.url, "do", "web.yaml", "set-replicas", "5"); status != 0 ||
		!strings.Contains(stdout, "replicas: 5") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestSessionsEndWithTheServer shuts a server down while a session has no request in work.
func TestSessionsEndWithTheServer(t *testing.T) {
	s := serve(t, "")
	conn := session(t, s)
	other, err := client.New(s.url, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Read(conn, 10_000)
	if err != nil || !strings.Contains(string(f.Body), "shut down") {
		t.Errorf("%s, %v", f.Body, err)
	}
	began := time.Now()
	if err := s.cmd.Wait(); err != nil || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
