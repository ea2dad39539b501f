package depcheck_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers returns the layers from the bottom up. A package imports only packages of its own layer
// and of those below, and names its layer in the last line of its comment. So an arrow up is seen
// wherever the package is, inside internal too.
func layers() []string {
	return []string{
		"api",       // the vocabulary
		"base",      // files, processes, output, limits: what needs no document
		"document",  // bytes, spans, edits
		"knowledge", // paths, where-expressions, types, schemas, settings
		"languages", // CEL, Starlark, yq, templates
		"configkit", // formats, visitors, mutations: what functions are written with
		"functions", // the executor and its functions
		"systems",   // do, KRM functions, Bundles, links
		"commands",  // the command lines
		"programs",  // main, the public entry points, examples, generators
	}
}

// layerOf returns the layer that the comment of a package names, or "".
func layerOf(t *testing.T, p *listed) string {
	t.Helper()
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if layer := layerIn(f.Doc.Text()); layer != "" {
			return layer
		}
	}
	return ""
}

// layerIn returns the layer that a comment names in its last line, or "".
func layerIn(comment string) string {
	comment = strings.TrimSpace(comment)
	last := comment[strings.LastIndex(comment, "\n")+1:]
	if layer, ok := strings.CutPrefix(last, "Layer: "); ok {
		return strings.TrimSuffix(layer, ".")
	}
	return ""
}

func TestLayers(t *testing.T) {
	packages := list(t, module+"/...")
	layer := map[string]int{}
	for path, p := range packages {
		if len(p.GoFiles) == 0 {
			continue // only tests
		}
		name := layerOf(t, p)
		if layer[path] = slices.Index(layers(), name); layer[path] < 0 {
			t.Errorf("%s: the comment of the package ends with the layer %q, which is not one of %q",
				path, name, layers())
		}
	}
	for _, up := range upward(load(t), layer) {
		t.Error(up)
	}
}

// upward returns the imports of packages in higher layers.
func upward(g graph, layer map[string]int) []string {
	var found []string
	for path, from := range layer {
		for _, imported := range g[path] {
			if to, ok := layer[imported]; ok && to > from {
				found = append(found, path+" ("+layers()[from]+") imports "+imported+" ("+
					layers()[to]+"), which is above it")
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestAnArrowUpIsSeen(t *testing.T) {
	g := graph{"x/a": {"fmt", "x/b"}, "x/b": {"x/c"}, "x/c": nil}
	for _, c := range []struct {
		a, b, c int
		want    int
	}{{2, 1, 0, 0}, {1, 1, 1, 0}, {0, 1, 0, 1}, {0, 1, 2, 2}} {
		got := upward(g, map[string]int{"x/a": c.a, "x/b": c.b, "x/c": c.c})
		if len(got) != c.want {
			t.Errorf("%v: %q", c, got)
		}
	}
	for comment, want := range map[string]string{
		"Package a is one.\n\nLayer: base.\n": "base", "Package a is one.\n": "",
		"Package a is one.\n\nLayer: base.\n\nMore.\n": "", "": "",
	} {
		if got := layerIn(comment); got != want {
			t.Errorf("%q: %q", comment, got)
		}
	}
}
