package cli_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// definition is a kind of file that defines something. Each text has one mistake, or several; ^ is
// before the place where it is reported.
type definition struct {
	pkg   string // that reads it
	file  string
	words string
	// The texts: an unknown and a repeated field, several problems, a wrong type, a missing field
	// (empty if none is required), and a list where a text is expected.
	unknown, repeated, several, wrong, missing, list string
}

const (
	definedBundle = "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: t}\n"
	definedKpt    = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n"
	definedConfig = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
		"metadata: {name: f}\nspec:\n  image: f\n"
	declaring = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  configFn: "
)

// definitions returns all kinds.
func definitions() map[string]definition {
	return map[string]definition{
		"settings": {
			"internal/settings", "s.yaml", "list --config s.yaml", "^colr: always\n",
			"quiet: true\n^quiet: true\n", "^colr: x\n^quite: true\n", "^- a\n", "",
			"color: ^[a]\n",
		},
		"baseline": {
			"internal/do/exceptions", "b.yaml", "vet --baseline b.yaml d.yaml vet-nothing",
			"- {file: a, rule: b, ^mesage: c}\n", "- file: a\n  rule: b\n  ^rule: c\n",
			"- {file: a, rule: b, ^mesage: c}\n- {file: ^5, rule: b}\n", "^a: b\n",
			"- ^file: a\n", "- {file: ^[a], rule: b}\n",
		},
		"chain": {
			"internal/do/plan", "c.yaml", "do d.yaml --functions c.yaml",
			"- {function: get-replicas, ^wher: x}\n",
			"- function: get-replicas\n  ^function: get-replicas\n",
			"- {^functoin: a}\n- {function: get-replicas, ^wher: x}\n", "^a: b\n",
			"- ^name: a\n", "- function: ^[a]\n",
		},
		"Bundle": {
			"internal/bundle", "b.yaml", "bundle validate b.yaml", definedBundle + "^sepc: {}\n",
			definedBundle + "spec: {}\n^spec: {}\n",
			definedBundle + "^sepc: {}\nspec: {^resource: []}\n", definedBundle + "spec: ^[]\n",
			strings.Replace(definedBundle, "{name: t}", "^{}", 1),
			strings.Replace(definedBundle, "name: t", "name: ^[t]", 1),
		},
		"marker": {
			"internal/links/entity", "fctl-workspace.yaml", "unit list", "^DefaultSpce: a\n",
			"DefaultSpace: a\n^DefaultSpace: b\n", "^DefaultSpce: a\nLock: ^5\n",
			"Lock: ^5\n", "ConflictSeverity:\n- ^Path: a\n", "DefaultSpace: ^[a]\n",
		},
		"unit": {
			"internal/links/entity", "spaces/default/units/a/unit.yaml", "ws check",
			"^Lables: {}\n", "Slug: a\n^Slug: a\n", "^Lables: {}\nDisplayName: ^5\n",
			"Labels: ^[]\n", "", "DisplayName: ^[a]\n",
		},
		"attributes": {
			"internal/links/attributes", "attributes/a.yaml", "ws check",
			"attribute: x\n^needd: []\n", "attribute: x\n^attribute: y\n",
			"attribute: x\n^needd: []\nprovided: [^{path: a}]\n", "attribute: x\nneeded: ^{}\n",
			"^needed: []\n", "attribute: ^[x]\n",
		},
		"Kptfile": {
			"internal/krm", "pkg/Kptfile", "fn render pkg",
			definedKpt + "  ^mutator: []\n",
			definedKpt + "  mutators: []\n  ^mutators: []\n",
			definedKpt + "  ^mutator: []\n  validators:\n  - {image: a, ^selector: []}\n",
			definedKpt + "  mutators: ^{}\n",
			definedKpt + "  mutators: [{image: a, configRef: ^{kind: A}}]\n",
			definedKpt + "  mutators: [{image: ^[a]}]\n",
		},
		"declaration": {
			"internal/krm", "pkg/a.yaml", "fn run pkg",
			declaring + "{^contaner: {}, exec: {path: a}}\n",
			declaring + "{exec: {path: a, ^path: b}}\n",
			declaring + "{exec: {path: a, ^arg: []}, deferFailure: ^5}\n",
			declaring + "^[]\n", declaring + "{exec: ^{}}\n", declaring + "{exec: {path: ^[a]}}\n",
		},
		"FunctionConfig": {
			"internal/krm/functionconfig", "f.yaml", "functionconfig check f.yaml",
			definedConfig + "  podExecutor: {^entrypiont: []}\n",
			definedConfig + "  podExecutor: {}\n  ^podExecutor: {}\n",
			definedConfig + "  podExecutor: {^entrypiont: []}\n  goExecutor: {tags: ^5}\n",
			definedConfig + "  podExecutor: ^[]\n",
			definedConfig + "  goExecutor: ^{}\n",
			definedConfig + "  goExecutor: {tags: [a], id: ^[a]}\n",
		},
		"resource types": {
			"internal/knowledge/resourcetypes", "t.yaml", "list --resource-types t.yaml",
			"^resourceType: {}\n", "families: []\n^families: []\n",
			"^resourceType: {}\n^famlies: []\n", "families: ^{}\n", "",
			"resourceTypes: {a/v1/B: {sameAs: ^[a]}}\n",
		},
	}
}

