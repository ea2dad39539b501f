package depcheck_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// matching returns the source files that a pattern matches.
func matching(t *testing.T, pattern string) map[string]bool {
	t.Helper()
	re := regexp.MustCompile(pattern)
	found := map[string]bool{}
	for path, p := range list(t, module+"/...") {
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if re.Match(text) {
				found[strings.TrimPrefix(path, module+"/")+"/"+name] = true
			}
		}
	}
	return found
}

// TestOnlyStrictSuggestsKeys finds code that suggests names for unknown keys of a map without
// internal/strict, so that a mistake in a definition is reported in one way.
func TestOnlyStrictSuggestsKeys(t *testing.T) {
	const reader = "internal/krm/resourcelist/resourcelist.go" // a ResourceList is what programs send, not a definition
	found := matching(t, `Suggest\(\w+\.Key\(\)`)
	for _, file := range []string{"internal/strict/object.go", reader} {
		if !found[file] {
			t.Errorf("%s suggests no names for keys any more", file)
		}
		delete(found, file)
	}
	for file := range found {
		t.Errorf("%s suggests names for the keys of a map; use internal/strict", file)
	}
}

// TestOnlyProcessStartsPrograms finds code that starts programs without internal/process, so that
// their environment, limits and end are dealt with in one place. Public packages for tests may start
// programs.
func TestOnlyProcessStartsPrograms(t *testing.T) {
	const starts = `\bexec\.(Command|Cmd\{)|\b(os|syscall|unix)\.(StartProcess|ForkExec|Exec)\b`
	found := matching(t, starts)
	if !found["internal/process/process.go"] {
		t.Error("internal/process starts no programs")
	}
	for file := range found {
		switch filepath.ToSlash(filepath.Dir(file)) {
		case "internal/process",
			"configkit/formatkit/formattest", "examples/internal/exampletest":
		default:
			t.Errorf("%s starts a program; use internal/process", file)
		}
	}
}
