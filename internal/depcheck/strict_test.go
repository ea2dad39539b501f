package depcheck_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOnlyStrictSuggestsKeys finds code that suggests names for unknown keys of a map without
// internal/strict, so that a mistake in a definition is reported in one way.
func TestOnlyStrictSuggestsKeys(t *testing.T) {
	suggests := regexp.MustCompile(`Suggest\(\w+\.Key\(\)`)
	others := map[string]string{
		"internal/krm/parse.go": "a ResourceList is what programs send, not a definition",
	}
	found := map[string]bool{}
	for path, p := range list(t, module+"/...") {
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if suggests.Match(text) {
				found[strings.TrimPrefix(path, module+"/")+"/"+name] = true
			}
		}
	}
	if !found["internal/strict/object.go"] {
		t.Error("internal/strict suggests nothing")
	}
	delete(found, "internal/strict/object.go")
	for file := range found {
		if others[file] == "" {
			t.Errorf("%s suggests names for the keys of a map; use internal/strict", file)
		}
	}
	for file := range others {
		if !found[file] {
			t.Errorf("%s suggests no names for keys any more; take it off the list", file)
		}
	}
}
