// Package wordlist holds the test that keeps comments and documentation in plain English: some words have a better one in this
// project.
package wordlist_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// better maps what not to write to what to write.
func better() map[*regexp.Regexp]string {
	return map[*regexp.Regexp]string{
		regexp.MustCompile(`(?i)\bbehind\b`):                   "after",
		regexp.MustCompile(`(?i)\banew\b`):                     "again",
		regexp.MustCompile(`(?i)\btold\b`):                     "reported",
		regexp.MustCompile(`(?i)\b(tells?|telling) whether\b`): "reports whether",
		regexp.MustCompile(`(?i)\bpass(es|ed)? over\b`):        "skip",
		regexp.MustCompile(`(?i)\bstands? (behind|at|in)\b`):   "follows, is",
		regexp.MustCompile(`(?i)\b(is|are) no\b`):              "is not a",
		regexp.MustCompile(`(?i)\bdear\b`):                     "expensive",
		regexp.MustCompile(`(?i)\bwish(es)?\b`):                "option",
		regexp.MustCompile(`(?i)\broom\b`):                     "package",
	}
}

// right are uses that are right.
func right() []string {
	return []string{"there is no ", "there are no ", "There is no ", "There are no ", "is no longer", "are no longer", "is no more than", "are no more than"}
}

// left returns how many such words the comments of a package still have. A number may only fall.
func left(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile("left.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var n int
		var dir string
		if _, err := fmt.Sscan(line, &n, &dir); err != nil {
			t.Fatalf("left.txt: %q: %v", line, err)
		}
		counts[dir] = n
	}
	return counts
}

func TestPlainWords(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "golden-output" || name == "out" || name == "wordlist") {
				return filepath.SkipDir
			}
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		switch dir = filepath.ToSlash(dir); {
		case strings.HasSuffix(name, ".go"):
			return comments(path, func(line int, text string) { check(found, dir, path, line, text) })
		case strings.HasSuffix(name, ".md"):
			return prose(path, func(line int, text string) { check(found, dir, path, line, text) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_WORDS") != "" {
		update(t, found)
		return
	}
	budget := left(t)
	for dir, problems := range found {
		switch n := len(problems); {
		case n > budget[dir]:
			t.Errorf("%s has %d words that left.txt does not count, at most %d:\n%s", dir, n, budget[dir], strings.Join(problems, "\n"))
		case n < budget[dir]:
			t.Errorf("%s has %d words left, left.txt says %d: UPDATE_WORDS=1 lowers it", dir, n, budget[dir])
		}
		delete(budget, dir)
	}
	for dir, n := range budget {
		t.Errorf("%s has no words left, left.txt says %d: UPDATE_WORDS=1 removes it", dir, n)
	}
}

func check(found map[string][]string, dir, path string, line int, text string) {
	for _, use := range right() {
		text = strings.ReplaceAll(text, use, "")
	}
	for word, instead := range better() {
		for _, bad := range word.FindAllString(text, -1) {
			found[dir] = append(found[dir], fmt.Sprintf("%s:%d: %q: %s", path, line, bad, instead))
		}
	}
}

// comments visits the comments of a file.
func comments(path string, visit func(line int, text string)) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return nil
		case token.COMMENT:
			visit(files.Position(pos).Line, text)
		}
	}
}

// prose visits the lines of a page that are not in a code block.
func prose(path string, visit func(line int, text string)) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	code := false
	for i, line := range strings.Split(string(src), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			visit(i+1, line)
		}
	}
	return nil
}

func update(t *testing.T, found map[string][]string) {
	t.Helper()
	budget := left(t)
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		n := len(found[dir])
		if old, ok := budget[dir]; ok || len(budget) == 0 {
			if len(budget) > 0 {
				n = min(n, old)
			}
			fmt.Fprintln(&b, n, dir)
		}
	}
	if err := os.WriteFile("left.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
