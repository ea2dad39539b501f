package depcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// mayReadErrors are the files that look into the text of errors, and why.
func mayReadErrors() map[string]string {
	return map[string]string{
		"../../configkit/formatkit/formattest/formattest.go": "it tests messages",
		"../../internal/bundle/contract/contract.go":         "cases say which text is expected",
		"../../internal/diag/diag.go":                        "a join has no text of its own",
		"../../internal/lang/cel/rule.go":                    "cel-go has no type for an overload that is missing",
		"../../internal/lang/cel/holds.go":                   "cel-go has no type for a key that is missing",
	}
}

// TestErrorsAreNotReadAsText checks that no decision depends on the text of an error: rewording a
// message must not change what a program does.
func TestErrorsAreNotReadAsText(t *testing.T) {
	used := map[string]bool{}
	eachSource(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range readsErrorText(file) {
			if mayReadErrors()[path] != "" {
				used[path] = true
				continue
			}
			t.Errorf("%s:%d looks into the text of an error: give it a type or a field", path,
				files.Position(at).Line)
		}
	})
	for path := range mayReadErrors() {
		if !used[path] {
			t.Errorf("%s does not read the text of an error: remove it from the list", path)
		}
	}
}

// readsErrorText returns where a file searches, cuts or compares the text of an error.
func readsErrorText(file *ast.File) []token.Pos {
	isText := func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) > 0 {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "Error"
	}
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 || !isText(n.Args[0]) {
				return true
			}
			switch name := functionOf(n); name {
			case "strings.Contains", "strings.HasPrefix", "strings.HasSuffix", "strings.CutPrefix",
				"strings.CutSuffix", "strings.TrimPrefix", "strings.TrimSuffix", "strings.Index",
				"strings.EqualFold":
				found = append(found, f.Pos())
			}
		case *ast.BinaryExpr:
			isNil := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "nil" }
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isText(n.X) || isText(n.Y)) &&
				!isNil(n.X) && !isNil(n.Y) {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

// TestErrorTextIsFound checks that the test finds what is wrong.
func TestErrorTextIsFound(t *testing.T) {
	for body, want := range map[string]int{
		`_ = strings.Contains(err.Error(), "x")`:                 1,
		`_, _ = strings.CutPrefix(e.Err.Error(), "x")`:           1,
		`_ = err.Error() == "x"`:                                 1,
		`_ = "x" != err.Error()`:                                 1,
		`_ = strings.Contains(text, "x")`:                        0,
		`_ = errors.Is(err, other); println(err.Error())`:        0,
		`line, _, _ := strings.Cut(err.Error(), "\n"); _ = line`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc a() {"+body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(readsErrorText(file)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}
