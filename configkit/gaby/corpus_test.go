package gaby_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A corpusFile is one input of testdata/corpus.
type corpusFile struct {
	Name string
	Text []byte
}

// corpus returns the hand-written tricky inputs, sorted by name.
func corpus(tb testing.TB) []corpusFile {
	tb.Helper()
	names, err := filepath.Glob("testdata/corpus/*.yaml")
	if err != nil || len(names) < 60 {
		tb.Fatalf("testdata/corpus holds %d files (%v), want 60 at least", len(names), err)
	}
	slices.Sort(names)
	var files []corpusFile
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, corpusFile{strings.TrimSuffix(filepath.Base(name), ".yaml"), text})
	}
	return files
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
