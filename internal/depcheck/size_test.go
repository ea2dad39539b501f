package depcheck_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The largest number of lines without tests that one can still find one's way in.
const (
	maxLines    = 5500
	maxDocument = 8000 // configkit/gaby, which scans, edits and prints one data structure
	maxFunction = 80
)

// minExamples is the number of examples that the documentation of the packages has.
const minExamples = 30

// eachSource visits the Go files of the repository.
func eachSource(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."),
		func(path string, entry fs.DirEntry, err error) error {
			name := entry.Name()
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (name == "testdata" || name == "out" || len(name) > 2 &&
				name[0] == '.'):
				return filepath.SkipDir
			case !strings.HasSuffix(name, ".go"):
				return nil
			}
			text, err := os.ReadFile(path)
			visit(filepath.ToSlash(path), text)
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPackagesAreSmall checks the number of lines of every package.
func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	eachSource(t, func(file string, text []byte) {
		if !strings.HasSuffix(file, "_test.go") {
			lines[path.Dir(file)] += bytes.Count(text, []byte{'\n'})
		}
	})
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

// TestFunctionsAreShort checks the number of lines of every function, and counts the examples.
func TestFunctionsAreShort(t *testing.T) {
	examples := 0
	files := token.NewFileSet()
	eachSource(t, func(path string, text []byte) {
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		isTest := strings.HasSuffix(path, "_test.go")
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if isTest && strings.HasPrefix(f.Name.Name, "Example") {
				examples++
			}
			begin, end := files.Position(f.Pos()).Line, files.Position(f.End()).Line
			if n := end - begin + 1; !isTest && n > maxFunction {
				t.Errorf("%s:%d: %s has %d lines, at most %d are allowed", path, begin,
					f.Name.Name, n, maxFunction)
			}
		}
	})
	if examples < minExamples {
		t.Errorf("%d examples, at least %d are expected", examples, minExamples)
	}
}
