// Package wordlist holds the tests that keep comments, strings, names, help and documentation in
// plain English: some words have a better one in this project.
//
// Layer: programs.
package wordlist_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// word has a better one. Its pattern finds it in texts that contain its letters, which are looked
// for first because that is much faster.
type word struct {
	letters string
	pattern *regexp.Regexp
	instead string
}

// better returns what not to write, and what to write in place of it.
func better() []word {
	return []word{
		{"behind", regexp.MustCompile(`\bbehind\b`), "after"},
		{"anew", regexp.MustCompile(`\banew\b`), "again"},
		{"told", regexp.MustCompile(`\btold\b`), "reported"},
		{"whether", regexp.MustCompile(`\b(tells?|telling) whether\b`), "reports whether"},
		{" over", regexp.MustCompile(`\bpass(es|ed)? over\b`), "skip"},
		{"stand", regexp.MustCompile(`\bstands?\b`), "follows, is, means"},
		{"standing", regexp.MustCompile(`\bstanding (behind|at|in)\b`), "following, in"},
		{" no", regexp.MustCompile(`\b(is|are|was|were) no\b`), "is not a"},
		{" none", regexp.MustCompile(`\b(is|are|was|were) none\b`), "is missing, has none"},
		{"dear", regexp.MustCompile(`\bdear(ly)?\b`), "expensive"},
		{"wish", regexp.MustCompile(`\bwish(es)?\b`), "option"},
		{"room", regexp.MustCompile(`\broom\b`), "package"},
	}
}

// retired are the words that no name contains.
func retired() []string {
	return []string{"behind", "anew", "told", "dear", "wish", "wishes", "room", "stands"}
}

// right are uses that are right: what does not exist, comparisons, and programs that need no other.
func right() *regexp.Regexp {
	return regexp.MustCompile(
		`\bthere (is|are|was|were) (no|none)\b|\b(is|are) no (longer|more than|less than)\b|` +
			`\bstand-alone\b`)
}

func TestPlainWords(t *testing.T) {
	root := filepath.Join("..", "..")
	var found []string
	better, right := better(), right()
	check := func(path string, line int, text string) {
		text = strings.ToLower(text)
		for _, word := range better {
			if !strings.Contains(text, word.letters) {
				continue
			}
			for _, bad := range word.pattern.FindAllString(right.ReplaceAllString(text, ""), -1) {
				found = append(found, fmt.Sprintf("%s:%d: %q: %s", path, line, bad, word.instead))
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") && name != ".github" ||
				name == "testdata" || name == "golden-output" || name == "out" ||
				name == "wordlist") {
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
			return source(path, func(line int, text string) { check(path, line, text) })
		case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".txt") &&
			dir == "internal/cli/help":
			return prose(path, func(line int, text string) { check(path, line, text) })
		case name == "Makefile", !strings.HasPrefix(dir+"/", "examples/") &&
			(strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")):
			return comments(path, func(line int, text string) { check(path, line, text) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range found {
		t.Error(problem)
	}
}

// maxColumns is the number of columns that a line of prose may have.
const maxColumns = 100

// TestProseFits checks the lines of the pages that are written by hand. Tables and lines with an
// address, which cannot be broken, may be longer.
func TestProseFits(t *testing.T) {
	root := filepath.Join("..", "..")
	generated := []string{"cli.md", "errors.md", "functions.md"}
	pages := 0
	for _, pattern := range []string{
		"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/guide/*.md",
	} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if slices.Contains(generated, filepath.Base(path)) {
				continue
			}
			pages++
			if err := prose(path, func(line int, text string) {
				columns := utf8.RuneCountInString(text)
				if columns > maxColumns && !strings.HasPrefix(strings.TrimSpace(text), "|") &&
					!strings.Contains(text, "://") {
					t.Errorf("%s:%d: %d columns, more than %d", path, line, columns, maxColumns)
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if pages < 15 {
		t.Errorf("only %d pages were found", pages)
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

// comments visits the comments that # begins, of a Makefile or a YAML file.
func comments(path string, visit func(line int, text string)) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	comment := regexp.MustCompile(`(?:^|\s)#.*`)
	for i, line := range strings.Split(string(src), "\n") {
		visit(i+1, comment.FindString(line))
	}
	return nil
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
