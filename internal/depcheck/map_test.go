package depcheck_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMapHasAllPackages compares the map in docs/architecture.md with the packages that exist.
func TestMapHasAllPackages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	mapped := packagesOnMap(string(page))
	for _, pkg := range slices.Sorted(maps.Keys(load(t))) {
		path, ok := strings.CutPrefix(pkg, module+"/")
		if !ok || onNoMap(path) {
			continue
		}
		if !mapped[path] {
			t.Errorf("docs/architecture.md: the map lacks %s", path)
		}
	}
}

// onNoMap reports whether the map leaves a package out: docs/writing-functions.md and the READMEs
// of examples describe those.
func onNoMap(path string) bool {
	return path == "examples" || strings.HasPrefix(path, "examples/")
}

// packagesOnMap returns the paths that the first code block of a page names. A line that is not
// indented begins with a directory; the words after it, and in the lines below it, name packages in
// it, or describe them. a/ (b c) means a/b and a/c.
func packagesOnMap(page string) map[string]bool {
	mapped := map[string]bool{}
	_, block, _ := strings.Cut(page, "\n```\n")
	block, _, _ = strings.Cut(block, "\n```\n")
	group := regexp.MustCompile(`(\S+/) \(([^)]*)\)`)
	directory := ""
	for line := range strings.Lines(block) {
		line = group.ReplaceAllStringFunc(line, func(text string) string {
			parts := group.FindStringSubmatch(text)
			var paths []string
			for name := range strings.FieldsSeq(parts[2]) {
				paths = append(paths, parts[1]+name)
			}
			return strings.Join(paths, " ")
		})
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(line, " ") {
			directory = strings.TrimSuffix(words[0], "/")
			mapped[directory] = true
			words = words[1:]
		}
		for _, word := range words {
			mapped[directory+"/"+strings.TrimRight(word, ",;")] = true
		}
	}
	return mapped
}

func TestAPackageThatTheMapLacksIsSeen(t *testing.T) {
	mapped := packagesOnMap("# Map\n\n```\ncmd        main\nlib/       a  b   texts\n" +
		"           b/ (c d)  more\n```\n\n```\nlib/ e\n```\n")
	for path, want := range map[string]bool{
		"cmd": true, "lib/a": true, "lib/b": true, "lib/b/c": true, "lib/b/d": true,
		"lib/c": false, "lib/e": false, "b/c": false,
	} {
		t.Run(path, func(t *testing.T) {
			if mapped[path] != want {
				t.Errorf("on the map: %t, want %t", mapped[path], want)
			}
		})
	}
}