// TestDefinitions gives each kind of definition file the same mistakes and expects the same words,
// positions and statuses.
func TestDefinitions(t *testing.T) {
	for kind, d := range definitions() {
		for _, c := range []struct {
			mistake, text string
			status        int
			want          []string
		}{
			{"unknown field", d.unknown, 2, []string{"has no field "}},
			{"repeated field", d.repeated, 2, []string{" is given twice, first in line "}},
			{"several", d.several, 2, []string{"", ""}},
			{"wrong type", d.wrong, 2, []string{" must be "}},
			{"missing field", d.missing, 2, []string{" is missing"}},
			{"list for a text", d.list, 2, []string{" must be a text, not a list"}},
			{"not YAML", "a: ^[\n", 3, []string{"unclosed ["}},
		} {
			if c.text == "" {
				continue
			}
			t.Run(kind+"/"+c.mistake, func(t *testing.T) {
				text, at := marked(d.file, c.text)
				dir := defined(t, d.file, text)
				status, _, errOut := run(t, t.Context(),
					append([]string{"-C", dir}, strings.Fields(d.words)...)...)
				errOut = strings.ReplaceAll(errOut, dir+string(filepath.Separator), "./")
				if status != c.status {
					t.Errorf("status is %d, want %d", status, c.status)
				}
				if c.mistake == "unknown field" && !strings.Contains(errOut, "hint: did you mean ") {
					t.Error("nothing says what was meant")
				}
				for i, want := range c.want {
					if !slices.ContainsFunc(strings.Split(errOut, "\n"), func(line string) bool {
						return strings.HasPrefix(line, at[i]) && strings.Contains(line, want)
					}) {
						t.Errorf("no problem %q at %s", want, at[i])
					}
				}
				if t.Failed() {
					t.Logf("%s\n%s", text, errOut)
				}
			})
		}
	}
}

// marked returns a text without its marks, and the positions of these.
func marked(file, text string) (clean string, at []string) {
	for {
		before, after, found := strings.Cut(text, "^")
		if !found {
			return text, at
		}
		line := strings.Count(before, "\n")
		column := len(before) - strings.LastIndex(before, "\n")
		at = append(at, fmt.Sprintf("./%s:%d:%d: ", file, line+1, column))
		text = before + after
	}
}

// defined returns a directory with a definition and what its command needs beside it.
func defined(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"d.yaml":              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"fctl-workspace.yaml": "{}\n", "spaces/default/space.yaml": "Slug: default\n",
		"spaces/default/units/a/unit.yaml": "Slug: a\n",
		"spaces/default/units/a/data.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a}\n",
		file:                               text,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if name != file && exists(path) {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestEveryDefinition expects each package that uses internal/strict in definitions, or here with
// the reason why not.
func TestEveryDefinition(t *testing.T) {
	covered := map[string]bool{
		"internal/krm/chain":           true, // parts of a ResourceList; chain_test.go
		"internal/krm/catalog":         true, // functionConfigs of kpt, which a ResourceList has, too
		"internal/knowledge/migration": true, // a part of the program; migration_test.go
		"internal/lsp":                 true, // decodes nothing: it offers what decoders expect
		"internal/links/exchange":      true, // what cub prints: unknown fields are listed, not wrong
	}
	for _, d := range definitions() {
		covered[d.pkg] = true
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Imports}}",
		"github.com/fctl-dev/fctl/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/fctl-dev/fctl/"
	users := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(strings.Fields(strings.Trim(imports, "[]")), module+"internal/strict") {
			users[strings.TrimPrefix(pkg, module)] = true
		}
	}
	if !maps.Equal(users, covered) {
		t.Errorf("packages that decode definitions are %v; the table has %v",
			slices.Sorted(maps.Keys(users)), slices.Sorted(maps.Keys(covered)))
	}
}
