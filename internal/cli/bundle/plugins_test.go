package bundle_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Each factory is called once by every command that works with Bundles, and by no other one. One
// that fails ends the command.
func TestFactoriesAreCalledEagerly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.yaml")
	text := "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: b}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]int{
		"bundle render " + file: 1, "bundle validate " + file: 1, "bundle graph " + file: 1,
		"bundle to-delete " + file: 1, "bundle explain " + file: 1, "bundle plugins": 1,
		"plugin test filter " + file: 1, "version": 0, "list": 0, "bundle": 0,
	} {
		name, _, _ := strings.Cut(words, file)
		t.Run(name, func(t *testing.T) {
			calls := 0
			fails := func() (plugin.Plugin, error) {
				calls++
				return nil, errors.New("no key")
			}
			with := func(a *command.App) { a.Plugins = []plugin.NewFunc{fails} }
			status, _, stderr := runWith(t, with, strings.Fields(words)...)
			wantStatus, wantText := 0, ""
			if want > 0 {
				wantStatus, wantText = 4, "fctl: a plugin cannot be made: no key\n"
			}
			if calls != want || status != wantStatus || stderr != wantText {
				t.Errorf("%d calls, status %d: %s", calls, status, stderr)
			}
		})
	}
}

// copier is a plugin that returns the password of its dependency, or panics or fails with it.
type copier struct{ how string }

// Describe implements plugin.Plugin.
func (copier) Describe() *plugin.Description {
	return &plugin.Description{Name: "copier", GVK: plugin.NewGroupVersionKind("v1", "ConfigMap")}
}

// Process implements plugin.Plugin.
func (c copier) Process(_ map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	text, _ := ctx.Dependencies["a"].Outputs[0].Get("stringData", "password").(string)
	switch c.how {
	case "panic":
		panic(text)
	case "error":
		return &plugin.ProcessResultFailure{Error: errors.New(text)}
	}
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"password": text},
	}}}
}

// Tests of plugins show the values of Secrets only on request.
func TestPluginTestsMaskSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.yaml")
	const text = `name: one
dependencies:
  a:
    outputs: [{apiVersion: v1, kind: Secret, stringData: {password: correct-horse}}]
expect:
  object: {apiVersion: v1, kind: Secret, data: {other: YmF0dGVyeS1zdGFwbGU=}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"object", "panic", "error"} {
		t.Run(how, func(t *testing.T) {
			with := func(a *command.App) {
				a.Plugins = []plugin.NewFunc{func() (plugin.Plugin, error) { return copier{how}, nil }}
			}
			status, stdout, stderr := runWith(t, with, "plugin", "test", "copier", file)
			if shown := stdout + stderr; status != 1 || !strings.Contains(shown, "(sensitive)") ||
				strings.Contains(shown, "horse") || strings.Contains(shown, "YmF0") {
				t.Errorf("status %d: %s", status, shown)
			}
			_, stdout, _ = runWith(t, with, "plugin", "test", "copier", file, "--show-secrets")
			if !strings.Contains(stdout, "correct-horse") {
				t.Errorf("got %s", stdout)
			}
		})
	}
}
