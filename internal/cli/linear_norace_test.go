//go:build unix && !race

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/policies"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// work is what a command cost: the values it allocated, and its processor time.
type work struct {
	allocations uint64
	time        time.Duration
}

// measure runs a command in a directory and returns its work.
func measure(t *testing.T, dir string, words ...string) (done work, status int) {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if before.HeapAlloc > before.NextGC/2 { // a collection during the run would count
		runtime.GC()
		runtime.ReadMemStats(&before)
	}
	start := used()
	streams, _, _, _ := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	status = cli.Run(t.Context(), a, append([]string{"-C", dir}, words...))
	took := used() - start
	runtime.ReadMemStats(&after)
	return work{after.Mallocs - before.Mallocs, took}, status
}

// small is the time up to which a ratio says nothing.
const small = 50 * time.Millisecond

// checkLinear reports work of a command that grows faster than its input, which is four times as
// large in the second directory. Work that is proportional to the square of the input is 16 times
// as large; that of a merge of 4,000 keys takes up to 8.5 times as long, because it leaves the caches
// of the processor. A status above most is an error.
func checkLinear(t *testing.T, dirs [2]string, most int, words ...string) {
	t.Helper()
	var done [2]work
	for range 3 { // what else runs on the machine adds to the time
		for i, dir := range dirs {
			status := 0
			if done[i], status = measure(t, dir, words...); status > most {
				t.Fatalf("status %d", status)
			}
		}
		if done[1].allocations <= 6*done[0].allocations+10_000 &&
			done[1].time <= 10*done[0].time+small {
			return
		}
	}
	t.Errorf("four times the input: %d and %d allocations, %v and %v", done[0].allocations,
		done[1].allocations, done[0].time, done[1].time)
}

// sizes returns the numbers of resources that are compared.
func sizes() (less, more int) {
	if os.Getenv("LONG") != "" {
		return 1000, 4000
	}
	return 250, 1000
}

// fewer is sizes for expensive commands, of which the allocations tell.
func fewer() (less, more int) {
	if os.Getenv("LONG") != "" {
		return sizes()
	}
	return 100, 400
}

// directory makes a directory of n resources: half of them in one file, the others in one each.
// They have different names, or the same one in different namespaces.
func directory(t *testing.T, n int, sameName bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	var all strings.Builder
	for i := range n {
		text := resource(i, n, sameName)
		if i < n/2 {
			all.WriteString("---\n" + text)
		} else {
			writeFile(t, filepath.Join(dir, fmt.Sprintf("part-%d/%d.yaml", i%20, i)), text)
		}
	}
	writeFile(t, filepath.Join(dir, "all.yaml"), all.String())
	return dir
}

