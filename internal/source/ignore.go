package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fctl-dev/fctl/internal/diag"
)

// The files that exclude files of directories, in the syntax of gitignore(5). .fctlignore decides
// first, at whatever depth, and .gitignore decides the rest. So fctl can read generated files that
// git ignores, and skip files that git keeps.
const (
	fctlIgnore = ".fctlignore"
	gitIgnore  = ".gitignore"
)

const maxIgnoreFile = 64 << 20

// ignore is the ignore files of a directory and of those above it.
type ignore struct{ fctl, git *ignoreFile }

// ignoreFile is an ignore file and those of the same name above it.
type ignoreFile struct {
	above    *ignoreFile
	base     int // the length of its directory's path with the slash; patterns match what follows
	patterns []pattern
}

// ignored reports whether an entry of a directory is excluded. It is not called for entries of an
// excluded directory: as with git, these cannot be included again.
func (i ignore) ignored(path string, isDir bool) bool {
	if ignored, decided := i.fctl.decide(path, isDir); decided {
		return ignored
	}
	ignored, _ := i.git.decide(path, isDir)
	return ignored
}

func (f *ignoreFile) decide(path string, isDir bool) (ignored, decided bool) {
	for ; f != nil; f = f.above {
		rel := path[f.base:]
		name := rel[strings.LastIndexByte(rel, '/')+1:]
		for i := len(f.patterns) - 1; i >= 0; i-- {
			if p := &f.patterns[i]; p.matches(rel, name, isDir) {
				return !p.negated, true
			}
		}
	}
	return false, false
}

// in adds the ignore files of a directory, .fctlignore and the one called second. dir is the path
// to open, path the one that entries are matched with.
func (i ignore) in(dir, path, second string) (ignore, error) {
	var err error
	if i.fctl, err = i.fctl.read(filepath.Join(dir, fctlIgnore), path); err != nil {
		return i, err
	}
	i.git, err = i.git.read(filepath.Join(dir, second), path)
	return i, err
}

// read reads the ignore file, if there is one. As with git, it must not be a symbolic link.
func (f *ignoreFile) read(file, path string) (*ignoreFile, error) {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return f, nil
	}
	reader := Reader{RegularOnly: true, MaxSize: maxIgnoreFile}
	text, _, err := reader.readFile(context.Background(), file, false)
	if _, isLarge := errors.AsType[tooLarge](err); isLarge {
		err = fmt.Errorf("the file is larger than the limit of %s", sizeText(maxIgnoreFile))
	}
	if err != nil {
		return f, located(diag.FileName(file), err)
	}
	patterns := parseIgnore(text)
	if len(patterns) == 0 {
		return f, nil
	}
	base := len(path)
	if base > 0 {
		base++
	}
	return &ignoreFile{above: f, base: base, patterns: patterns}, nil
}

// pattern is a line of an ignore file.
type pattern struct {
	negated  bool // it includes what an earlier line excludes
	dirsOnly bool
	byName   bool // it matches names at any depth, not paths from its directory on
	glob     string
}

// parseIgnore parses the lines of an ignore file.
func parseIgnore(text []byte) []pattern {
	var patterns []pattern
	toGlob := doublestarOfGit()
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\uFEFF"))) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		// A NUL ends a pattern, because git handles lines as C strings.
		before, _, _ := bytes.Cut(line, []byte{0})
		patterns = append(patterns, parsePattern(trimBlanks(string(before)), toGlob))
	}
	return patterns
}

func parsePattern(line string, toGlob *strings.Replacer) pattern {
	var p pattern
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirsOnly = strings.CutSuffix(line, "/")
	p.byName = !strings.Contains(line, "/")
	p.glob = toGlob.Replace(strings.TrimPrefix(line, "/"))
	if strings.HasSuffix(p.glob, "/**") {
		p.glob += "/*" // the entries of the directory, but not the directory
	}
	return p
}

// doublestarOfGit returns a replacer that translates git's patterns to those of doublestar, which
// has alternatives in braces, no POSIX classes, and sets that match slashes.
func doublestarOfGit() *strings.Replacer {
	return strings.NewReplacer(
		`\\`, `\\`, `\{`, `\{`, `{`, `\{`, `\[`, `\[`,
		`[]`, `[\]`, `[!]`, `[!/\]`, `[^]`, `[!/\]`, `[!`, `[!/`, `[^`, `[!/`,
		`[:alnum:]`, `a-zA-Z0-9`, `[:alpha:]`, `a-zA-Z`, `[:digit:]`, `0-9`, `[:lower:]`, `a-z`,
		`[:space:]`, " \t\r\n", `[:upper:]`, `A-Z`, `[:xdigit:]`, `0-9a-fA-F`,
	)
}

// trimBlanks removes trailing spaces that are not escaped with a backslash.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i = min(i+1, len(line)-1)
		}
		end = i + 1
	}
	return line[:end]
}

func (p *pattern) matches(path, name string, isDir bool) bool {
	if p.dirsOnly && !isDir {
		return false
	}
	subject := path
	if p.byName {
		subject = name
	}
	return doublestar.MatchUnvalidated(p.glob, subject)
}
