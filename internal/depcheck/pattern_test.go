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

// TestOnePackageCompilesPatterns checks that only internal/lang/pattern compiles regular
// expressions of users, because it limits their size. Others may compile expressions that the
// code contains, on first use.
func TestOnePackageCompilesPatterns(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "out" || len(name) > 2 &&
			name[0] == '.'), path == filepath.Join(root, "internal", "lang", "pattern"):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		text, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, call := range patternCalls(text) {
			t.Errorf("%s calls %s: pattern.Compile compiles expressions of users", path, call)
		}
		for _, name := range patternsAtStart(text) {
			t.Errorf("%s compiles %s at every start: use sync.OnceValue", path, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d files", files)
	}
}

// patternCalls returns the calls in a file that compile regular expressions of others.
func patternCalls(file *ast.File) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch name := functionOf(call); name {
		case "regexp.Compile", "regexp.CompilePOSIX", "regexp.Match", "regexp.MatchString",
			"regexp.MatchReader":
			found = append(found, name)
		case "regexp.MustCompile", "regexp.MustCompilePOSIX":
			if isComputed(call.Args[0]) {
				found = append(found, name+" of a text that is computed")
			}
		}
		return true
	})
	return found
}

// patternsAtStart returns the variables of a package that compile a regular expression whenever the
// program starts, although few commands use it.
func patternsAtStart(file *ast.File) []string {
	var found []string
	for _, d := range file.Decls {
		vars, ok := d.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				call, ok := value.(*ast.CallExpr)
				if ok && strings.HasPrefix(functionOf(call), "regexp.") {
					found = append(found, spec.(*ast.ValueSpec).Names[0].Name)
				}
			}
		}
	}
	return found
}

// isComputed reports whether an expression calls a function, except to join constants.
func isComputed(e ast.Expr) bool {
	computed := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			computed = computed ||
				!slices.Contains([]string{"regexp.QuoteMeta", "strings.Join"}, functionOf(call))
		}
		return true
	})
	return computed
}

// functionOf returns the function that is called as package.Name, or "".
func functionOf(call *ast.CallExpr) string {
	if f, ok := call.Fun.(*ast.SelectorExpr); ok {
		if pkg, ok := f.X.(*ast.Ident); ok {
			return pkg.Name + "." + f.Sel.Name
		}
	}
	return ""
}

func TestACompiledPatternIsSeen(t *testing.T) {
	for call, want := range map[string]int{
		"regexp.Compile(x)": 1, "regexp.MatchString(x, y)": 1, "regexp.MustCompile(b.String())": 1,
		"regexp.MustCompile(`a`)": 0, "regexp.MustCompile(`a` + b + regexp.QuoteMeta(c))": 0,
		"pattern.Compile(x)": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nvar _ = "+call, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found := patternCalls(file); len(found) != want {
			t.Errorf("%s: %q", call, found)
		}
	}
	for text, want := range map[string]int{
		"var a = regexp.MustCompile(`a`)":                                                  1,
		"var a = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`a`) })": 0,
		"func f() { a := regexp.MustCompile(`a`); a.Longest() }":                           0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found := patternsAtStart(file); len(found) != want {
			t.Errorf("%s: %q", text, found)
		}
	}
}
