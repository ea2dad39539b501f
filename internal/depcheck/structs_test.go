package depcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// maxFields is the largest number of fields of a struct of the command line.
const maxFields = 15

// toMend are the structs that do not keep the rule yet. The list only becomes shorter.
func toMend() map[string]bool {
	return map[string]bool{
		"workspace unitConflicts": true, "workspace creation": true, "workspace unitCreate": true,
		"workspace unitDo": true, "workspace unitUpdate": true, "exchange exporter": true,
		"link linkCreate": true, "link linkFlags": true, "link linkUpdate": true,
		"link linkResolve": true, "session Session": true, "session unitStory": true,
	}
}

// TestStructsOfCommands checks that a command is flags, one function and one context: no struct of
// the command line has many fields or a context.Context, or embeds two others.
func TestStructsOfCommands(t *testing.T) {
	left := toMend()
	err := filepath.WalkDir("../../internal/cli", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				name := file.Name.Name + " " + spec.Name.Name
				problems := problemsOf(t, s)
				if left[name] && len(problems) > 0 {
					delete(left, name)
					return true
				}
				for _, problem := range problems {
					t.Errorf("%s: %s %s", strings.TrimPrefix(path, "../../"), name, problem)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range left {
		t.Errorf("%s keeps the rule, or is gone: remove it from toMend", name)
	}
}

// problemsOf returns what is wrong with a struct.
func problemsOf(t *testing.T, s *ast.StructType) []string {
	t.Helper()
	var problems []string
	fields, embedded := 0, 0
	for _, f := range s.Fields.List {
		fields += max(1, len(f.Names))
		if len(f.Names) == 0 {
			embedded++
		}
		if text(t, f.Type) == "context.Context" {
			problems = append(problems, "has a context.Context: pass it")
		}
	}
	if embedded > 1 {
		problems = append(problems, "embeds two others")
	}
	if fields > maxFields {
		problems = append(problems, "has more than 15 fields")
	}
	return problems
}