// TestLinearFiles edits and checks everything in one file, of two sizes. The time of one value must
// not depend on how many there are in the same section, map, list or line.
func TestLinearFiles(t *testing.T) {
	replace := []string{"search-replace", "old", "new"}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, test := range []struct {
		file     string
		n        int
		text     func(n int) string
		commands [][]string // each follows "do FILE"
	}{
		{
			"a.ini", 2000, func(n int) string { return "[s]\n" + numbered(n, "k%d=old\n") },
			[][]string{
				replace,
				{"set-path-comment", "*", "s.*", "c"},
				{"set-starlark", `for k in list(r["s"].keys()): r["s"]["n" + k] = "new"`},
				{"set-starlark", `for k in list(r["s"].keys()): r["s"][k] = {"k": "new"}`},
			},
		},
		{
			"b.ini", 1000, func(n int) string { return numbered(n, "[s%d]\nk=old\n") },
			[][]string{
				replace,
				{"set-starlark", `for k in list(r.keys()): r["n" + k] = {"k": "new"}`},
			},
		},
		{
			"a.toml", 1000, func(n int) string { return "[s]\n" + numbered(n, "k%d = 'old'\n") },
			[][]string{
				{"set-starlark", `for k in list(r["s"].keys()): r["s"]["n" + k] = "new"`},
				{"set-starlark", `for k in list(r["s"].keys()): r["s"]["n" + k] = {"k": "new"}`},
			},
		},
		{
			"a.tf", 2000,
			func(n int) string { return "locals {\n" + numbered(n, "  k%d = \"old\"\n") + "}\n" },
			[][]string{{"set-starlark", `for k in list(r.keys()):
  if k.startswith("k"): r["n" + k] = "new"`}},
		},
		{
			"a.txt", 1000, func(n int) string { return "---\na:\n" + numbered(n, "  k%d: old\n") + "---\ntext\n" },
			[][]string{replace, {"set-path", "a.*", "new"}},
		},
		{
			"a.properties", 2000, func(n int) string { return numbered(n, "k%d.b=old\n") },
			[][]string{replace},
		},
		{
			"flow.yaml", 4000, func(n int) string {
				return "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b" +
					numbered(n, ", k%d: old") + "}}\n"
			},
			[][]string{replace},
		},
		{
			"line.json", 1000, func(n int) string { return oneLine(t, list(n)) },
			[][]string{{"set-label", "a", "b"}, {"get-placeholders"}, {"set-workload-labels", "a=b"}},
		},
		{
			"block.yaml", 1000, list,
			[][]string{{"get-placeholders"}},
		},
		{
			"keys.yaml", 12_000, func(n int) string {
				return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" +
					numbered(n, "  k%d: old\n")
			},
			[][]string{{"set-path", "data.*", "{a: [1]}"}},
		},
		{
			"volumes.yaml", 1000, func(n int) string { // each is mounted with a subPath
				return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  volumes:\n" +
					numbered(n, "  - {name: v%[1]d, configMap: {name: c%[1]d}}\n") +
					"  containers:\n  - name: a\n    volumeMounts:\n" +
					numbered(n, "    - {name: v%[1]d, mountPath: /%[1]d, subPath: f}\n")
			},
			[][]string{{"get-references"}},
		},
	} {
		dirs := [2]string{t.TempDir(), t.TempDir()}
		writeFile(t, filepath.Join(dirs[0], test.file), test.text(test.n))
		writeFile(t, filepath.Join(dirs[1], test.file), test.text(4*test.n))
		for _, words := range test.commands {
			t.Run(test.file+" "+strings.Join(words, " "), func(t *testing.T) {
				checkLinear(t, dirs, 1, append([]string{"do", test.file}, words...)...)
			})
		}
	}
}

// TestLinearFunctions runs every function for Kubernetes, with its first example, on inputs of
// two sizes.
func TestLinearFunctions(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("'make long' runs every function on thousands of files")
	}
	n, m := sizes()
	inputs := map[string][2]string{
		"files": {directory(t, n, false), directory(t, m, false)},
		"lists": {lists(t, n), lists(t, m)},
	}
	e := functions.NewStandardExecutor()
	for _, s := range e.Signatures(api.ToolchainKubernetesYAML) {
		if len(s.Examples) == 0 {
			t.Errorf("%s has no example", s.FunctionName)
			continue
		}
		words, err := shellwords.Split(s.Examples[0])
		if err != nil {
			t.Fatal(err)
		}
		for name, dirs := range inputs {
			t.Run(s.FunctionName+" "+name, func(t *testing.T) {
				checkLinear(t, dirs, 4, append([]string{
					"do", "-f", ".", "-R", "-o", "diff",
				}, words...)...) // some examples need what these inputs lack
			})
		}
	}
}

