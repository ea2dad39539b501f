package golden_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/google/go-cmp/cmp"
)

const update = "the real binary writes the golden files: make update-golden"

// load changes to testdata/, where cases run, and reads the list.
func load(t *testing.T) (cases []Case, goldenDir string) {
	t.Helper()
	goldenDir, err := filepath.Abs("../../golden-output")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../testdata")
	t.Setenv("HOME", "/nonexistent")
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "FCTL_") {
			t.Setenv(name, "")
		}
	}
	cases, err = Load("cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 10 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases, goldenDir
}

// TestGoldenOnOneProcessorAndOnEight runs the cases with more than one part again, a quarter of
// them on one processor, and with LONG=1 (make long) all cases on both. The output must not depend
// on the number of processors.
func TestGoldenOnOneProcessorAndOnEight(t *testing.T) {
	cases, dir := load(t)
	some := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !hasParts(c) })
	if len(some) < 50 {
		t.Errorf("only %d cases have more than one part", len(some))
	}
	long := os.Getenv("LONG") != ""
	if long {
		some = cases
	}
	for _, processors := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for i, c := range some {
			if !long && processors == 1 && i%4 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", processors, strings.TrimSuffix(c.File, ".out")),
				func(t *testing.T) {
					check(t, c, dir)
				})
		}
	}
}

func check(t *testing.T, c Case, dir string) {
	t.Helper()
	checkWords(t, c, c.Words, dir)
}

// checkWords runs words, which must do what the case does.
func checkWords(t *testing.T, c Case, words []string, dir string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(dir, c.File))
	if err != nil {
		t.Fatalf("%v (%s)", err, update)
	}
	if got := c.Text(Run(t.Context(), words)); !bytes.Equal(got, want) {
		t.Errorf("(-golden +now, %s)\n%s", update, cmp.Diff(string(want), string(got)))
	}
}

// hasParts reports whether a case has parts that run in parallel: several files, from words, a
// directory or a pattern, or a large file with its documents.
func hasParts(c Case) bool {
	files := 0
	for _, word := range c.Words {
		_, value, found := strings.Cut(word, "=")
		if !found || word[0] != '-' {
			value = word
		}
		info, err := os.Stat(value)
		switch {
		case err == nil && (info.IsDir() || info.Size() > 128<<10):
			return true
		case err == nil:
			files++
		default:
			matches, _ := filepath.Glob(value)
			files += len(matches)
		}
	}
	return files > 1
}

func TestListAndFilesMatch(t *testing.T) {
	cases, dir := load(t)
	missing, orphans, err := Missing(cases, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range missing {
		t.Errorf("case %s has no golden file (%s)", name, update)
	}
	for _, name := range orphans {
		t.Errorf("golden-output/%s has no case", name)
	}
}

func TestEveryFunctionHasACase(t *testing.T) {
	cases, _ := load(t)
	executor := functions.NewStandardExecutor()
	for _, toolchain := range executor.Toolchains() {
		var names []string
		for _, s := range executor.Signatures(toolchain) {
			names = append(names, s.FunctionName)
		}
		for _, name := range Uncovered(cases, names) {
			t.Errorf("%s of %s has no case in testdata/cases.txt", name, toolchain)
		}
	}
}

func TestLoadRejectsShellSyntax(t *testing.T) {
	for line, want := range map[string]bool{
		`name do 'a b' "c d" e\ f * ?x=y [a]`: true,
		`name do '$HOME' "a;b" '#' a~1b`:      true,
		`name do $HOME`:                       false,
		`name do "$HOME"`:                     false,
		"name do `x`":                         false,
		`name do a;b`:                         false,
		`name do a #b`:                        false,
		`name do ~/x`:                         false,
		`name do 'open`:                       false,
		`Name do x`:                           false,
		`name`:                                false,
		`name  two blanks`:                    false,
		"name a\nname b":                      false,
	} {
		t.Run(line, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cases.txt")
			if err := os.WriteFile(path, []byte("# comment\n\n"+line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path); (err == nil) != want {
				t.Errorf("%q: error %v", line, err)
			}
		})
	}
}

func TestChecksSeeWhatIsWrong(t *testing.T) {
	cases := []Case{
		{
			Name: "a", File: "get-x/a.out",
			Words: []string{"do", "-o", "json", "f.yaml", "U", "get-x", "then", "set-y", "then"},
		},
		{Name: "b", File: "version/b.out", Words: []string{"version"}},
	}
	if got := cases[0].Functions(); !slices.Equal(got, []string{"get-x", "set-y"}) {
		t.Errorf("functions %q", got)
	}
	if got := Uncovered(cases, []string{"get-x", "get-z"}); !slices.Equal(got,
		[]string{"get-z"}) {
		t.Errorf("uncovered %q", got)
	}
	if got := cases[0].OnFile("g.yaml"); !slices.Equal(got,
		[]string{"do", "--data-only", "g.yaml", "U", "get-x", "then", "set-y", "then"}) {
		t.Errorf("words %q", got)
	}
	dir := t.TempDir()
	for _, name := range []string{"version/b.out", "version/c.out"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750),
				os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		})
	}
	missing, orphans, err := Missing(cases, dir)
	if err != nil || !slices.Equal(missing, []string{"a"}) ||
		!slices.Equal(orphans, []string{"version/c.out"}) {
		t.Errorf("missing %q, orphans %q, %v", missing, orphans, err)
	}
}

func TestTextOfACase(t *testing.T) {
	c := Case{Line: "do 'x'"}
	got := string(c.Text(Result{Status: 4, Stdout: []byte("a"), Stderr: []byte("b\n")}))
	if want := "$ fctl do 'x'\nexit status 4\n== stdout\na\n\\ no newline at end\n== stderr\nb\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestFolderOfACase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.txt")
	list := "a do -o json f.yaml U get-replicas then set-image a b\nb do f.yaml U nothing\n" +
		"c diff a.yaml b.yaml\nd -C dir version\n" +
		"e --config c -C dir do f.yaml U set-image a b\nf --version\n"
	if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	cases, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, c := range cases {
		files = append(files, c.File)
	}
	if want := []string{
		"get-replicas/a.out", "do/b.out", "diff/c.out",
		"version/d.out", "set-image/e.out", "version/f.out",
	}; !slices.Equal(files, want) {
		t.Errorf("golden files %q, want %q", files, want)
	}
}
