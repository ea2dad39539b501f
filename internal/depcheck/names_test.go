package depcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxCommon is the largest share of types, in percent, whose name at least three packages use.
const maxCommon = 8

// TestNamesOfTypes checks that few names of types are in many packages, so that a name says which
// of them is meant. Those that stay, such as Options and Error, follow a convention of Go.
func TestNamesOfTypes(t *testing.T) {
	packages := map[string][]string{} // by name
	types := 0
	for path, p := range list(t, module+"/...") {
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range typesOf(file) {
				packages[name] = append(packages[name], strings.TrimPrefix(path, module+"/"))
				types++
			}
		}
	}
	var names []string
	common := 0
	for name, in := range packages {
		if len(in) >= 3 {
			names = append(names, name)
			common += len(in)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(packages[b]) - len(packages[a]) })
	t.Logf("%d of %d types have a name that three or more packages use", common, types)
	if 100*common > maxCommon*types {
		for _, name := range names {
			t.Errorf("%s: %s", name, strings.Join(packages[name], ", "))
		}
		t.Errorf("%.1f %% of types have a name that three or more packages use, at most %d %% are "+
			"allowed: give some a name of their own", 100*float64(common)/float64(types), maxCommon)
	}
}

// typesOf returns the names of the types that a file declares.
func typesOf(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			names = append(names, s.(*ast.TypeSpec).Name.Name)
		}
	}
	return names
}