// TestLinearPolicies checks and fixes one pod of many containers with every policy of fctl.
func TestLinearPolicies(t *testing.T) {
	containers := func(n int) string {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n")
		for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
			fmt.Fprintf(&b, "  %s:\n", list)
			for i := range n {
				fmt.Fprintf(&b, "  - name: %s-%d\n    image: main\n    ports: [{containerPort: 80}]\n",
					list[:1], i)
			}
		}
		return b.String()
	}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	writeFile(t, filepath.Join(dirs[0], "pod.yaml"), containers(100))
	writeFile(t, filepath.Join(dirs[1], "pod.yaml"), containers(400))
	for _, name := range policies.Names() {
		for _, fix := range [][]string{nil, {"--fix", "--diff"}} {
			words := append([]string{"vet", "pod.yaml", "--policy", name}, fix...)
			t.Run(strings.Join(words[2:], " "), func(t *testing.T) {
				checkLinear(t, dirs, 1, words...)
			})
		}
	}
}

// TestLinearFindings checks that a finding does not search the list of what it is about.
func TestLinearFindings(t *testing.T) {
	var dirs [2]string
	for i, n := range []int{4_000, 16_000} {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {name: c%d, image: main}\n", i)
		}
		dirs[i] = t.TempDir()
		writeFile(t, filepath.Join(dirs[i], "pod.yaml"), b.String())
	}
	checkLinear(t, dirs, 1, "do", "pod.yaml", "vet-pods", "has(container.resources)")
}

