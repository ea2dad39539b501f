package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lsp/lsptest"
	"github.com/fctl-dev/fctl/internal/settings"
)

// apply applies the edits of a file.
func apply(content string, edits []textEdit) string {
	slices.Reverse(edits)
	for _, e := range edits {
		t := newText([]byte(content), false)
		content = string(t.changed(e.Range, e.NewText))
	}
	return content
}

// TestMeant reads the questions of DidYouMean.
func TestMeant(t *testing.T) {
	for _, names := range [][]string{nil, {"a"}, {"a-b", "c"}, {"a", "b", "c.d/e"}} {
		if got := meant("unknown x; " + configkit.DidYouMean("", names)); !slices.Equal(got, names) {
			t.Errorf("%q, want %q", got, names)
		}
	}
}

// actionsFor asks for the actions for the diagnostics of a file.
func actionsFor(t *testing.T, e *lsptest.Editor, name string) (all []action) {
	t.Helper()
	m := e.Next(func(m lsptest.Message) bool {
		return m.Method == "textDocument/publishDiagnostics" && m.Params.URI == e.URI(name)
	})
	var shown struct{ Diagnostics []diagnostic }
	if err := json.Unmarshal(m.Raw, &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Diagnostics) == 0 {
		t.Fatal("nothing is wrong")
	}
	e.Get("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": e.URI(name)}, "range": shown.Diagnostics[0].Range,
		"context": map[string]any{"diagnostics": shown.Diagnostics},
	}, &all)
	return all
}

// TestActions does what diagnostics suggest.
func TestActions(t *testing.T) {
	e := edit(t, nil, nil)
	for _, c := range []struct{ name, text, want string }{
		{"pod.yaml", strings.Replace(pod, "image", "imagee", 1), pod},
		{"chain.yaml", "- function: \"set-replica\"\n", "- function: \"set-replicas\"\n"},
		{
			"reference.yaml", pod + "      envFrom: [{configMapRef: {name: setings}}]\n---\n" +
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n",
			pod + "      envFrom: [{configMapRef: {name: settings}}]\n---\n" +
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.T = t
			e.Open(c.name, c.text)
			all := actionsFor(t, e, c.name)
			if len(all) != 1 || all[0].Kind != kindQuickFix {
				t.Fatalf("%+v", all)
			}
			if got := apply(c.text, all[0].Edit.Changes[e.URI(c.name)]); got != c.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestFixAll fixes what a policy finds.
func TestFixAll(t *testing.T) {
	e := edit(t, nil, func(_ *Server, s *settings.Settings) {
		s.Policies = []settings.NamedPath{{Path: "baseline"}}
	})
	text := pod + "      securityContext: {privileged: true}\n"
	e.Open("pod.yaml", text)
	all := actionsFor(t, e, "pod.yaml")
	if len(all) != 1 || all[0].Kind != kindFixAll || all[0].Edit != nil {
		t.Fatalf("%+v", all)
	}
	var resolved action
	e.Get("codeAction/resolve", all[0], &resolved)
	if resolved.Edit == nil {
		t.Fatal("no edit")
	}
	got := apply(text, resolved.Edit.Changes[e.URI("pod.yaml")])
	if want := strings.Replace(text, "true", "false", 1); got != want {
		t.Errorf("got\n%s", got)
	}
	if m := e.Ask("codeAction/resolve", map[string]any{"title": "x"}); m.Error == nil {
		t.Error("an action of another server has no error")
	}
}
