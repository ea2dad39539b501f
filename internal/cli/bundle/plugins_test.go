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
