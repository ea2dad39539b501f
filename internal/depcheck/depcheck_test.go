// Package depcheck holds the test of the design's dependencies: which package may import which.
package depcheck_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	// This import prevents the go command from using a cached result of this test after the code
	// has changed.
	_ "github.com/fctl-dev/fctl"
)

const module = "github.com/fctl-dev/fctl"

// graph maps a package to its imports, without those of tests.
type graph map[string][]string

func load(t *testing.T) graph {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	g := graph{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		g[words[0]] = words[1:]
	}
	// yqlib can print in colours but is never asked to. Functions only use it to evaluate
	// expressions.
	delete(g, "github.com/mikefarah/yq/v4/pkg/yqlib")
	return g
}

// rule says what a package, and those below it, may not import.
type rule struct {
	group     string // the package; those below it are included
	except    []string
	deny      []string // packages and those below them
	reachable bool     // indirect imports count as well
	why       string
}

func rules() []rule {
	in := func(path string) string { return module + "/" + path }
	const cobra, viper, color = "github.com/spf13/cobra", "github.com/spf13/viper",
		"github.com/fatih/color"
	return []rule{
		{group: in("functions"), except: []string{
			in("internal/lang"), in("internal/strict"), in("internal/parallel"),
		}, deny: []string{
			cobra, viper, color, in("internal"), in("cmd"),
			module + "!",
		}, reachable: true, why: "functions know nothing of the command line"},
		{group: in("configkit"), except: []string{in("internal/lang"), in("internal/strict")}, deny: []string{
			cobra, viper, color, in("internal"), in("cmd"),
			module + "!",
		}, reachable: true, why: "configkit knows nothing of the command line"},
		{group: in("api"), deny: []string{module}, why: "the data types import nothing of this " +
			"module"},
		{
			group: in("functions/shellwords"), deny: []string{module},
			why: "words of a shell need nothing of this module",
		},
		{
			group: in("configkit"), deny: []string{in("functions")},
			why: "arrows point from functions to configkit",
		},
		{
			group: in("configkit/gaby"), deny: []string{in("functions"), in("configkit")},
			why: "the document is below everything but api",
		},
		{
			group: in("configkit/yamlpath"), except: []string{
				in("configkit!"),
				in("configkit/gaby"),
			},
			deny: []string{in("configkit")}, why: "paths are below all but the document",
		},
		{
			group: in("configkit/where"), except: []string{
				in("configkit!"), in("configkit/gaby"),
				in("configkit/yamlpath"), in("configkit/quantity"),
			}, deny: []string{in("configkit")},
			why: "where-expressions know paths and quantities only",
		},
		{
			group: in("configkit/resourcetypes"), except: []string{
				in("configkit!"),
				in("configkit/gaby"), in("configkit/yamlpath"),
			}, deny: []string{in("configkit")},
			why: "resource types know paths only",
		},
		{
			group: in("configkit/mutation"), except: []string{
				in("configkit!"), in("configkit/gaby"),
				in("configkit/yamlpath"), in("configkit/lines"), in("configkit/sops"),
			}, deny: []string{in("configkit")},
			why: "mutations know paths, lines and encrypted values only",
		},
		{
			group: in("configkit/textmerge"), except: []string{
				in("configkit!"), in("configkit/gaby"),
				in("configkit/mutation"), in("configkit/lines"),
			}, deny: []string{in("configkit")},
			why: "merging of texts knows mutations and lines only",
		},
		{
			group: in("configkit/jsonschema"), deny: []string{in("configkit/yamlkit")},
			why: "schemas know nothing of functions",
		},
		{
			group: in("functions/kubernetes"), except: []string{
				in("functions/handler"),
				in("functions/generic"), in("functions/program"), in("functions/unit"),
				in("functions/expression"),
			}, deny: []string{in("functions")},
			why: "families use no other families",
		},
		{
			group: in("functions/program"), except: []string{
				in("functions/handler"),
				in("functions/generic"), in("functions/expression"),
			}, deny: []string{in("functions")},
			why: "families use no other families",
		},
		{
			group: in("functions/unit"), except: []string{
				in("functions/handler"),
				in("functions/generic"), in("functions/expression"),
			}, deny: []string{in("functions")},
			why: "families use no other families",
		},
		{
			group: in("functions/generic"), except: []string{
				in("functions/handler"),
				in("functions/shellwords"), in("functions/expression"),
			},
			deny: []string{in("functions")}, why: "helpers for all families do not know any",
		},
		{
			group: in("functions/expression"), deny: []string{in("functions")},
			why: "languages know nothing of functions",
		},
		{
			group: in("internal"), deny: []string{in("cmd"), module + "!"},
			why: "arrows point from the commands inwards",
		},
		{group: in("internal/run"), deny: []string{
			in("internal/cli"), cobra,
			"github.com/spf13/pflag",
		}, why: "the loop knows options, not commands and flags"},
		{group: in("internal/krm"), deny: []string{
			in("internal/cli"), in("internal/run"), cobra,
			"github.com/spf13/pflag",
		}, why: "KRM functions know options, not commands and flags"},
		{
			group: in("internal/runtime!"), deny: []string{module},
			why: "running programs and containers needs nothing of this module",
		},
		{
			group: in("internal/runtime/functionconfig"), deny: []string{
				in("internal/krm"),
				in("internal/cli"), in("functions"), cobra,
			},
			why: "how functions are run does not depend on what they do",
		},
		{
			group: in("internal/workspace"), deny: []string{in("internal/cli"), in("internal/run")},
			why: "workspaces know files, links and functions, not commands",
		},
		{
			group: in("internal/link"), deny: []string{in("internal/cli"), in("internal/run")},
			why: "links know workspaces and functions, not commands",
		},
		{
			group: in("internal/bundle"), deny: []string{in("internal/cli"), in("internal/run")},
			why: "bundles know objects and KRM functions, not commands",
		},
		{
			group: in("internal/lang"), deny: []string{module},
			why: "the limits of languages need nothing of this module",
		},
		{
			group: in("internal/strict"), except: []string{in("configkit!"), in("configkit/gaby")},
			deny: []string{in("configkit"), in("functions"), in("internal"), in("cmd"), cobra},
			why:  "the decoder of definitions knows the document only",
		},
		{
			group: in("internal/urlid"), deny: []string{module},
			why: "IDs need nothing of this module",
		},
		{
			group: in("smith"), deny: []string{in("internal"), in("functions"), cobra},
			why: "plug-ins know objects and schemas, not functions or commands",
		},
		{
			group: module, except: []string{in("internal/cli"), in("internal/runner/command")}, deny: []string{cobra},
			why: "only command lines know cobra",
		},
		{
			group: module, except: []string{in("internal/settings")}, deny: []string{viper},
			why: "only internal/settings knows viper",
		},
		{
			group: module, except: []string{in("configkit/kyamlkit")},
			deny: []string{"sigs.k8s.io/kustomize"}, why: "only configkit/kyamlkit knows kyaml",
		},
		{
			group: module, except: []string{in("internal/runner"), in("cmd/fctl-runner")},
			deny: []string{
				in("internal/runner"), "google.golang.org/grpc", "k8s.io/client-go",
				"k8s.io/api", "k8s.io/apimachinery", "github.com/google/go-containerregistry",
			},
			why: "only fctl-runner knows gRPC and clusters",
		},
		{group: in("cmd/fctl"), deny: []string{
			in("internal/runner"), "google.golang.org/grpc",
			"k8s.io/client-go",
		}, reachable: true, why: "fctl starts fctl-runner as a process"},
		{group: in("internal/runner"), deny: []string{
			in("internal/cli"), in("internal/run"),
		}, why: "fctl-runner has a command line of its own"},
		{
			group: in("cmd/fctl"), deny: []string{in("internal"), in("functions"), in("configkit")},
			why: "the command is one statement",
		},
	}
}