// TestLinearPairs runs commands on inputs of which each part could be compared with each other.
func TestLinearPairs(t *testing.T) {
	parts := map[string]func(i int) string{
		"budgets.yaml": func(i int) string {
			return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: d%[1]d, namespace: s}
spec: {replicas: 2, template: {metadata: {labels: {tier: t, app: a%[1]d}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: d%[1]d, namespace: s}
spec: {selector: {matchLabels: {tier: t}, matchExpressions: [{key: app, operator: In, values: [a%[1]d]}]}}
---
`, i)
		},
		"maps.yaml": func(i int) string {
			return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%[1]d}\n"+
				"data: {a: value-%[1]d-x, b: y}\n---\n", i)
		},
		"setters.conf": func(i int) string { return fmt.Sprintf("  s%[1]d: value-%[1]d-x\n", i) },
		"replacements.conf": func(i int) string {
			return fmt.Sprintf("- source: {kind: ConfigMap, name: c%[1]d, fieldPath: data.a}\n"+
				"  targets: [{select: {kind: ConfigMap, name: c%[1]d}, fieldPaths: [data.b]}]\n", i)
		},
		"web.yaml": func(i int) string { return fmt.Sprintf("  - {port: %d}\n", i+1) },
		"lines.yaml": func(i int) string {
			return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d%d}\n%sspec: {}\n---\n", i,
				strings.Repeat("#\n", 50))
		},
		"ports.yaml": func(i int) string { // each Service selects all Pods, and none has its port
			if i%4 > 0 {
				return ""
			}
			return fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: a%[1]d, namespace: s}
spec: {selector: {tier: t}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p%[1]d, namespace: s, labels: {tier: t}}
spec: {containers: [{name: a, image: b}]}
---
`, i)
		},
		"kinds.yaml": func(i int) string { // resources of a version that their kind does not have
			if i%4 > 0 {
				return ""
			}
			return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a%[1]ds.example.com}
spec:
  group: example.com
  names: {kind: A%[1]d, plural: a%[1]ds}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: example.com/v2
kind: A%[1]d
metadata: {name: a, namespace: s}
---
`, i)
		},
	}
	heads := map[string]string{
		"setters.conf": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata:\n",
		"replacements.conf": "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\n" +
			"metadata: {name: r}\nreplacements:\n",
		"web.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: s}\n" +
			"spec:\n  selector: {a: b}\n  ports:\n",
	}
	var dirs [2]string
	for i, n := range []int{2_000, 8_000} {
		dirs[i] = t.TempDir()
		for name, part := range parts {
			var b strings.Builder
			b.WriteString(heads[name])
			for k := range n {
				b.WriteString(part(k))
			}
			writeFile(t, filepath.Join(dirs[i], name), b.String())
		}
	}
	for _, words := range [][]string{
		{"do", "budgets.yaml", "vet-disruption-budgets"},
		{"fn", "eval", "maps.yaml", "--image", "create-setters:v0.1", "--fn-config", "setters.conf", "--dry-run"},
		{"fn", "eval", "maps.yaml", "--image", "apply-replacements:v0.1", "--fn-config", "replacements.conf", "--dry-run"},
		{"vet", "web.yaml"},
		{"vet", "-f", "lines.*"}, // a finding per resource, in a file that may be a template
		{"vet", "kinds.yaml"},
		{"vet", "ports.yaml"},
	} {
		t.Run(strings.Join(words, " "), func(t *testing.T) { checkLinear(t, dirs, 1, words...) })
	}
}

// linearCommands are the commands whose work depends on the number of resources, with the words to
// measure. Each row is a command as in docs/cli.md; words in {} are replaced.
func linearCommands() map[string][][]string {
	files := []string{"-f", ".", "-R"}
	return map[string][][]string{
		"do": {
			append([]string{"do", "-o", "mutations"}, append(files, "set-label", "a", "b")...),
			append([]string{"do", "--check"}, append(files, "set-replicas", "9")...),
			append([]string{"do", "--name", "nobody"}, append(files, "set-replicas", "9")...),
		},
		"doseq":       {{"doseq", "-f", ".", "-R", `[{"FunctionName": "get-resources"}]`}},
		"vet":         {append([]string{"vet"}, files...), append([]string{"vet", "--policy", "restricted"}, files...)},
		"diff":        {{"diff", ".", "../other"}},
		"images":      {{"images"}},
		"images set":  {{"images", "set", "nginx", "1.99"}},
		"images pin":  {{"images", "pin", "/dev/null"}},
		"images move": {{"images", "move", "mirror.example.com"}},
		"merge":       {{"merge", "../other", ".", "../other"}},
		"fn source":   {{"fn", "source", "."}},
		"fn eval":     {{"fn", "eval", ".", "--image", "set-labels:v0.2", "--dry-run", "--", "a=b"}},
	}
}

// notMeasured are the commands without such work, and those that other tests measure.
func notMeasured() map[string]string {
	reasons := map[string]string{}
	for reason, commands := range map[string][]string{
		"TestLadderLinear of package bundle": {
			"bundle explain", "bundle graph", "bundle render", "bundle to-delete",
			"bundle validate",
		},
		"TestLinearWorkspaces, TestCostAgainstParsing of package wave, and the tests of package " +
			"workspace": {
			"export", "filter *", "import", "invocation *", "link *", "mutation list", "revision *",
			"space *", "undo", "unit *", "watch", "ws *",
		},
		"runs the functions that fn eval runs": {
			"fn render", "fn run", "fn sink", "fn test", "krm", "fn wrap", "fn xargs",
		},
		"runs the functions that do and vet run": {"lsp", "mcp", "serve"},
		"TestReviewIsLinear":                     {"review"},
		"reads no resources": {
			"bundle plugins", "completion *", "config view", "explain", "fn doc", "fn explain",
			"fn init", "functionconfig *", "list", "listpaths", "ok", "plugin test", "shutdown",
			"version",
		},
	} {
		for _, c := range commands {
			reasons[c] = reason
		}
	}
	return reasons
}

// TestLinearCommands runs the commands on inputs of two sizes. It fails for a command that has
// neither a row nor a reason.
func TestLinearCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^## fctl (.+)$`).FindAllStringSubmatch(
		string(text), -1) {
		names = append(names, match[1])
	}
	commands, reasons := linearCommands(), notMeasured()
	for i, name := range names {
		isGroup := i+1 < len(names) && strings.HasPrefix(names[i+1], name+" ")
		family, _, _ := strings.Cut(name, " ")
		if !isGroup && commands[name] == nil && reasons[name] == "" && reasons[family+" *"] == "" {
			t.Errorf("fctl %s is not measured: add a row, or a reason", name)
		}
	}
	n, m := sizes()
	for _, sameName := range []bool{false, true} {
		less, more := directory(t, n, sameName), directory(t, m, sameName)
		other(t, less)
		other(t, more)
		for name, rows := range commands {
			for _, words := range rows {
				t.Run(fmt.Sprint(strings.Join(words, " "), " same names ", sameName),
					func(t *testing.T) {
						checkLinear(t, [2]string{less, more}, 1, words...)
					})
			}
			if !slices.Contains(names, name) {
				t.Errorf("there is no command fctl %s", name)
			}
		}
	}
}

