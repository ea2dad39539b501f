//go:build unix && !race

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// outside is in a file beside the clone, which nothing may read.
const outside = "only-outside-8f1c"

// FuzzUntrustedClone runs commands in a clone whose settings, pipeline, chain and manifest are those
// of a stranger, with --untrusted. Nothing outside of the clone is read or written, nothing runs, and
// each command ends with a status that it may have. The scripts about untrusted repositories are the
// first inputs.
func FuzzUntrustedClone(f *testing.F) {
	scripts, err := filepath.Glob("../../cmd/fctl/testdata/script/untrusted-*.txtar")
	if err != nil || len(scripts) < 5 {
		f.Fatal(scripts, err)
	}
	seen := map[[4]string]bool{{}: true}
	add := func(input ...string) {
		if key := [4]string(input); !seen[key] {
			seen[key] = true
			f.Add(input[0], input[1], input[2], input[3])
		}
	}
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			f.Fatal(err)
		}
		files := map[string]string{}
		for _, file := range archive.Files {
			files[file.Name] = string(file.Data)
		}
		add(files["repo/.fctl.yaml"], files["repo/render/Kptfile"], files["repo/policy.yaml"],
			files["repo/run/a.yaml"]+files["repo/bundle.yaml"])
		add(files["repo/trust.setting"], files["repo/catalogue/Kptfile"], files["repo/chain.yaml"],
			files["repo/a.yaml"])
	}
	add("policy: ../canary.yaml\nschema: [../]\nresource-types: [../canary.yaml]\n",
		"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n  mutators:\n"+
			"  - {image: 'starlark:v0.5', configPath: ../canary.yaml}\n  - {exec: ./program}\n",
		"- {function: set-annotation, arguments: [a, 'file:../canary.yaml']}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n"+
			"    config.kubernetes.io/path: ../canary.yaml\n    config.kubernetes.io/function: |\n"+
			"      exec: {path: ./program}\n")
	f.Fuzz(func(t *testing.T, settings, kptfile, chain, manifest string) {
		if strings.Contains(settings+kptfile+chain+manifest, outside) {
			t.Skip("input has the text that marks the file outside")
		}
		clone(t, map[string]string{
			".fctl.yaml": settings, "Kptfile": kptfile, "chain.yaml": chain, "a.yaml": manifest,
		})
	})
}

// clone writes a clone and runs commands in it.
func clone(t *testing.T, files map[string]string) {
	t.Helper()
	top := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	canary := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + outside + "}\n"
	write("canary.yaml", canary, 0o600)
	write("repo/.git/HEAD", "ref: refs/heads/main\n", 0o600)
	ran := filepath.Join(top, "ran")
	for _, program := range []string{"repo/program", "bin/docker", "bin/podman", "bin/kubectl"} {
		write(program, "#!/bin/sh\n: >'"+ran+"'\n", 0o700) //nolint:gosec // it must be able to run
	}
	for path, text := range files {
		write("repo/"+path, text, 0o600)
	}
	t.Chdir(filepath.Join(top, "repo"))
	t.Setenv("PATH", filepath.Join(top, "bin"))
	for _, words := range [][]string{
		{"vet", "-f", ".", "-R"},
		{"vet", "--policy", "chain.yaml", "a.yaml"},
		{"do", "-i", "a.yaml", "--functions", "chain.yaml"},
		{"fn", "render", "."},
		{"fn", "run", "."},
	} {
		streams, _, stdout, stderr := iostreams.Test()
		a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
			return functions.NewStandardExecutor(), nil
		}}
		status := cli.Run(t.Context(), a, append([]string{"--untrusted"}, words...))
		if status < 0 || status > 4 {
			t.Errorf("%q ends with status %d", words, status)
		}
		if strings.Contains(stderr.String(), "--debug prints the stack") {
			t.Errorf("%q panics: %s", words, stderr)
		}
		if strings.Contains(stdout.String()+stderr.String(), outside) {
			t.Errorf("%q reads a file outside of the clone:\n%s%s", words, stdout, stderr)
		}
	}
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	text, err := os.ReadFile(filepath.Join(top, "canary.yaml"))
	if got := fmt.Sprint(names); err != nil || string(text) != canary || got != "[bin canary.yaml repo]" {
		t.Errorf("outside of the clone are %s: %v\n%s", got, err, text)
	}
}
