package depcheck_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The largest number of lines without tests that one can still find one's way in.
const (
	maxLines    = 5500
	maxDocument = 8000 // configkit/gaby, which scans, edits and prints one data structure
)

// TestPackagesAreSmall checks the number of lines of every package.
func TestPackagesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	lines := map[string]int{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "out" || len(name) > 2 &&
			name[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		lines[filepath.ToSlash(filepath.Dir(path))] += bytes.Count(text, []byte{'\n'})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 {
		t.Fatalf("only %d packages", len(lines))
	}
	for dir, n := range lines {
		t.Run(dir, func(t *testing.T) {
			most := maxLines
			if dir == "../../configkit/gaby" {
				most = maxDocument
			}
			if n > most {
				t.Errorf("%s has %d lines, at most %d are allowed: move an independent part to a "+
					"package "+
					"of its own", strings.TrimPrefix(dir, "../../"), n, most)
			}
		})
	}
}
