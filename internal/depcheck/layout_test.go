package depcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// counting returns the files that count characters for another purpose than to lay out text, with
// the reasons.
func counting() map[string]string {
	return map[string]string{
		"bundle/jsonpath/parse.go": "the column of a mistake",
		"bundle/quote.go":          "the column where a reference ends",
		"links/picture/cluster.go": "widths in a picture",
		"links/picture/layout.go":  "widths in a picture",
	}
}

// printNothing returns the directories that are not searched: internal/out, and packages below the
// commands, which count the columns of positions and the characters of values.
func printNothing() []string {
	return []string{"out", "formats", "knowledge", "lang", "where", "yamlpath"}
}

// TestOnlyOutLaysOut finds code that pads or measures text for people without internal/out, which
// escapes the cells of tables and fits them to the terminal.
func TestOnlyOutLaysOut(t *testing.T) {
	root, files := "..", 0
	reasons, used := counting(), map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || slices.Contains(printNothing(), rel)):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, found := range layouts(file) {
			if used[rel] = reasons[rel] != ""; !used[rel] {
				t.Errorf("internal/%s has %s: use internal/out, or give a reason", rel, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d files", files)
	}
	for file := range reasons {
		if !used[file] {
			t.Errorf("internal/%s does not count characters any more", file)
		}
	}
}

// layouts returns how a file lays out text.
func layouts(file *ast.File) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Value == `"text/tabwriter"` || strings.Contains(n.Value, "%-*s") {
				found = append(found, n.Value)
			}
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "utf8" &&
				n.Sel.Name == "RuneCountInString" {
				found = append(found, "utf8.RuneCountInString")
			}
		}
		return true
	})
	return found
}

func TestALayoutIsSeen(t *testing.T) {
	for text, want := range map[string]int{
		`import "text/tabwriter"`: 1, `var _ = f("%-*s", 5, x)`: 1, `var _ = f("%-5s", x)`: 0,
		`var _ = utf8.RuneCountInString(x)`: 1, `var count = utf8.RuneCountInString`: 1,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found := layouts(file); len(found) != want {
			t.Errorf("%s: %q", text, found)
		}
	}
}
