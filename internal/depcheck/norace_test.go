package depcheck_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesSayWhatRunsWithoutTheRaceDetector checks that the files *_norace_test.go, and no others,
// are excluded from builds with the race detector: make test finds them by their names.
func TestNamesSayWhatRunsWithoutTheRaceDetector(t *testing.T) {
	excluded := regexp.MustCompile(`(?m)^//go:build .*!race\b`)
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		named := strings.Contains(entry.Name(), "_norace")
		if excluded.Match(text) != named && !bytes.Contains(text, []byte("excluded.Match")) {
			t.Errorf("%s: the name and //go:build do not say the same about the race detector", path)
		}
		if named {
			found++
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d files run without the race detector, error %v", found, err)
	}
}
