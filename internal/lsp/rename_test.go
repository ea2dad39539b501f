package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/lsp/lsptest"
)

// The files of the tests of references.
const (
	settingsMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n"
	otherMap    = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: other}\n"
	usingPod    = pod + "      envFrom: [{configMapRef: {name: set‸tings}}]\n"
)

// folder opens a folder that is known.
func folder(t *testing.T, maps string) *lsptest.Editor {
	t.Helper()
	e := edit(t, map[string]string{"maps.yaml": maps}, nil)
	e.Open("wait.yaml", strings.Replace(configMap, "a: b", "a: [b]", 1))
	e.Shows("wait.yaml", "3:10-12 vet-schemas")
	return e
}

// TestDefinition goes to the resource to which a reference leads.
func TestDefinition(t *testing.T) {
	e := folder(t, otherMap+"---\n"+settingsMap)
	for name, c := range map[string]struct {
		text, file string
		line       int
	}{
		"pod.yaml":     {usingPod, "maps.yaml", 7},
		"same.yaml":    {usingPod + "---\n" + settingsMap, "same.yaml", 13},
		"missing.yaml": {strings.Replace(usingPod, "set‸tings", "x‸", 1), "", 0},
		"none.yaml":    {"‸", "", 0},
		"map.yaml":     {"a: ‸b", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			e.T = t
			var found []fileRange
			e.Get("textDocument/definition", e.At(name, c.text), &found)
			switch {
			case c.file == "" && len(found) == 0:
			case len(found) != 1 || found[0].URI != e.URI(c.file) ||
				found[0].Range.Start != editorPosition{c.line, 17}:
				t.Errorf("%+v", found)
			}
		})
	}
}

// TestRename renames a resource where it is defined or used.
func TestRename(t *testing.T) {
	used := strings.ReplaceAll(usingPod, lsptest.Cursor, "")
	for name, c := range map[string]struct{ maps, text string }{
		"a reference":       {settingsMap, usingPod},
		"of two namespaces": {otherMap + "---\n" + settingsMap, usingPod},
	} {
		t.Run(name, func(t *testing.T) {
			e := folder(t, c.maps)
			params := e.At("pod.yaml", c.text)
			var ready struct{ Placeholder string }
			e.Get("textDocument/prepareRename", params, &ready)
			if ready.Placeholder != "settings" {
				t.Errorf("%q", ready.Placeholder)
			}
			params["newName"] = "options"
			var edit workspaceEdit
			e.Get("textDocument/rename", params, &edit)
			want := strings.Replace(used, "settings", "options", 1)
			if got := apply(used, edit.Changes[e.URI("pod.yaml")]); got != want {
				t.Errorf("got\n%s", got)
			}
			want = strings.Replace(c.maps, "settings, namespace: shop", "options, namespace: shop", 1)
			if got := apply(c.maps, edit.Changes[e.URI("maps.yaml")]); got != want {
				t.Errorf("got\n%s", got)
			}
			if on, err := os.ReadFile(filepath.Join(e.Dir, "maps.yaml")); err != nil || string(on) != c.maps {
				t.Errorf("%v, the file is\n%s", err, on)
			}
		})
	}
	t.Run("mistakes", func(t *testing.T) {
		e := folder(t, settingsMap)
		params := e.At("pod.yaml", usingPod)
		for newName, want := range map[string]string{"A_b": "A_b", "": ""} {
			params["newName"] = newName
			m := e.Ask("textDocument/rename", params)
			if m.Error == nil || !strings.Contains(m.Error.Message, want) {
				t.Errorf("%q: %+v", newName, m.Error)
			}
		}
		params = e.At("none.yaml", "a: ‸b\n")
		params["newName"] = "c"
		if m := e.Ask("textDocument/rename", params); m.Error == nil ||
			m.Error.Message != "fctl: the name of a resource is expected here" {
			t.Errorf("%+v", m.Error)
		}
	})
}