// below reports whether pkg is group or below it. A group that ends in ! is only that package.
func below(pkg, group string) bool {
	if exact, ok := strings.CutSuffix(group, "!"); ok {
		return pkg == exact
	}
	return pkg == group || strings.HasPrefix(pkg, group+"/")
}

// broken returns the imports that break the rule. Packages within a group may import each other. An
// exception applies to a package both as importer and as import.
func (r rule) broken(g graph) []string {
	excepted := func(pkg string) bool {
		return slices.ContainsFunc(r.except, func(e string) bool { return below(pkg, e) })
	}
	var found []string
	for pkg := range g {
		if !below(pkg, r.group) || excepted(pkg) {
			continue
		}
		imports := g[pkg]
		if r.reachable {
			imports = g.reach(pkg)
		}
		for _, imported := range imports {
			if below(imported, r.group) || excepted(imported) {
				continue
			}
			if slices.ContainsFunc(r.deny, func(d string) bool { return below(imported, d) }) {
				found = append(found, pkg+" imports "+imported)
			}
		}
	}
	slices.Sort(found)
	return found
}

func (g graph) reach(pkg string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(p string) {
		for _, i := range g[p] {
			if !seen[i] {
				seen[i] = true
				visit(i)
			}
		}
	}
	visit(pkg)
	var all []string
	for p := range seen {
		all = append(all, p)
	}
	return all
}

