package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// editor talks to fctl lsp.
type editor struct {
	t     *testing.T
	dir   string
	in    io.WriteCloser
	got   chan lspMessage
	ended chan error
	id    int
}

// lspMessage is a message of the server.
type lspMessage struct {
	ID     int
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	Params struct {
		URI         string
		Diagnostics []struct {
			Range struct {
				Start, End struct{ Line, Character int }
			}
			Severity      int
			Code, Message string
		}
	}
}

// edit starts fctl lsp for a directory with files.
func edit(t *testing.T, capabilities map[string]any, files map[string]string) *editor {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := process(t, "lsp")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, dir: dir, in: in, got: make(chan lspMessage, 100), ended: make(chan error, 1)}
	go func() {
		e.read(bufio.NewReader(out))
		e.ended <- cmd.Wait()
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has perhaps ended
	e.ask("initialize", map[string]any{"rootUri": e.uri(""), "capabilities": capabilities})
	e.send("initialized", map[string]any{})
	return e
}

// read reads messages until the server ends.
func (e *editor) read(from *bufio.Reader) {
	for {
		header, err := textproto.NewReader(from).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Error(err)
			return
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(from, text); err != nil {
			e.t.Error(err)
			return
		}
		var m lspMessage
		if err := json.Unmarshal(text, &m); err != nil {
			e.t.Errorf("%v\n%s", err, text)
			return
		}
		e.got <- m
	}
}

func (e *editor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.dir, name))}).String()
}

// write writes a message.
func (e *editor) write(m map[string]any) {
	e.t.Helper()
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.t.Fatal(err)
	}
}

// send sends a notification.
func (e *editor) send(method string, params any) {
	e.t.Helper()
	e.write(map[string]any{"method": method, "params": params})
}

// ask sends a request and returns the answer.
func (e *editor) ask(method string, params any) lspMessage {
	e.t.Helper()
	e.id++
	e.write(map[string]any{"id": e.id, "method": method, "params": params})
	return e.next(func(m lspMessage) bool { return m.ID == e.id })
}

// next returns the next message that fits.
func (e *editor) next(fits func(lspMessage) bool) lspMessage {
	e.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case m := <-e.got:
			if fits(m) {
				return m
			}
		case <-timeout:
			e.t.Fatal("no answer")
		}
	}
}

// open and change tell the server what is in a buffer.
func (e *editor) open(name, text string) {
	e.t.Helper()
	e.send("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name), "languageId": "yaml", "version": 1, "text": text},
	})
}

func (e *editor) change(name, text string) {
	e.t.Helper()
	e.send("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": e.uri(name), "version": 2},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// shows waits until a file has these diagnostics: "LINE:FROM-TO CODE WORDS" each.
func (e *editor) shows(name string, want ...string) {
	e.t.Helper()
	var got []string
	defer func() {
		if e.t.Failed() {
			e.t.Logf("%s: want %q, got %q", name, want, got)
		}
	}()
	e.next(func(m lspMessage) bool {
		if m.Method != "textDocument/publishDiagnostics" || m.Params.URI != e.uri(name) {
			return false
		}
		got = nil
		for _, d := range m.Params.Diagnostics {
			got = append(got, fmt.Sprintf("%d:%d-%d %s %s", d.Range.Start.Line, d.Range.Start.Character,
				d.Range.End.Character, d.Code, d.Message))
		}
		if len(got) != len(want) {
			return false
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				return false
			}
		}
		return true
	})
}

// The files of the tests.
const (
	editedMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
	editedPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n" +
		"    - name: web\n      image: nginx:1.29\n      envFrom:\n" +
		"        - configMapRef: {name: settings}\n"
)

// TestLSP types in two buffers.
func TestLSP(t *testing.T) {
	e := edit(t, map[string]any{}, map[string]string{"map.yaml": editedMap, "pod.yaml": editedPod})
	broken := strings.Replace(editedPod, "image: nginx", "# 𝄞 the image\n      imagee: nginx", 1)
	e.open("pod.yaml", broken)
	e.shows("pod.yaml", "7:6-12 vet-schemas unknown field imagee; did you mean image?")
	// What is in the buffer counts, and a reference into another file of the folder is found.
	e.change("pod.yaml", strings.Replace(editedPod, "name: settings", "name: setting", 1))
	e.shows("pod.yaml", "8:31-38 vet-references")
	e.change("pod.yaml", strings.Replace(editedPod, "{name: settings}", "{name: settings", 1))
	e.shows("pod.yaml", "8:24-29  unclosed {")
	e.change("pod.yaml", editedPod)
	e.shows("pod.yaml")
	// A buffer that is not on the disk is checked, and its name is known to others.
	e.open("new.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {porst: []}\n")
	e.shows("new.yaml", "3:6-12 vet-semantics ports is missing", "3:7-12 vet-schemas unknown field porst")
	e.send("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("new.yaml")}})
	e.shows("new.yaml")
	if m := e.ask("textDocument/foldingRange", map[string]any{}); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("%+v", m)
	}
	if m := e.ask("shutdown", nil); m.Error != nil || string(m.Result) != "null" {
		t.Errorf("%+v", m)
	}
	e.send("exit", nil)
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
}

// TestLSPCountsAsTheEditorDoes has a character before a finding that takes two units of UTF-16 and
// four bytes.
func TestLSPCountsAsTheEditorDoes(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {𝄞: b, c: [1]}\n"
	for encoding, want := range map[string][]string{
		"utf-16": {"3:11-12 vet-semantics", "3:17-19 vet-schemas"},
		"utf-8":  {"3:13-14 vet-semantics", "3:19-21 vet-schemas"},
	} {
		t.Run(encoding, func(t *testing.T) {
			e := edit(t, map[string]any{
				"general": map[string]any{"positionEncodings": []string{encoding}},
			}, map[string]string{})
			e.open("map.yaml", text)
			e.shows("map.yaml", want...)
		})
	}
}

// TestLSPRefuses sends what an editor must not send: the server ends, or goes on.
func TestLSPRefuses(t *testing.T) {
	e := edit(t, map[string]any{}, map[string]string{"map.yaml": editedMap})
	if _, err := io.WriteString(e.in, "Content-Length: 3\r\n\r\n{x}"); err != nil {
		t.Fatal(err)
	}
	e.send("textDocument/didOpen", map[string]any{"textDocument": 1})
	e.send("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:1", "text": "a"}})
	e.send("$/unknown", nil)
	e.open("map.yaml", strings.Replace(editedMap, "kind: ConfigMap", "kind: [", 1))
	e.shows("map.yaml", "2:8-9  a pair inside a flow list")
	e.send("exit", nil)
	if err := <-e.ended; err == nil {
		t.Error("an exit without a shutdown has the status 0")
	}
	e = edit(t, map[string]any{}, map[string]string{})
	if _, err := io.WriteString(e.in, "Content-Length: 99999999999\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-e.ended; err == nil {
		t.Error("a message that is too long has the status 0")
	}
}