// TestReviewIsLinear reviews commits of two sizes that change every resource.
func TestReviewIsLinear(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	n, m := sizes()
	dirs := [2]string{directory(t, n/4, false), directory(t, m/4, false)}
	for _, dir := range dirs {
		other(t, dir)
		cmd := exec.Command("sh", "-euc", `git init -q -b main . && git add . && git commit -q -m one
cp -R ../other/. . && git add . && git commit -q -m two`)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	checkLinear(t, dirs, 1, "review", "HEAD~1", "--allow", "metadata.labels")
}

// units makes a workspace of n units. Each second one refers to a resource of the one before it, of
// which a Service selects its pod; half of them have the link.
func units(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) { writeFile(t, filepath.Join(dir, name), text) }
	write("fctl-workspace.yaml", "WorkspaceID: 5536ae02-0e9d-4804-a2a8-008423db5aee\n"+
		"DefaultSpace: default\n")
	write("spaces/default/space.yaml", "Slug: default\n")
	for i := range n {
		name := fmt.Sprintf("unit-%05d", i)
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n---\n" +
			fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %s}\n"+
				"spec:\n  selector: {part-of: shop, app: unit-%05d}\n", name, i+1)
		if i%2 == 1 {
			to := fmt.Sprintf("unit-%05d", i-1)
			text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name +
				"\n  labels: {part-of: shop, app: " + name + "}\nspec:\n" +
				"  containers:\n  - name: main\n    image: main\n    envFrom:\n" +
				"    - configMapRef: {name: " + to + "}\n"
			if i%4 == 1 { // link infer proposes the others
				write("spaces/default/links/"+name+".yaml", "Slug: "+name+"\nFromUnit: "+name+
					"\nToUnit: "+to+"\n")
			}
		}
		write("spaces/default/units/"+name+"/unit.yaml", "Slug: "+name+
			"\nToolchainType: Kubernetes/YAML\n")
		write("spaces/default/units/"+name+"/data.yaml", text)
	}
	return dir
}

// TestLinearWorkspaces runs commands about many units and links on workspaces of two sizes. Nothing
// is written, which takes most of the time.
func TestLinearWorkspaces(t *testing.T) {
	n, m := fewer()
	less, more := units(t, n), units(t, m)
	for _, words := range [][]string{
		{"space", "delete", "default", "--dry-run"},
		{"space", "rename", "default", "other", "--dry-run"},
		{"unit", "delete", "--where", "Slug != 'x'", "--force", "--dry-run"},
		{"unit", "update", "--where", "Slug != 'x'", "--patch", "--label", "a=b", "--dry-run"},
		{"unit", "do", "--where", "Slug != 'x'", "--dry-run", "set-annotation", "a", "b"},
		{"link", "delete", "--where", "Slug != 'x'", "--dry-run"},
		{
			"link", "update", "--where", "Slug != 'x'", "--patch", "--label", "a=b", "--no-propagate",
			"--dry-run",
		},
		{"link", "infer"},
		{"link", "resolve", "--where", "Slug != 'x'", "--dry-run"},
		{"link", "doctor"},
		{"link", "graph"},
		{"link", "list"},
		{"link", "plan"},
		{"unit", "list"},
		{"unit", "order"},
		{"unit", "tree"},
		{"watch", "--once"},
		{"ws", "check"},
		{"ws", "status"},
		{"ws", "log"},
		{"export"},
	} {
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			checkLinear(t, [2]string{less, more}, 1, words...)
		})
	}
}

