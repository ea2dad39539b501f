package lsp

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lsp/lsptest"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/settings"
)

// edit starts a server in this process for a directory with files. change changes the server and the
// settings.
func edit(t *testing.T, files map[string]string, change func(*Server, *settings.Settings),
) *lsptest.Editor {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := settings.Defaults()
	server := &Server{
		Settings: func(folder string) (string, *settings.Settings, error) { return folder, s, nil },
		Executor: func(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
			executor := functions.NewStandardExecutor()
			if s == nil {
				return executor, nil
			}
			streams := iostreams.New(nil, nil, nil)
			return executor, do.AddResourceTypes(ctx, executor, do.Reader(s, streams), s)
		},
		Report: func(err error) { t.Error(err) },
	}
	if change != nil {
		change(server, s)
	}
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(t.Context(), serverIn, serverOut)
		_ = serverOut.Close()
	}()
	e := lsptest.New(t, dir, in, out, map[string]any{})
	t.Cleanup(func() {
		_ = in.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
	})
	return e
}

// TestPlaces compares the places of a text with those that are counted one by one.
func TestPlaces(t *testing.T) {
	content := "a: 𝄞b\r\n\nc: \"é, x\"\n"
	for _, utf8 := range []bool{false, true} {
		for _, place := range []struct {
			line, column       int // as fctl counts
			character, in8, at int
			backwards          bool
		}{
			{1, 1, 0, 0, 0, false},
			{1, 4, 3, 3, 3, false},
			{1, 5, 5, 7, 7, false},
			{1, 6, 6, 8, 8, false},
			{1, 9, 6, 8, 8, true},
			{2, 1, 0, 0, 10, false},
			{3, 6, 5, 6, 17, false},
			{3, 5, 4, 4, 15, true},
			{4, 1, 0, 0, 22, false},
			{9, 1, 0, 0, 22, true},
		} {
			text := newText([]byte(content), utf8)
			want := place.character
			if utf8 {
				want = place.in8
			}
			at := api.Position{Line: place.line, Column: place.column}
			for range 2 { // the second time from where the first one ended
				if got := text.at(at); got != place.at {
					t.Errorf("%v is at %d, want %d", at, got, place.at)
				}
				got := text.position(place.at)
				if got.Character != want || got.Line != min(place.line, 4)-1 {
					t.Errorf("%d is %v, want %d", place.at, got, want)
				}
				if got := text.offset(got); got != place.at {
					t.Errorf("%v is at %d, want %d", got, got, place.at)
				}
			}
		}
	}
}

// TestLongLine has many findings in one line: the time is linear in its length.
func TestLongLine(t *testing.T) {
	const n = 50_000
	content := "[" + strings.Repeat("𝄞,", n) + "]"
	text := newText([]byte(content), false)
	var problems []problem
	for i := range n {
		problems = append(problems, problem{at: api.Position{Line: 1, Column: 2 + 2*i}, message: "x"})
	}
	for i := range n {
		if got := text.at(problems[i].at); got != 1+5*i {
			t.Fatalf("%d is at %d", i, got)
		}
	}
	if all := diagnosticsOf(text, problems); len(all) != mostDiagnostics+1 {
		t.Errorf("%d diagnostics", len(all))
	}
}

// TestChanges types in the middle of a buffer.
func TestChanges(t *testing.T) {
	e := edit(t, nil, nil)
	e.Open("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {𝄞: b, c: d}\n")
	e.Shows("map.yaml", "3:11-12 vet-semantics")
	e.Replace("map.yaml", 3, 7, 9, "k")
	e.Shows("map.yaml")
	e.Replace("map.yaml", 3, 16, 17, "[d]")
	e.Shows("map.yaml", "3:16-18 vet-schemas")
}

// TestDefinitions has a mistake in each kind of file that defines something. The words are those of
// the commands.
func TestDefinitions(t *testing.T) {
	e := edit(t, map[string]string{"ws/fctl-workspace.yaml": "{}\n"}, nil)
	for _, c := range []struct{ name, text, want string }{
		{
			"chain.yaml", "- function: set-replica\n  arguments: [5]\n",
			"0:12-23  unknown function \"set-replica\"\nhint: did you mean set-replicas?",
		},
		{
			"params.yaml", "parameters: [{name: n, type: int}]\nfunctions:\n" +
				"  - {function: get-replicas, argumens: [5]}\n",
			"2:29-37  an invocation has no field \"argumens\"\nhint: did you mean arguments?",
		},
		{
			"toml.yaml", "- function: vet-no-merge-conflicts\n- {function: x}\n",
			"1:13-14  unknown function \"x\"",
		},
		{
			"bundle.yaml", "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: a}\n" +
				"spec:\n  resource: []\n",
			"4:2-10  a spec has no field \"resource\"",
		},
		{
			"config.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
				"metadata: {name: a}\nspec:\n  goExecutor: {id: a, tag: [b]}\n  image: c\n",
			"4:22-25  a goExecutor has no field \"tag\"",
		},
		{
			"Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators:\n    - {image: b, imag: b}\n",
			"5:17-21  a function has no field \"imag\"",
		},
		{
			"data/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators:\n    - {image: search-replace:v0.2, configMap: {by-valu: b}}\n",
			"5:35-44  invalid matcher or mutator \"by-valu\"",
		},
		{
			"file/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  validators:\n    - {image: b, configPath: none.yaml}\n",
			"5:29-38  the package has no file none.yaml, which configPath names",
		},
		{
			"types.yaml", "resourceTypes:\n  example.com/v1/A:\n    scop: Cluster\n",
			"2:4-8  ",
		},
		{
			"ws/spaces/s/links/l.yaml", "FromUnits: a\n",
			"0:0-9  a link has no field \"FromUnits\"\nhint: did you mean FromUnit?",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.T = t
			e.Open(c.name, c.text)
			e.Shows(c.name, c.want)
		})
	}
}

