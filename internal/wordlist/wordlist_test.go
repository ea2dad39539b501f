// Package wordlist holds the test that keeps comments, strings, names, help and documentation in
// plain English: some words have a better one in this project.
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
	"unicode"
)

// better maps what not to write to what to write.
func better() map[*regexp.Regexp]string {
	return map[*regexp.Regexp]string{
		regexp.MustCompile(`(?i)\bbehind\b`):                      "after",
		regexp.MustCompile(`(?i)\banew\b`):                        "again",
		regexp.MustCompile(`(?i)\btold\b`):                        "reported",
		regexp.MustCompile(`(?i)\b(tells?|telling) whether\b`):    "reports whether",
		regexp.MustCompile(`(?i)\bpass(es|ed)? over\b`):           "skip",
		regexp.MustCompile(`(?i)\bstands? (behind|at|in|for)\b`):  "follows, is, means",
		regexp.MustCompile(`(?i)\bstanding (behind|at|in|for)\b`): "following, in",
		regexp.MustCompile(`(?i)\b(is|are|was|were) no\b`):        "is not a",
		regexp.MustCompile(`(?i)\b(is|are|was|were) none\b`):      "is missing, has none",
		regexp.MustCompile(`(?i)\bdear(ly)?\b`):                   "expensive",
		regexp.MustCompile(`(?i)\bwish(es)?\b`):                   "option",
		regexp.MustCompile(`(?i)\broom\b`):                        "package",
	}
}

// retired are the words that no name contains.
func retired() []string {
	return []string{"behind", "anew", "told", "dear", "wish", "wishes", "room", "stands"}
}

// right are uses that are right: prose about absence or comparison.
func right() []string {
	return []string{"is no longer", "are no longer", "is no more than", "are no more than", "is no less than"}
}

// left returns how many such words a directory still has. A number may only fall.
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
			return source(path, func(line int, text string) { check(found, dir, path, line, text) })
		case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".txt") && dir == "internal/cli/help":
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
			t.Logf("%s has %d words left, left.txt says %d: UPDATE_WORDS=1 lowers it", dir, n, budget[dir])
		}
		delete(budget, dir)
	}
	for dir, n := range budget {
		t.Logf("%s has no words left, left.txt says %d: UPDATE_WORDS=1 removes it", dir, n)
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

// source visits the comments, strings and names of a file; a name once, as words.
func source(path string, visit func(line int, text string)) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		line := files.Position(pos).Line
		switch kind {
		case token.EOF:
			return nil
		case token.COMMENT, token.STRING:
			visit(line, text)
		case token.IDENT:
			if names[text] {
				continue
			}
			names[text] = true
			for _, word := range words(text) {
				if slices.Contains(retired(), word) {
					visit(line, word)
				}
			}
		}
	}
}

// words returns the words of a camel-case name in lower case.
func words(name string) []string {
	var words []string
	start := 0
	for i, c := range name {
		if unicode.IsUpper(c) && i > start {
			words = append(words, strings.ToLower(name[start:i]))
			start = i
		}
	}
	return append(words, strings.ToLower(name[start:]))
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