// shape makes the three texts of a merge with n entries.
type shape struct {
	name string // of the files
	make func(n int) (base, ours, theirs string)
}

// mergeShapes are merges in which both sides change each of n entries.
func mergeShapes() []shape {
	each := func(head string, n int, entry func(i int) string) string {
		text := strings.Builder{}
		text.WriteString(head)
		for i := range n {
			text.WriteString(entry(i))
		}
		return text.String()
	}
	// of makes a text in which every entry has a key and a value.
	of := func(head, format string) func(n int, key, value string) string {
		return func(n int, key, value string) string {
			return each(head, n, func(i int) string {
				return strings.NewReplacer("KEY", key+fmt.Sprint(i), "VALUE", value).Replace(format)
			})
		}
	}
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: main}\nspec:\n  containers:\n"
	var shapes []shape
	for name, text := range map[string]func(n int, key, value string) string{
		"keys.yaml": of(
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: main}\ndata:\n", "  KEY: VALUE\n",
		),
		"variables.env":      of("", "KEY_X=VALUE\n"),
		"entries.properties": of("", "in.KEY=VALUE\n"),
		"variables.yaml": of(
			pod+"  - name: main\n    env:\n", "    - name: KEY\n      value: VALUE\n",
		),
		"keys.ini":    of("[s]\n", "KEY = VALUE\n"),
		"keys.toml":   of("[s]\n", "KEY = 'VALUE'\n"),
		"tables.toml": of("", "[KEY]\na = 'VALUE'\n"),
		"dotted.toml": of("[s]\n", "KEY.a = 'VALUE'\n"),
		"keys.tf": func(n int, key, value string) string {
			return of("locals {\n", "  KEY = \"VALUE\"\n")(n, key, value) + "}\n"
		},
		"blocks.tf": of("", "resource \"a\" \"KEY\" {\n  b = \"VALUE\"\n}\n"),
		"containers.yaml": of(
			pod, "  - name: KEY\n    image: VALUE\n    args: [KEY, VALUE]\n",
		),
		"documents.yaml": of(
			"", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: KEY}\ndata: {a: VALUE}\n",
		),
	} {
		shapes = append(shapes,
			shape{"renamed-" + name, func(n int) (base, ours, theirs string) {
				return text(n, "E", "a"), text(n, "E", "b"), text(n, "Q", "a")
			}},
			shape{"deleted-" + name, func(n int) (base, ours, theirs string) {
				return text(n, "E", "a"), text(1, "Q", "a"), text(n, "E", "b")
			}},
		)
	}
	return append(shapes, shape{"shuffled.yaml", func(n int) (base, ours, theirs string) {
		text := func(path string, factor int) string {
			return each(pod, n, func(i int) string {
				return fmt.Sprintf("  - name: c%d\n    volumeMounts:\n    - name: v\n"+
					"      mountPath: /%s\n", i*factor%n, path)
			})
		}
		return text("a", 1), text("a", 7), text("b", 1) // 7 and n have no common divisor
	}})
}

// TestLinearMerges merges files of two sizes.
func TestLinearMerges(t *testing.T) {
	n, m := fewer()
	for _, s := range mergeShapes() {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, n := range []int{n, m} {
				base, ours, theirs := s.make(n)
				for side, text := range map[string]string{
					"base": base, "ours": ours, "theirs": theirs,
				} {
					writeFile(t, filepath.Join(dir, fmt.Sprint(n), side, s.name), text)
				}
			}
			in := func(n int) string { return filepath.Join(dir, fmt.Sprint(n)) }
			checkLinear(t, [2]string{in(n), in(m)}, 1, "merge",
				"base/"+s.name, "ours/"+s.name, "theirs/"+s.name)
		})
	}
}