// TestUnsaved opens documents that have no file yet: they are checked and explained like files.
func TestUnsaved(t *testing.T) {
	e := edit(t, map[string]string{"maps.yaml": configMap}, nil)
	for _, uri := range []string{"untitled:Untitled-1", "untitled:/tmp/new.yaml"} {
		text := strings.Replace(configMap, "a: b", "a: [b]", 1)
		e.Send("textDocument/didOpen", map[string]any{
			"textDocument": map[string]any{"uri": uri, "text": text},
		})
		m := e.Next(func(m lsptest.Message) bool {
			return m.Method == "textDocument/publishDiagnostics" && m.Params.URI == uri
		})
		if d := m.Params.Diagnostics; len(d) != 1 || d[0].Code != "vet-schemas" {
			t.Errorf("%s: %+v", uri, d)
		}
		var hover struct{ Contents struct{ Value string } }
		at := map[string]any{
			"textDocument": map[string]any{"uri": uri},
			"position":     map[string]any{"line": 3, "character": 1},
		}
		if e.Get("textDocument/hover", at, &hover); !strings.Contains(hover.Contents.Value, "data") {
			t.Errorf("%s: hover %+v", uri, hover)
		}
		var offered any
		if e.Get("textDocument/completion", at, &offered); offered == nil {
			t.Errorf("%s: no completion", uri)
		}
		e.Send("textDocument/didClose", at)
		e.Next(func(m lsptest.Message) bool {
			return m.Method == "textDocument/publishDiagnostics" && m.Params.URI == uri &&
				len(m.Params.Diagnostics) == 0
		})
	}
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"

// TestLargeFolder has more files than are read: the open ones are checked.
func TestLargeFolder(t *testing.T) {
	wrong := strings.Replace(configMap, "a: b", "a: [b]", 1)
	e := edit(t, map[string]string{"a.yaml": wrong, "b.yaml": configMap},
		func(server *Server, _ *settings.Settings) { server.mostFiles = 1 })
	e.Open("b.yaml", wrong)
	m := e.Next(func(m lsptest.Message) bool { return m.Method == "window/showMessage" })
	if want := "has more than 1 files"; !strings.Contains(m.Params.Message, want) {
		t.Errorf("%q, want %q", m.Params.Message, want)
	}
	m = e.Next(func(m lsptest.Message) bool { return m.Method == "textDocument/publishDiagnostics" })
	if m.Params.URI != e.URI("b.yaml") {
		t.Errorf("diagnostics of %s", m.Params.URI)
	}
}

// TestHostile opens a resource whose definition has a rule that takes too long: it gets one
// diagnostic, and other files get theirs.
func TestHostile(t *testing.T) {
	e := edit(t, map[string]string{"map.yaml": strings.Replace(configMap, "a: b", "a: [b]", 1)},
		func(_ *Server, s *settings.Settings) { s.TimeLimit = 500 * time.Millisecond })
	e.Open("crd.yaml", `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  names: {kind: A, plural: as, singular: a, listKind: AList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-validations:
                - rule: self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d != 1))))
              properties:
                l: {type: array, items: {type: integer}}
---
apiVersion: example.com/v1
kind: A
metadata: {name: a}
spec:
  l: [`+strings.Repeat("2, ", 2000)+`2]
`)
	// It reaches the limit of time or, on a quiet machine, that of its costs.
	e.Next(func(m lsptest.Message) bool {
		d := m.Params.Diagnostics
		return m.Params.URI == e.URI("crd.yaml") && len(d) == 1 &&
			strings.Contains(d[0].Message, "rule self.l.all(")
	})
	e.Shows("map.yaml", "3:10-12 vet-schemas")
}

// TestRefused remembers a text that reached a limit until it changes.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	s := &Server{
		buffers: map[string][]byte{path: []byte("a")}, refused: map[string]refusal{},
		tasks: map[*task]bool{},
	}
	ctx, end := s.begin(t.Context())
	defer end()
	s.limits = limit.New(s.abort)
	s.abort(&api.Failure{
		Pos: api.Position{File: path, Line: 1}, Message: "too long",
		Err: &limit.Error{Time: time.Second},
	})
	s.project().refuseText(context.Cause(ctx))
	p := s.project()
	if p.buffers[path] != nil || p.refused[path] == nil || p.refused[path].Message != "too long" {
		t.Errorf("%q, %v", p.buffers[path], p.refused[path])
	}
	s.buffers[path] = []byte("b")
	if p := s.project(); string(p.buffers[path]) != "b" || len(p.refused) > 0 {
		t.Errorf("%q, %v", p.buffers[path], p.refused)
	}
}
