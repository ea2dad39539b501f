package source

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// excluded asks about a path as a walk does: first about each directory that leads to it, then
// about the path itself.
func (i ignore) excluded(path string) bool {
	for at := range path {
		if path[at] == '/' && i.ignored(path[:at], true) {
			return true
		}
	}
	return i.ignored(path, false)
}

// git runs git without any settings but those of the repository.
func git(t testing.TB, dir string, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", append([]string{
		"-c", "core.excludesFile=/dev/null", "-c",
		"init.templateDir=", "-c", "safe.directory=*",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		err = nil // status 1: none of the paths is ignored
	}
	if err != nil {
		t.Fatalf("git %v: %v %s", args, err, stderr.String())
	}
	return out
}

// gitIgnores returns which of the paths git ignores, given the .gitignore of each directory.
func gitIgnores(t testing.TB, files map[string]string, paths []string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, nil, "init", "-q")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	out := git(t, dir, []byte(strings.Join(paths, "\x00")), "check-ignore", "--no-index", "--stdin",
		"-z", "-v", "-n")
	ignored := map[string]bool{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		ignored[fields[i+3]] = fields[i] != "" && !strings.HasPrefix(fields[i+2], "!")
	}
	return ignored
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkIgnore compares the decision of each text about each path with git's.
func checkIgnore(t testing.TB, texts, paths []string) {
	t.Helper()
	files := map[string]string{}
	var asked []string
	for i, text := range texts {
		files[fmt.Sprintf("%d/.gitignore", i)] = text
		for _, p := range paths {
			asked = append(asked, fmt.Sprintf("%d/%s", i, p))
		}
	}
	want := gitIgnores(t, files, asked)
	for i, text := range texts {
		own := ignore{git: &ignoreFile{patterns: parseIgnore([]byte(text))}}
		for _, p := range paths {
			if got := own.excluded(p); got != want[fmt.Sprintf("%d/%s", i, p)] {
				t.Errorf("%q about %q: ignored is %v, git says %v", text, p, got, !got)
			}
		}
	}
}

func TestIgnoreLinesAsGit(t *testing.T) {
	paths := []string{
		"a", "a/x", "b", "a/b", "a/b/x", "a/b/c", "a/b/c/x", "a.yaml", "x/a.yaml", "x/y/a.yaml",
		"#a", "!a", "a ", " a", "a b", "a\tb", "-", "]", "[a]", `a\`, `a\b`,
		"foo", "foo/x", "foo/bar", "foo/bar/baz", "x/foo", "x/foo/x", "x/foo/bar", "x/y/foo/bar",
		"ab", "abc", "aXc", "a^c", "a-c", "a/c", ".hidden", "x/.hidden", "**", "*", "?",
	}
	texts := []string{
		"a", "/a", "a/", "/a/", "*.yaml", "/*.yaml", "x/*.yaml", "**/*.yaml", "x/**", "x/**/",
		"**/foo", "**/foo/bar", "foo/**", "foo/**/baz", "a/**/c", "**", "**/", "/**", "/", "!",
		"!a",
		"a*", "a?", "a?c", "*a*", "*/b", "?", "a**", "a/**b", "**a", "a\n!a", "*\n!a",
		"*\n!*/\n!*.yaml", "/*\n!/foo\n/foo/*\n!/foo/bar", "a\r\nb\r\n", "a\r", "\ufeffa",
		"#a", `\#a`, `\!a`, "a ", `a\ `, `a\  `, " a", "a\t", `\a`, `a\\`, `a\`, `\`, `a\/b`, "[a]",
		"[!a]", "[^a]", "[a-c]", "[a-", "[]", "[]]", "[!]]", "[]-a]", "[a-]", "[-a]", `[\]]`,
		`[a\-c]`,
		"a[^]c", "a[!-]c", "[[:alpha:]]", "[[:alpha:]_]*", "[![:alpha:]]", "[[:nothing:]]",
		"[[:alpha]", "[[:alpha:]", "[a[:digit:]]", "a[[.]", "*[", "x/[a-z]*.yaml", "??",
		"a\x00b", "*\\", "foo//bar", "//foo", "foo/", "!foo/\nfoo", "foo\n!foo/bar",
		"foo/*\n!foo/bar", "\\*", "\\**", "*\\*", "a\\*",
	}
	checkIgnore(t, texts, paths)
}

// random returns the same sequence every time, except with make random.
func random(t *testing.T) *rand.Rand {
	seed := uint64(1)
	if os.Getenv("LONG") != "" {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestPatternsMatchWithoutBacktracking matches a pattern and a path for which a backtracking
// matcher would try every combination.
func TestPatternsMatchWithoutBacktracking(t *testing.T) {
	path := strings.Repeat("a", 2000) + "/" + strings.Repeat("a/", 1000) + "c"
	for _, p := range []string{
		strings.Repeat("*a", 500) + "b", strings.Repeat("**/a/", 300) + "b",
		strings.Repeat("**/*a*a*/", 100) + "b",
	} {
		t.Run(p, func(t *testing.T) {
			if doublestar.MatchUnvalidated(p, path) {
				t.Errorf("%.20s... matches", p)
			}
		})
	}
}
