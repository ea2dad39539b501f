// Package lsptest is an editor for tests of the language server.
//
// Layer: systems.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// Editor talks to a server.
type Editor struct {
	T   testing.TB
	Dir string // the folder
	In  io.WriteCloser
	// Ended is closed when the server has closed its output.
	Ended chan struct{}
	got   chan Message
	id    int
}

// Message is a message of the server.
type Message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	Raw    json.RawMessage `json:"-"` // the parameters as they are written
	Params struct {
		URI         string
		Message     string
		Diagnostics []struct {
			Range struct {
				Start, End struct{ Line, Character int }
			}
			Severity      int
			Code, Message string
		}
	}
}

// New begins to talk to a server about a folder.
func New(t testing.TB, dir string, in io.WriteCloser, out io.Reader, capabilities map[string]any,
) *Editor {
	t.Helper()
	e := &Editor{T: t, Dir: dir, In: in, got: make(chan Message, 1000), Ended: make(chan struct{})}
	go func() {
		e.read(bufio.NewReader(out))
		close(e.Ended)
	}()
	m := e.Ask("initialize", map[string]any{"rootUri": e.URI(""), "capabilities": capabilities})
	if m.Error != nil {
		t.Fatal(m.Error.Message)
	}
	e.Send("initialized", map[string]any{})
	return e
}

// read reads messages until the server ends.
func (e *Editor) read(from *bufio.Reader) {
	for {
		header, err := textproto.NewReader(from).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.T.Error(err)
			return
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(from, text); err != nil {
			e.T.Error(err)
			return
		}
		var m Message
		if err := json.Unmarshal(text, &m); err != nil {
			e.T.Errorf("%v\n%s", err, text)
			return
		}
		var raw struct{ Params json.RawMessage }
		if err := json.Unmarshal(text, &raw); err != nil {
			e.T.Error(err)
			return
		}
		m.Raw = raw.Params
		e.got <- m
	}
}

// URI returns the address of a file.
func (e *Editor) URI(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.Dir, name))}).String()
}

// write writes a message.
func (e *Editor) write(m map[string]any) {
	e.T.Helper()
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		e.T.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.In, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.T.Fatal(err)
	}
}

// Send sends a notification.
func (e *Editor) Send(method string, params any) {
	e.T.Helper()
	e.write(map[string]any{"method": method, "params": params})
}

// Ask sends a request and returns the answer.
func (e *Editor) Ask(method string, params any) Message {
	e.T.Helper()
	return e.Answer(e.Begin(method, params))
}

// Begin sends a request and returns its number.
func (e *Editor) Begin(method string, params any) int {
	e.T.Helper()
	e.id++
	e.write(map[string]any{"id": e.id, "method": method, "params": params})
	return e.id
}

// Answer waits for the answer to a request.
func (e *Editor) Answer(id int) Message {
	e.T.Helper()
	return e.Next(func(m Message) bool { return string(m.ID) == strconv.Itoa(id) && m.Method == "" })
}

// Next returns the next message that fits.
func (e *Editor) Next(fits func(Message) bool) Message {
	e.T.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case m := <-e.got:
			if fits(m) {
				return m
			}
		case <-timeout:
			e.T.Fatal("no answer")
		}
	}
}

// Open tells the server what is in a buffer.
func (e *Editor) Open(name, text string) {
	e.T.Helper()
	e.Send("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": e.URI(name), "languageId": "yaml", "version": 1, "text": text},
	})
}

// Cursor marks a place in the texts of tests.
const Cursor = "‸"

// At opens a file whose text has a Cursor, and returns the parameters of a request about that place.
func (e *Editor) At(name, text string) map[string]any {
	e.T.Helper()
	before, after, found := strings.Cut(text, Cursor)
	if !found {
		e.T.Fatalf("%s has no %s", name, Cursor)
	}
	e.Open(name, before+after)
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return map[string]any{
		"textDocument": map[string]any{"uri": e.URI(name)},
		"position": map[string]any{
			"line": strings.Count(before, "\n"), "character": len(utf16.Encode([]rune(line))),
		},
	}
}

// Hover returns what the server says about the Cursor of a file.
func (e *Editor) Hover(name, text string) string {
	e.T.Helper()
	var answer struct{ Contents struct{ Value string } }
	e.Get("textDocument/hover", e.At(name, text), &answer)
	return answer.Contents.Value
}

// Get sends a request and reads the answer.
func (e *Editor) Get(method string, params, answer any) {
	e.T.Helper()
	m := e.Ask(method, params)
	if m.Error != nil {
		e.T.Fatal(m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, answer); err != nil {
		e.T.Fatal(err)
	}
}

// Completions returns the texts that the server offers at the Cursor of a file.
func (e *Editor) Completions(name, text string) []string {
	e.T.Helper()
	var items []struct {
		TextEdit struct{ NewText string }
	}
	e.Get("textDocument/completion", e.At(name, text), &items)
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.TextEdit.NewText
	}
	return texts
}

// Change tells the server that a buffer has another text.
func (e *Editor) Change(name, text string) {
	e.T.Helper()
	e.Send("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": e.URI(name), "version": 2},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// Replace tells the server that a part of a line of a buffer has another text.
func (e *Editor) Replace(name string, line, from, to int, text string) {
	e.T.Helper()
	e.Send("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": e.URI(name), "version": 2},
		"contentChanges": []any{map[string]any{"text": text, "range": map[string]any{
			"start": map[string]any{"line": line, "character": from},
			"end":   map[string]any{"line": line, "character": to},
		}}},
	})
}

// Shows waits until a file has these diagnostics: "LINE:FROM-TO CODE WORDS" each.
func (e *Editor) Shows(name string, want ...string) {
	e.T.Helper()
	var got []string
	defer func() {
		if e.T.Failed() {
			e.T.Logf("%s: want %q, got %q", name, want, got)
		}
	}()
	e.Next(func(m Message) bool {
		if m.Method != "textDocument/publishDiagnostics" || m.Params.URI != e.URI(name) {
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
