package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/lsp/lsptest"
)

// edit starts fctl lsp for a directory with files. The channel gets its end.
func edit(t *testing.T, capabilities map[string]any, files map[string]string,
) (*lsptest.Editor, chan error) {
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
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has perhaps ended
	e, ended := lsptest.New(t, dir, in, out, capabilities), make(chan error, 1)
	go func() {
		<-e.Ended
		ended <- cmd.Wait()
	}()
	return e, ended
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
	e, ended := edit(t, map[string]any{}, map[string]string{"map.yaml": editedMap, "pod.yaml": editedPod})
	broken := strings.Replace(editedPod, "image: nginx", "# 𝄞 the image\n      imagee: nginx", 1)
	e.Open("pod.yaml", broken)
	e.Shows("pod.yaml", "7:6-12 vet-schemas unknown field imagee; did you mean image?")
	// What is in the buffer counts, and a reference into another file of the folder is found.
	e.Change("pod.yaml", strings.Replace(editedPod, "name: settings", "name: setting", 1))
	e.Shows("pod.yaml", "8:31-38 vet-references")
	e.Change("pod.yaml", strings.Replace(editedPod, "{name: settings}", "{name: settings", 1))
	e.Shows("pod.yaml", "8:24-29  unclosed {")
	e.Change("pod.yaml", editedPod)
	e.Shows("pod.yaml")
	if got := e.Completions("other.yaml", strings.Replace(editedPod, "{name: settings}",
		"{name: "+lsptest.Cursor+"}", 1)); !slices.Equal(got, []string{"settings"}) {
		t.Errorf("%q", got)
	}
	got := e.Hover("chain.yaml", "- function: set-"+lsptest.Cursor+"replicas\n")
	if want := "\nUsage\n  fctl do FILE set-replicas REPLICAS\n"; !strings.Contains(got, want) {
		t.Errorf("%q has no %q", got, want)
	}
	place := e.At("use.yaml", strings.Replace(editedPod, "settings}", lsptest.Cursor+"settings}", 1))
	var found []struct{ URI string }
	e.Get("textDocument/definition", place, &found)
	if len(found) != 1 || found[0].URI != e.URI("map.yaml") {
		t.Errorf("%+v", found)
	}
	place["newName"] = "options"
	var renamed struct{ Changes map[string]any }
	e.Get("textDocument/rename", place, &renamed)
	if _, ok := renamed.Changes[e.URI("map.yaml")]; !ok {
		t.Errorf("%+v", renamed)
	}
	// A buffer that is not on the disk is checked, and its name is known to others.
	e.Open("new.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {porst: []}\n")
	e.Shows("new.yaml", "3:6-12 vet-semantics ports is missing", "3:7-12 vet-schemas unknown field porst")
	e.Send("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.URI("new.yaml")}})
	e.Shows("new.yaml")
	if m := e.Ask("textDocument/foldingRange", map[string]any{}); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("%+v", m)
	}
	if m := e.Ask("shutdown", nil); m.Error != nil || string(m.Result) != "null" {
		t.Errorf("%+v", m)
	}
	e.Send("exit", nil)
	if err := <-ended; err != nil {
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
			e, _ := edit(t, map[string]any{
				"general": map[string]any{"positionEncodings": []string{encoding}},
			}, map[string]string{})
			e.Open("map.yaml", text)
			e.Shows("map.yaml", want...)
		})
	}
}

// TestLSPRefuses sends what an editor must not send: the server ends, or goes on.
func TestLSPRefuses(t *testing.T) {
	e, ended := edit(t, map[string]any{}, map[string]string{"map.yaml": editedMap})
	if _, err := io.WriteString(e.In, "Content-Length: 3\r\n\r\n{x}"); err != nil {
		t.Fatal(err)
	}
	e.Send("textDocument/didOpen", map[string]any{"textDocument": 1})
	e.Send("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:1", "text": "a"}})
	e.Send("$/unknown", nil)
	e.Open("map.yaml", strings.Replace(editedMap, "kind: ConfigMap", "kind: [", 1))
	e.Shows("map.yaml", "2:8-9  a pair inside a flow list")
	e.Send("exit", nil)
	if err := <-ended; err == nil {
		t.Error("an exit without a shutdown has the status 0")
	}
	e, ended = edit(t, map[string]any{}, map[string]string{})
	if _, err := io.WriteString(e.In, "Content-Length: 99999999999\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a message that is too long has the status 0")
	}
}
