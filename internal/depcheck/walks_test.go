package depcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits of a walk: its stations, and how often it enters a package that it has left.
const (
	maxStations = 12
	maxReturns  = 2
)

// walks are the commands whose walks docs/architecture.md has to describe.
func walks() []string {
	return []string{"fctl do", "fctl vet", "fctl bundle render", "fctl fn render", "fctl link resolve"}
}

// TestWalks follows the walks in docs/architecture.md: every station is a function, and the next one
// is used by it, or by one that leads to it.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	described := walksIn(string(text))
	for _, command := range walks() {
		if described[command] == nil {
			t.Errorf("docs/architecture.md has no walk of %s", command)
		}
	}
	w := walker{packages: map[string]map[string][]use{}}
	for command, stations := range described {
		t.Run(command, func(t *testing.T) {
			if len(stations) > maxStations {
				t.Errorf("%d stations, at most %d are allowed", len(stations), maxStations)
			}
			if n := returns(stations); n > maxReturns {
				t.Errorf("%d returns to a package, at most %d are allowed", n, maxReturns)
			}
			w.follow(t, stations)
		})
	}
}

// walksIn returns the stations of each walk in the text: the functions at which the items of the
// list below its heading begin.
func walksIn(text string) map[string][]string {
	all := map[string][]string{}
	station := regexp.MustCompile("^\\d+\\. `([\\w/]+\\.[\\w.]+)`")
	command := ""
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			command = strings.TrimSpace(strings.TrimLeft(heading, "#"))
		}
		if found := station.FindStringSubmatch(line); found != nil &&
			strings.HasPrefix(command, "fctl ") {
			all[command] = append(all[command], found[1])
		}
	}
	return all
}

// returns counts how often the walk enters a package that it has left.
func returns(stations []string) int {
	n, last := 0, ""
	seen := map[string]bool{}
	for _, s := range stations {
		dir, _ := split(s)
		if dir != last && seen[dir] {
			n++
		}
		seen[dir], last = true, dir
	}
	return n
}

// split splits a station into the directory of the package and the name of the function, which
// has the name of its receiver before a dot if it is a method.
func split(station string) (dir, function string) {
	base := path.Base(station)
	name, function, _ := strings.Cut(base, ".")
	return strings.TrimPrefix(path.Join(path.Dir(station), name), "./"), function
}

// walker knows what the functions of packages use.
type walker struct{ packages map[string]map[string][]use }

// use is a name that a function uses, and where.
type use struct {
	name string
	at   token.Pos
}

// follow checks that each station leads to the next.
func (w *walker) follow(t *testing.T, stations []string) {
	for i, s := range stations {
		dir, function := split(s)
		if w.uses(t, dir)[function] == nil {
			t.Errorf("%s is not a function", s)
			return
		}
		if i > 0 && !slices.ContainsFunc(stations[:i], func(from string) bool {
			return w.leads(t, from, s, stations[i-1])
		}) {
			t.Errorf("no station before %s uses it after %s", s, stations[i-1])
		}
	}
}

// leads reports whether a function, or one of its package to which it leads, uses another one,
// and not before the station that precedes it.
func (w *walker) leads(t *testing.T, from, to, before string) bool {
	dir, function := split(from)
	_, wanted := split(to)
	_, earlier := split(before)
	last := func(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
	all := w.uses(t, dir)
	seen := map[string]bool{}
	var visit func(function string) bool
	visit = func(function string) bool {
		if seen[function] {
			return false
		}
		seen[function] = true
		find := func(name string) int {
			return slices.IndexFunc(all[function], func(u use) bool { return u.name == last(name) })
		}
		if i := find(wanted); i >= 0 && function != wanted {
			if j := find(earlier); j < 0 || last(earlier) == last(wanted) ||
				all[function][j].at < all[function][i].at {
				return true
			}
		}
		for _, u := range all[function] {
			for name := range all {
				if last(name) == u.name && visit(name) {
					return true
				}
			}
		}
		return false
	}
	return visit(function)
}

// uses returns the names that each function of a package uses, in order.
func (w *walker) uses(t *testing.T, dir string) map[string][]use {
	if all := w.packages[dir]; all != nil {
		return all
	}
	all := map[string][]use{}
	names, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				all[nameOf(f)] = usesIn(f.Body)
			}
		}
	}
	w.packages[dir] = all
	return all
}

// nameOf returns the name of a function, with that of its receiver.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

func usesIn(body ast.Node) []use {
	uses := []use{}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			uses = append(uses, use{id.Name, id.Pos()})
		}
		return true
	})
	return uses
}

// TestWalksAreFollowed checks that the test finds what is wrong.
func TestWalksAreFollowed(t *testing.T) {
	w := walker{packages: map[string]map[string][]use{
		"a": {"Run": {{"load", 1}, {"help", 2}}, "load": {}, "help": {{"Print", 1}}},
		"b": {"Print": {}, "Stray": {}},
	}}
	for walk, want := range map[string]bool{
		"a.Run a.load a.help b.Print": true,
		"a.Run a.help a.load":         false, // in another order
		"a.load b.Print":              false, // not used
		"a.Run b.Stray":               false,
	} {
		stations := strings.Fields(walk)
		got := true
		for i := range stations[1:] {
			got = got && slices.ContainsFunc(stations[:i+1], func(from string) bool {
				return w.leads(t, from, stations[i+1], stations[i])
			})
		}
		if got != want {
			t.Errorf("%s: %v", walk, got)
		}
	}
	if n := returns(strings.Fields("a.X b.X a.Y b.Y c.Z")); n != 2 {
		t.Errorf("%d returns", n)
	}
	text := "### fctl do\n\n1. `a/b.C.D` does.\n2. `a.E`\n\n### Inside\n\n1. `x.Y`\n"
	if got := walksIn(text); len(got) != 1 || !slices.Equal(got["fctl do"], []string{"a/b.C.D", "a.E"}) {
		t.Error(got)
	}
}
