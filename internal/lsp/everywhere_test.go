package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/settings"
)

// TestEverywhere asks at each place of several files, with the rest of the text and without: there is
// an answer or an error, and no panic.
func TestEverywhere(t *testing.T) {
	executor := functions.NewStandardExecutor()
	s := &Server{
		Executor: func(context.Context, *settings.Settings) (*functions.Executor, error) {
			return executor, nil
		},
		settings: settings.Defaults(), tasks: map[*task]bool{}, limits: limit.New(nil),
		executor: executor, dir: t.TempDir(),
	}
	for name, text := range map[string]string{
		"/pod.yaml": pod + "      env: [{name: A, value: \"𝄞 b\"}, &a {name: *b}]\n---\n? [x]\n: <<: *a\n",
		"/map.yaml": configMap + "---\r\napiVersion: v1\r\nkind: List\r\nitems: [{kind: a, b: |\n  c}]\n",
		"/chain.yaml": "parameters: [{name: a, type: int}]\nfunctions:\n- function: set-replicas\n" +
			"  arguments: {replicas: 5}\n- {function: get-name, where: \"a = 'b'\"}\n",
		"/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
			"  mutators: [{image: set-labels:v0.2, configMap: {a: b}}]\n",
		"/empty.yaml": "",
	} {
		for at := 0; at <= len(text); at += 2 {
			for _, content := range []string{text, text[:at]} {
				s.buffers = map[string][]byte{name: []byte(content)}
				q := question{path: name, Position: newText([]byte(content), false).position(at)}
				q.NewName = "new-name"
				for what, ask := range map[string]func(*project, context.Context, question) (any, error){
					"complete": (*project).complete, "hover": (*project).hover,
					"definition": (*project).definition, "prepareRename": (*project).prepareRename,
				} {
					err := guarded(func() error {
						_, err := ask(s.project(), t.Context(), q)
						return err
					})
					if err != nil && strings.HasPrefix(err.Error(), "a bug") {
						t.Fatalf("%s at %d of %q: %v", what, at, content, err)
					}
				}
			}
		}
	}
}

// TestGuarded turns a panic into an error.
func TestGuarded(t *testing.T) {
	if err := guarded(func() error { panic("x") }); err == nil ||
		!strings.HasPrefix(err.Error(), "a bug in fctl: x\n") {
		t.Error(err)
	}
	want := errors.New("y")
	if err := guarded(func() error { return want }); !errors.Is(err, want) {
		t.Error(err)
	}
}

// TestWrongPlaces asks about places that no file has, and sends diagnostics of another server.
func TestWrongPlaces(t *testing.T) {
	e := edit(t, nil, nil)
	e.Open("pod.yaml", pod)
	for _, place := range [][2]int{{-1, -1}, {-5, 0}, {0, -5}, {0, 1 << 40}, {1 << 40, 0}} {
		params := map[string]any{
			"textDocument": map[string]any{"uri": e.URI("pod.yaml")},
			"position":     map[string]any{"line": place[0], "character": place[1]},
			"context": map[string]any{"diagnostics": []any{
				map[string]any{"code": 5, "message": "did you mean x?"},
				map[string]any{
					"source": "fctl", "message": "did you mean x?",
					"range": map[string]any{"start": map[string]any{"line": place[0], "character": place[1]}},
				},
			}},
			"newName": "x",
		}
		for _, method := range []string{
			"completion", "hover", "definition", "prepareRename", "rename", "codeAction",
		} {
			if m := e.Ask("textDocument/"+method, params); m.Error != nil && method != "rename" {
				t.Errorf("%s at %v: %+v", method, place, m.Error)
			}
		}
	}
}

// TestManyOffers has many images in a file: the time is linear in their number.
func TestManyOffers(t *testing.T) {
	const n = 100_000
	began := time.Now()
	var o offers
	for i := range n {
		o.add(fmt.Sprint("image:", i%(n/2)), "")
	}
	if len(o.all) != n/2 {
		t.Errorf("%d offers", len(o.all))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	w := typed{text: newText([]byte("image:99"), false), to: 8}
	if got := w.completions(o, spot{}); len(got) != 111 {
		t.Errorf("%d completions", len(got))
	}
}