func TestArrows(t *testing.T) {
	g := load(t)
	if len(g[module+"/internal/cli"]) == 0 {
		t.Fatal("go list did not say what internal/cli imports")
	}
	for _, r := range rules() {
		for _, b := range r.broken(g) {
			t.Errorf("%s: %s", b, r.why)
		}
	}
}

func TestAWrongArrowIsSeen(t *testing.T) {
	in := func(path string) string { return module + "/" + path }
	for name, c := range map[string]struct {
		g    graph
		want int
	}{
		"cobra through another package": {graph{
			in("functions/kubernetes"): {"x"},
			"x":                        {"github.com/spf13/cobra/doc"},
		}, 1},
		"internal from configkit": {graph{in("configkit/gaby"): {in("internal/diag")}}, 1},
		"functions from configkit": {graph{in("configkit/yamlkit"): {
			in("functions/handler"),
			in("api"),
		}}, 1},
		"a family from another": {graph{in("functions/kubernetes"): {
			in("functions/appconfig"),
			in("functions/generic"),
		}}, 1},
		"the document knows resources": {
			graph{in("configkit/gaby"): {in("configkit/yamlkit")}},
			1,
		},
		"the loop knows the commands": {graph{in("internal/run"): {
			in("internal/cli"),
			in("internal/plan"),
		}}, 1},
		"gRPC in the command line": {graph{in("internal/cli"): {
			"google.golang.org/grpc/codes",
			"k8s.io/client-go/rest",
		}}, 2},
		"gRPC through the runner": {graph{
			in("cmd/fctl"):        {in("internal/x")},
			in("internal/x"):      {in("internal/runner/evaluator")},
			in("cmd/fctl-runner"): {in("internal/runner/evaluator")},
		}, 2},
		"viper in cli": {graph{in("internal/cli"): {
			"github.com/spf13/viper",
			"github.com/spf13/cobra",
		}}, 1},
		"the root from internal": {graph{in("internal/plan"): {module}}, 1},
		"fine": {graph{
			in("internal/cli"): {
				"github.com/spf13/cobra",
				in("functions"),
			}, in("functions"): {in("configkit/gaby")},
			module: {in("internal/cli")},
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, r := range rules() {
				found = append(found, r.broken(c.g)...)
			}
			if len(found) != c.want {
				t.Errorf("found %q, want %d", found, c.want)
			}
		})
	}
}
