package fn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// R2: on a terminal each function of each package has a line when it starts, and each package one
// when it ended; a file has only those of what ended.
func TestRenderProgress(t *testing.T) {
	const kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n" +
		"  mutators:\n  - image: set-annotations:v0.1\n    configMap: {a: b}\n"
	const image = `"ghcr.io/kptdev/krm-functions-catalog/set-annotations:v0.1"`
	running := []string{
		`[RUNNING] ` + image + ` in package "."`, `[RUNNING] ` + image + ` in package "db"`,
	}
	ended := []string{
		`Package "db":`, `[PASS] ` + image, `Package ".":`, `[PASS] ` + image,
		"fctl: note: 3 files changed", "fctl: note: 2 functions in 2 packages",
	}
	for _, c := range []struct {
		name     string
		terminal bool
		want     []string
	}{{"terminal", true, slices.Concat(running, ended)}, {"file", false, ended}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"Kptfile":    kptfile,
				"db/Kptfile": strings.Replace(kptfile, "name: p", "name: db", 1),
				"db/a.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			streams, _, _, errOut := iostreams.Test()
			streams.SetTerminal(false, false, c.terminal, 80)
			a := &command.App{
				Name: "fctl", Streams: streams,
				Executor: func() (*functions.Executor, error) {
					return functions.NewStandardExecutor(), nil
				},
			}
			words := []string{"fn", "render", dir, "--color", "never", "--render-status=false"}
			if status := cli.Run(t.Context(), a, words); status != 0 {
				t.Fatalf("status %d", status)
			}
			have := slices.DeleteFunc(strings.Split(strings.TrimSpace(errOut.String()), "\n"),
				func(line string) bool { return strings.HasPrefix(line, "  ") }) // results
			slices.Sort(have[:max(0, len(have)-len(ended))]) // packages may start in any order
			if !slices.Equal(have, c.want) {
				t.Errorf("printed\n%s\nwant\n%s", strings.Join(have, "\n"),
					strings.Join(c.want, "\n"))
			}
		})
	}
}
