// Package depcheck holds the test of the design's dependencies: which package may import which.
//
// Layer: programs.
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
		{
			group: in("functions"), deny: []string{cobra, viper, color}, reachable: true,
			why: "functions know nothing of the command line",
		},
		{
			group: in("configkit"), deny: []string{cobra, viper, color}, reachable: true,
			why: "configkit knows nothing of the command line",
		},
		{
			group: in("functions/kubernetes"),
			deny:  []string{in("functions/appconfig"), in("functions/opentofu")},
			why:   "families use no other families",
		},
		{
			group: in("functions/appconfig"),
			deny:  []string{in("functions/kubernetes"), in("functions/opentofu")},
			why:   "families use no other families",
		},
		{
			group: in("functions/generic"),
			deny: []string{
				in("functions/kubernetes"), in("functions/appconfig"), in("functions/opentofu"),
				in("functions/program"), in("functions/unit"),
			},
			why: "helpers for all families do not know any",
		},
		{
			group: in("internal/krm"), except: []string{in("internal/do/plan")},
			deny: []string{in("internal/do")},
			why:  "systems use no other systems, except that Bundles run KRM functions",
		},
		{
			group: in("internal/links"), deny: []string{
				in("internal/do"), in("internal/krm"), in("internal/bundle"),
			},
			why: "systems use no other systems, except that Bundles run KRM functions",
		},
		{
			group: in("internal/bundle"), deny: []string{in("internal/do"), in("internal/links")},
			why: "systems use no other systems, except that Bundles run KRM functions",
		},
		{
			group: in("internal/krm/functionconfig"), deny: []string{in("internal/krm!")},
			why: "how functions are run does not depend on what they do",
		},
		{
			group: module, except: []string{in("internal/cli"), in("internal/runner/cli"), in("internal/runner/wrapper/cli"), in("internal/runner/invocation")},
			deny: []string{cobra}, why: "only command lines know cobra",
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
			group: module, except: []string{in("internal/runner"), in("cmd/fctl-runner"), in("cmd/fctl-wrapper")},
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
		{
			group: module, except: []string{in("internal/mcp"), in("cmd/fctl-mcp")},
			deny: []string{in("internal/mcp"), "github.com/modelcontextprotocol"},
			why:  "only fctl-mcp knows the protocol of agents, which makes a start slower",
		},
		{
			group: in("cmd/fctl-wrapper"), deny: []string{
				in("functions"), in("internal/krm!"), in("internal/krm/catalog"), in("internal/krm/functionconfig"),
				in("internal/knowledge"), in("internal/runner/dispatch"), "cel.dev", "k8s.io",
				"github.com/prometheus", "github.com/google/go-containerregistry", "go.starlark.net",
				"github.com/hashicorp", "github.com/mikefarah",
			}, reachable: true, why: "fctl-wrapper is copied into each pod: 13 MB, at most 15",
		},
		{
			group: in("internal/runner"), deny: []string{in("internal/cli"), in("internal/do")},
			why: "fctl-runner has a command line of its own",
		},
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
		"a family from another": {graph{in("functions/kubernetes"): {
			in("functions/appconfig"),
			in("functions/generic"),
		}}, 1},
		"Bundles from links": {graph{in("internal/links/resolve"): {in("internal/bundle")}}, 1},
		"kyaml from a function": {
			graph{in("functions/generic"): {"sigs.k8s.io/kustomize/kyaml/yaml"}}, 1,
		},
		"gRPC in the command line": {graph{in("internal/cli"): {
			"google.golang.org/grpc/codes",
			"k8s.io/client-go/rest",
		}}, 2},
		"gRPC through the runner": {graph{
			in("cmd/fctl"):        {in("internal/x")},
			in("internal/x"):      {in("internal/runner/evaluator")},
			in("cmd/fctl-runner"): {in("internal/runner/evaluator")},
		}, 2},
		"functions in pods": {graph{
			in("cmd/fctl-wrapper"):          {in("internal/x"), in("internal/krm/resourcelist")},
			in("internal/x"):                {in("internal/krm")},
			in("internal/krm/resourcelist"): {in("internal/krm/fnresult")},
		}, 1},
		"viper in cli": {graph{in("internal/cli"): {
			"github.com/spf13/viper",
			"github.com/spf13/cobra",
		}}, 1},
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
