// Package examples_test builds and runs the examples, and compares the manuals for authors with
// them.
//
// Layer: programs.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/exampletest"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/google/go-cmp/cmp"
)

// binaries is the directory of what build built.
var binaries string

func TestMain(m *testing.M) {
	var err error
	if binaries, err = os.MkdirTemp("", "examples"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(status)
}

// build builds an example, if no other test has, and returns the path of the binary.
func build(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the examples")
	}
	binary := filepath.Join(binaries, name)
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, "./"+name).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// run runs an example in its directory and returns its output and its exit status.
func run(t *testing.T, binary string, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(binary, words...)
	cmd.Dir = filepath.Base(binary)
	cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=")
	return exampletest.Run(t, cmd)
}

func TestExamplesAreCommands(t *testing.T) {
	for name, cases := range map[string][]struct {
		words  []string
		stdout string // a file, or part of the output
		stderr string
		status int
	}{
		"hello-world": {
			{
				[]string{"do", "testdata/in.yaml", "Shop", "hello-world"},
				"hello-world/testdata/greets-everybody/out.yaml", "", 0,
			},
			{
				[]string{"do", "testdata/in.yaml", "Shop", "hello-world", "a", "b"},
				"",
				"too many arguments: got 2, expected 1", 2,
			},
			{
				[]string{"do", "testdata/in.yaml", "Shop", "hello-wordl"},
				"",
				"did you mean hello-world?", 2,
			},
			{[]string{"list"}, "Greet every resource with an annotation", "", 0},
		},
		"custom-resource": {
			{
				[]string{"do", "testdata/in.yaml", "Cache", "set-shard-weight", "a", "50"},
				"custom-resource/testdata/sets-one/out.yaml", "", 0,
			},
			{
				[]string{"do", "testdata/in.yaml", "Cache", "get-shard-weight", "b"},
				`"Value": 25`,
				"", 0,
			},
			{
				[]string{"do", "testdata/in.yaml", "Cache", "set-shard-weight", "a", "101"},
				"",
				"out of range, it must be from 0 to 100", 2,
			},
		},
		"porting": {
			{
				[]string{"do", "testdata/in.yaml", "Cache", "set-owner", "shop"},
				"porting/testdata/sets-the-owner/out.yaml", "", 0,
			},
			{
				[]string{"do", "testdata/in.yaml", "Cache", "vet-owners", "--combine-validations"},
				`"2 resources have 2 owners"`, "", 1,
			},
		},
		"own-format": {
			{
				[]string{
					"do", "testdata/in.conf", "Router",
					"get-int-path", "*", "vm.swappiness",
				},
				`"Value": 10`, "", 0,
			},
			{
				[]string{
					"do", "--toolchain", "Example/Sysctl", "testdata/in.conf", "Router",
					"set-replicas", "1",
				},
				"", "unknown function", 2,
			},
			{[]string{"list", "--toolchain", "Example/Sysctl"}, "set-int-path", "", 0},
			{
				[]string{"explain", "--toolchain", "Example/Sysctl", "set-int-path"},
				"own-format do sysctl.conf", "", 0,
			},
			{
				[]string{
					"do", "--toolchain", "auto", "-f", "testdata", "get-int-path", "*",
					"vm.swappiness",
				},
				`"Value": 10`, "", 0,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			binary := build(t, name)
			for _, c := range cases {
				stdout, stderr, status := run(t, binary, c.words...)
				if strings.HasSuffix(c.stdout, ".yaml") {
					if want := exampletest.Read(t, c.stdout); stdout != want {
						t.Errorf("%s %q: (-want +got)\n%s", name, c.words, cmp.Diff(want, stdout))
					}
				} else if !strings.Contains(stdout, c.stdout) ||
					(c.stdout == "") != (stdout == "") {
					t.Errorf("%s %q: %s, want %s", name, c.words, stdout, c.stdout)
				}
				if status != c.status || !strings.Contains(stderr, c.stderr) ||
					(c.stderr == "") != (stderr == "") {
					t.Errorf(
						"%s %q: exit status %d, %s, want %d, %s", name, c.words, status, stderr,
						c.status, c.stderr,
					)
				}
			}
		})
	}
}

// block is a fenced block of a manual: its language, the file or example it is from, and its text.
type block struct {
	line           int
	language, from string
	text           string
}

// blocks returns the fenced blocks of a manual.
func blocks(t *testing.T, text string) []block {
	t.Helper()
	var found []block
	open := false
	for i, line := range strings.SplitAfter(text, "\n") {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && open:
			open = false
		case isFence:
			language, from, _ := strings.Cut(strings.TrimSpace(fence), " ")
			found = append(found, block{line: i + 1, language: language, from: from})
			open = true
		case open:
			found[len(found)-1].text += line
		}
	}
	if open {
		t.Fatal("a block is not closed")
	}
	return found
}

// TestPortingManual compares the Go blocks of the manual with the files they name. TestReadme of
// cmd/fctl runs its commands.
func TestPortingManual(t *testing.T) {
	const manual = "../docs/porting.md"
	for _, b := range blocks(t, exampletest.Read(t, manual)) {
		if b.language == "go" &&
			!strings.Contains("\n"+exampletest.Read(t, filepath.Join("..", b.from)), "\n"+b.text) {
			t.Errorf("%s:%d: this is not in %s:\n%s", manual, b.line, b.from, b.text)
		}
	}
}

// TestManual compares the Go blocks of the manual with the files they name, and runs its commands.
func TestManual(t *testing.T) {
	const manual = "../docs/writing-functions.md"
	found := blocks(t, exampletest.Read(t, manual))
	var languages []string
	for _, b := range found {
		languages = append(languages, b.language)
		path := filepath.Join("..", b.from)
		switch b.language {
		case "go":
			if text := exampletest.Read(t, path); b.text == "" || !strings.Contains("\n"+text, "\n"+
				b.text) {
				t.Errorf("%s:%d: this is not in %s:\n%s", manual, b.line, b.from, b.text)
			}
		case "console":
			name := filepath.Base(b.from)
			command, want, _ := strings.Cut(b.text, "\n")
			words, err := shellwords.Split(strings.TrimPrefix(command, "$ "))
			if err != nil || words[0] != name {
				t.Fatalf("%s:%d: %v, %s is to run %s", manual, b.line, err, command, name)
			}
			if stdout, stderr, _ := run(t, build(t, name), words[1:]...); stdout+stderr != want {
				t.Errorf("%s:%d: (-manual +now)\n%s", manual, b.line, cmp.Diff(want, stdout+stderr))
			}
		default:
			t.Errorf("%s:%d: a block says what it is and where it is from", manual, b.line)
		}
	}
	if !slices.Contains(languages, "go") || !slices.Contains(languages, "console") {
		t.Errorf("%s: blocks of %q only", manual, languages)
	}
}
