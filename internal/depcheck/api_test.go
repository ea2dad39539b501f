package depcheck_test

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listing is the file with the public API: what a commit changes in it needs a reason.
const listing = "../../docs/api.txt"

// TestListingOfTheAPI compares the exported names of the public packages with the listing.
func TestListingOfTheAPI(t *testing.T) {
	var names []string
	for path := range load(t) {
		dir := filepath.Join("../..", strings.TrimPrefix(path, module))
		if path == module || strings.HasPrefix(path, module+"/") && isPublic(path) {
			names = append(names, exported(t, path, dir)...)
		}
	}
	slices.Sort(names)
	got := strings.Join(slices.Compact(names), "\n") + "\n"
	if os.Getenv("UPDATE_API") != "" {
		if err := os.WriteFile(listing, []byte(got), 0o644); err != nil { //nolint:gosec // for all
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(string(want), "\n")
	for line := range strings.SplitSeq(got, "\n") {
		if !slices.Contains(listed, line) {
			t.Errorf("docs/api.txt lacks: %s", line)
		}
	}
	for _, line := range listed {
		if !slices.Contains(strings.Split(got, "\n"), line) {
			t.Errorf("no longer exported: %s", line)
		}
	}
	if got != string(want) {
		t.Error("'make gen' writes docs/api.txt; the message of the commit says why the API changes")
	}
}

// TestAPISinceTheLastRelease compares the listing with that of the last tag, as docs/versioning.md
// says.
func TestAPISinceTheLastRelease(t *testing.T) {
	tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0", "--match", "v*").Output()
	if err != nil {
		t.Skip("not compared: no release exists yet")
	}
	last := strings.TrimSpace(string(tag))
	before, err := exec.Command("git", "show", last+":docs/api.txt").Output()
	if err != nil {
		t.Fatalf("%s has no docs/api.txt: %v", last, err)
	}
	now, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range unannounced(last, string(before), string(now), string(changes)) {
		t.Errorf("exported by %s and not any more: %s", last, line)
	}
}

// unannounced returns the lines of a release's listing that are gone. Before 1.0 there are none if
// the unreleased part of the changelog has a heading for breaking changes.
func unannounced(tag, before, now, changes string) []string {
	_, unreleased, _ := strings.Cut(changes, "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	if strings.HasPrefix(tag, "v0.") && strings.Contains(unreleased, "\n### Breaking\n") {
		return nil
	}
	kept := strings.Split(now, "\n")
	return slices.DeleteFunc(strings.Split(before, "\n"),
		func(line string) bool { return slices.Contains(kept, line) })
}

func TestAnUnannouncedBreakIsSeen(t *testing.T) {
	const before, now = "a: func A()\nb: func B()\n", "a: func A()\nc: func C()\n"
	const announced = "# Changelog\n\n## Unreleased\n\n### Breaking\n\n* B is gone.\n\n## v0.1.0\n"
	const released = "# Changelog\n\n## Unreleased\n\n## v0.2.0\n\n### Breaking\n\n* A.\n"
	for _, c := range []struct {
		tag, now, changes string
		gone              int
	}{
		{"v0.1.0", now, released, 1},
		{"v0.1.0", now, announced, 0},
		{"v1.0.0", now, announced, 1},
		{"v1.0.0", before + "c: func C()\n", "", 0},
	} {
		if gone := unannounced(c.tag, before, c.now, c.changes); len(gone) != c.gone {
			t.Errorf("%s: %q", c.tag, gone)
		}
	}
}

// TestFamiliesExportTheirRegistration checks that a family of functions exports nothing but what
// registers its functions.
func TestFamiliesExportTheirRegistration(t *testing.T) {
	for _, family := range []string{"kubernetes", "appconfig", "opentofu", "unit", "program"} {
		path := "/functions/" + family
		names := exported(t, module+path, "../.."+path)
		if len(names) == 0 {
			t.Errorf("%s registers nothing", family)
		}
		for _, name := range names {
			if !strings.Contains(name, ": func ") || !strings.Contains(name, "handler.FunctionRegistr") {
				t.Errorf("%s: functions of other packages belong into internal", name)
			}
		}
	}
}

// isPublic reports whether other modules can import a package, and would.
func isPublic(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
		return slices.Contains([]string{"internal", "cmd", "examples"}, part)
	})
}

// exported returns a line for each exported name of a package, each field and each method.
func exported(t *testing.T, path, dir string) []string {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := lister{prefix: "." + strings.TrimPrefix(path, module) + ": "}
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				l.function(t, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					l.spec(t, d.Tok, spec)
				}
			}
		}
	}
	return l.lines
}

// lister collects the lines of a package.
type lister struct {
	prefix string
	lines  []string
}

func (l *lister) add(parts ...string) {
	l.lines = append(l.lines, l.prefix+strings.Join(parts, " "))
}

func (l *lister) function(t *testing.T, d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	signature := strings.TrimPrefix(text(t, d.Type), "func")
	if d.Recv == nil {
		l.add("func", d.Name.Name+signature)
		return
	}
	of := d.Recv.List[0].Type
	if base := strings.TrimLeft(text(t, of), "*"); ast.IsExported(base) {
		l.add("method", "("+text(t, of)+")", d.Name.Name+signature)
	}
}

func (l *lister) spec(t *testing.T, kind token.Token, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && s.Type != nil {
				l.add(kind.String(), name.Name, text(t, s.Type))
			} else if name.IsExported() {
				l.add(kind.String(), name.Name)
			}
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		name := s.Name.Name
		if s.TypeParams != nil {
			name += "[" + fields(t, s.TypeParams) + "]"
		}
		if s.Assign.IsValid() {
			name += " ="
		}
		switch of := s.Type.(type) {
		case *ast.StructType:
			l.add("type", name, "struct")
			l.members(t, "field", s.Name.Name, of.Fields)
		case *ast.InterfaceType:
			l.add("type", name, "interface")
			l.members(t, "method", s.Name.Name, of.Methods)
		default:
			l.add("type", name, text(t, s.Type))
		}
	}
}

// members lists the fields of a struct, or the methods and constraints of an interface.
func (l *lister) members(t *testing.T, kind, of string, list *ast.FieldList) {
	for _, f := range list.List {
		if len(f.Names) == 0 {
			l.add(kind, of, "embeds", text(t, f.Type))
		}
		for _, name := range f.Names {
			if name.IsExported() {
				l.add(kind, of+"."+name.Name, text(t, f.Type))
			}
		}
	}
}

// fields returns parameters on one line.
func fields(t *testing.T, list *ast.FieldList) string {
	var all []string
	for _, f := range list.List {
		var names []string
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
		all = append(all, strings.Join(names, ", ")+" "+text(t, f.Type))
	}
	return strings.Join(all, ", ")
}

// text returns the source of a node on one line.
func text(t *testing.T, node ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
