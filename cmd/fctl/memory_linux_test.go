package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	diff "github.com/google/go-cmp/cmp"
)

// hostile are programs that would take all memory, or all time, of the machine.
func hostile() map[string][]string {
	assignments := make([]string, 22)
	for i := range assignments {
		assignments[i] = fmt.Sprintf(".%c = .", 'a'+i)
	}
	double := func(action string) string {
		return `{{$x := "aaaaaaaaaa"}}` + strings.Repeat("{{$x = "+action+"}}", 40) + "{{$x}}"
	}
	return map[string][]string{
		"a text that doubles": {"set-starlark", "x = \"a\"\nfor i in range(60): x = x + x"},
		"a list that doubles": {"set-starlark", "x = [0]\nfor i in range(60): x += x"},
		"a long list":         {"set-starlark", "x = [0] * 1000000000"},
		"a long number":       {"set-starlark", "x = 2\nfor i in range(40): x = x * x"},
		"printf":              {"set-template", double(`printf "%s%s" $x $x`), "data.a"},
		"replace":             {"set-template", double(`replace "a" $x $x`), "data.a"},
		"an argument": {
			"set-path", "data.a", "template:" + double(`printf "%s%s" $x $x`),
		},
		"copies in copies": {"set-yq", strings.Join(assignments, " | ")},
		"many texts":       {"set-starlark", "x = []\nwhile True: x.append(\"a\" * 1000)"},
		"steps of the library": {
			"set-starlark", "x = [0]\nfor i in range(60): x.extend(list(x))",
		},
		"an index": {"set-yq", ".x[1000000000] = 1"},
		"a replacement": {
			"set-starlark", `x = re.sub("a", "b" * 100000, "a" * 1000000)`,
		},
		"lists in lists": {"set-cel", grown("[1]", "[x%d, x%[1]d]", `{"x": x40}`)},
		"a list of CEL":  {"set-cel", grown("[1]", "x%d + x%[1]d", `{"x": x40.sort()}`)},
		"a replacement of CEL": {"set-cel", grown(`"aaaaaaaaaa"`, `x%d.replace("a", x%[1]d)`,
			`{"x": x40}`)},
		"a large pattern": {
			"set-starlark", `x = re.search("(a{1000})" * 2000, "a" * 1000000)`,
		},
	}
}

// grown returns a CEL expression about x40, which is first after 40 steps.
func grown(first, step, about string) string {
	for i := 40; i > 0; i-- {
		about = fmt.Sprintf("cel.bind(x%d, %s, %s)", i, fmt.Sprintf(step, i-1), about)
	}
	return fmt.Sprintf("cel.bind(x0, %s, %s)", first, about)
}

// maxMemory is --max-memory of these tests, in bytes.
const maxMemory = 256 << 20

// TestHostileProgramsReachTheLimit runs programs that would take all memory or time. The run ends
// with status 4 and names the file, the resource and the function; it takes about the memory that
// it may, and leaves the directory as it was.
func TestHostileProgramsReachTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	for name, words := range hostile() {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{"web.yaml": hostileResource})
			stderr := reachesLimit(t, dir, append([]string{"do", "-i", "web.yaml"}, words...)...)
			if !strings.Contains(stderr, "./web.yaml:") || !strings.Contains(stderr, words[0]) {
				t.Errorf("stderr does not say where:\n%s", stderr)
			}
			if resource := "v1/ConfigMap /web"; words[0] != "set-template" && words[0] != "set-path" &&
				!strings.Contains(stderr, resource) {
				t.Errorf("stderr does not name %s:\n%s", resource, stderr)
			}
		})
	}
}

// TestHostileRepositoriesReachTheLimit is TestHostileProgramsReachTheLimit for programs that come
// with a repository: in a policy, a Kptfile and a link.
func TestHostileRepositoriesReachTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const steps = `
        x = [0]
        for i in range(60): x.extend(list(x))`
	for name, c := range map[string]struct {
		files map[string]string
		words []string
		want  string
	}{
		"a policy": {map[string]string{
			".fctl.yaml": "policy: [policy.yaml]\n",
			"policy.yaml": "- name: greedy\n  function: vet-starlark\n  arguments:\n    - |\n" +
				"      def validate(r):" + steps + "\n        return True\n",
		}, []string{"vet", "."}, "./web.yaml:1:1: v1/ConfigMap /web: "},
		"a Kptfile": {map[string]string{
			"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n" +
				"  mutators:\n    - image: starlark:v0.5\n      configMap:\n        source: |\n" +
				"          def f():" + strings.ReplaceAll(steps, "\n", "\n    ") +
				"\n          f()\n",
		}, []string{"fn", "render"}, "starlark:v0.5: "},
		"a condition of a Kptfile": {map[string]string{
			"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n" +
				"  mutators:\n    - image: set-labels:v0.2\n      configMap: {a: b}\n" +
				"      condition: " + grown("[1]", "x%d + x%[1]d", "x40.size() > 0") + "\n",
		}, []string{"fn", "render"}, "./Kptfile:8:18: condition: "},
		"a rule of a definition": {
			map[string]string{
				"shop.yaml": "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: s}\n---\n" +
					"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
					"metadata: {name: shops.example.com}\nspec:\n  group: example.com\n" +
					"  scope: Namespaced\n  names: {kind: Shop, plural: shops}\n  versions:\n" +
					"    - name: v1\n      served: true\n      storage: true\n      schema:\n" +
					"        openAPIV3Schema:\n          type: object\n" +
					"          x-kubernetes-validations:\n            - rule: " +
					grown("[1]", "x%d + x%[1]d", "x40.sort().size() > 0") + "\n",
			},
			[]string{"do", "shop.yaml", "vet-schemas"},
			"./shop.yaml:1:1: example.com/v1/Shop /s: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["web.yaml"] = hostileResource
			dir := hostileDir(t, c.files)
			if stderr := reachesLimit(t, dir, c.words...); !strings.Contains(stderr, c.want) {
				t.Errorf("stderr does not say %q:\n%s", c.want, stderr)
			}
		})
	}
	setter := "search-replace 1 " + strings.Repeat("1", 10_000)
	for name, flags := range map[string][]string{
		"a link": {
			"--downstream-path", "v1/ConfigMap:web:data.b=string:" + hostile()["printf"][1],
		},
		"functions of a link": {
			"--downstream-setter", "1=" + setter, "--downstream-setter", "2=" + setter,
			"--downstream-setter", "3=" + setter,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{"web.yaml": hostileResource})
			for _, words := range [][]string{
				{"workspace", "init"},
				{"unit", "create", "profile", "web.yaml"},
				{"unit", "create", "web", "web.yaml"},
				append([]string{
					"link", "create", "-", "web", "profile", "--update-type", "TransformPaths",
					"--upstream-path", "n=v1/ConfigMap:web:data.a",
				}, flags...),
			} {
				cmd := process(t, words...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", words, err, out)
				}
			}
			stderr := reachesLimit(t, dir, "link", "plan", "web-profile")
			if !strings.Contains(stderr, "web-profile") {
				t.Errorf("stderr does not name the link:\n%s", stderr)
			}
		})
	}
}

// TestHostileGrowthReachesTheLimit is TestHostileProgramsReachTheLimit for functions that make much
// of little: alone, one after the other, or on many resources.
func TestHostileGrowthReachesTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const resource = "v1/ConfigMap /web"
	long := strings.Repeat("q", 100_000)
	replace := func(n int) []string { return []string{"search-replace", "q", long[:n]} }
	groups := []string{
		"search-replace", "(q+)", strings.Repeat("${1}", 40), "true",
	}
	chain := func(steps ...[]string) []string {
		words := []string{"do", "-i", "web.yaml"}
		for i, step := range steps {
			if i > 0 {
				words = append(words, "then")
			}
			words = append(words, step...)
		}
		return words
	}
	fields, aliases := hostileResource, ""
	for i := range 400 {
		fields += fmt.Sprintf("  f%d: %q\n", i, long[:100])
	}
	for i := range 20 {
		aliases += "---\n" + strings.Replace(hostileResource, `"1"`, "&a x"+long, 1)
		for j := range 1000 {
			aliases += fmt.Sprintf("  f%d: *a\n", j)
		}
		aliases = strings.Replace(aliases, "name: web\n", fmt.Sprintf("name: web%d\n", i), 1)
	}
	var many strings.Builder
	for i := range 10_000 {
		many.WriteString("---\n" + strings.Replace(hostileResource, "web", fmt.Sprint("w", i), 1))
	}
	pipeline := func(steps ...string) string {
		return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n" +
			"pipeline:\n  mutators:\n  - " + strings.Join(steps, "\n  - ") + "\n"
	}
	put := fmt.Sprintf("{image: 'search-replace:v0.2', configMap: {by-path: data.a, "+
		"by-value-regex: '(.*)', put-value: '%s'}}", strings.Repeat("${1}", 100))
	var copies strings.Builder
	copies.WriteString("apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata:\n" +
		"  name: r\n  annotations: {config.kubernetes.io/local-config: \"true\"}\nreplacements:\n")
	for i := range 40 {
		fmt.Fprintf(&copies, "- source: {kind: ConfigMap, name: web, fieldPath: data}\n  targets:\n"+
			"  - {select: {kind: ConfigMap}, fieldPaths: [data.b%d], options: {create: true}}\n", i)
	}
	for name, c := range map[string]struct {
		resources string
		files     map[string]string
		words     []string
		want      []string
	}{
		"replacements": {
			resources: hostileResource + "  b: q\n",
			words:     chain(replace(10_000), replace(10_000), replace(10_000)),
			want:      []string{"./web.yaml:1:1: " + resource, "search-replace: "},
		},
		"groups": {
			resources: hostileResource + "  b: q\n",
			words:     chain(groups, groups, groups, groups, groups),
			want:      []string{"./web.yaml:1:1: " + resource, "search-replace: "},
		},
		"many fields": {
			resources: fields, words: chain(replace(300), replace(300)),
			want: []string{"./web.yaml:1:1: " + resource, "search-replace: "},
		},
		"many resources": {
			resources: many.String(), words: chain([]string{"set-annotation", "a", long}),
			want: []string{"./web.yaml", "set-annotation: "},
		},
		"copies": {
			resources: strings.Replace(hostileResource, `"1"`, long, 1),
			words:     chain([]string{"replicate", "v1/ConfigMap", "web", "10000"}),
			want:      []string{"./web.yaml", "replicate: "},
		},
		"aliases": {
			resources: aliases, words: chain([]string{"expand-anchors"}),
			want: []string{"./web.yaml", "expand-anchors: "},
		},
		"templates in templates": {
			words: chain([]string{
				"set-annotation", "a", `template:{{define "x"}}{{template "x"}}{{template "x"}}` +
					`{{end}}{{template "x"}}`,
			}),
			want: []string{"./web.yaml", "set-annotation: "},
		},
		"groups in a Kptfile": {
			files: map[string]string{"Kptfile": pipeline(put, put, put, put, put)},
			words: []string{"fn", "render"}, want: []string{"search-replace:v0.2: ", "web.yaml"},
		},
		"setters of a Kptfile": {
			resources: strings.Replace(hostileResource, `"1"`,
				"a # kpt-set: "+strings.Repeat("${a}", 200), 1),
			files: map[string]string{"Kptfile": pipeline(
				"{image: 'apply-setters:v0.2', configMap: {a: '" + long + "'}}")},
			words: []string{"fn", "render"}, want: []string{"apply-setters:v0.2: ", "web.yaml"},
		},
		"replacements of a Kptfile": {
			files: map[string]string{
				"Kptfile": pipeline("{image: 'apply-replacements:v0.1', configPath: r.yaml}"),
				"r.yaml":  copies.String(),
			},
			words: []string{"fn", "render"}, want: []string{"apply-replacements:v0.1: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"web.yaml": cmp.Or(c.resources, hostileResource)}
			maps.Copy(files, c.files)
			dir := hostileDir(t, files)
			stderr := reachesLimit(t, dir, c.words...)
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("stderr does not say %q:\n%s", want, stderr)
				}
			}
		})
	}
}

// TestForeignOutputReachesTheLimit runs programs that write much. What they write counts, and so
// does what fctl makes of it.
func TestForeignOutputReachesTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes much memory")
	}
	const less = 128 << 20 // enough for an error stream
	list := func(field, line string, n int) string {
		return "cat > /dev/null\necho 'apiVersion: config.kubernetes.io/v1'\n" +
			"echo 'kind: ResourceList'\necho '" + field + ":'\n" +
			"yes -- '" + line + "' | head -n " + fmt.Sprint(n) + "\n"
	}
	items := list("items",
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b, c: d}}", 400_000)
	eval := []string{"fn", "eval", ".", "--allow-exec", "--exec", "./loud.sh"}
	values := "echo '- {apiVersion: v1, kind: X, metadata: {name: a}, spec: ['\n" +
		"yes '{a: 1},' | head -n 3000000\necho ']}'\n"
	for name, c := range map[string]struct {
		memory int64
		script string
		words  []string
		want   string
	}{
		"lines on the error stream": {
			less, "cat\nyes 'a line of a log' | head -c 50000000 >&2\n", eval,
			"./loud.sh: was killed: it wrote more than 16MiB",
		},
		"one line on the error stream": {
			less, "cat\nhead -c 50000000 /dev/zero | tr '\\0' a >&2\n", eval,
			"./loud.sh: was killed: it wrote more than 16MiB",
		},
		"many small values": {
			less, "cat > /dev/null\necho 'apiVersion: config.kubernetes.io/v1'\n" +
				"echo 'kind: ResourceList'\necho 'items:'\n" + values, eval,
			"./loud.sh: it needs more memory than 128MiB",
		},
		"many small values of a wrapped program": {
			less, "cat > /dev/null\necho 'apiVersion: v1'\necho 'kind: List'\necho 'items:'\n" +
				values,
			[]string{"fn", "wrap", "--", "./loud.sh"},
			"./loud.sh: it needs more memory than 128MiB",
		},
		"items": {0, items, eval, "./loud.sh: it needs more memory than 256MiB"},
		"results": {
			0, list("results", "- message: a message", 3_000_000), eval,
			"./loud.sh: it needs more memory than 256MiB",
		},
		"a plugin": {
			// A busy machine looks at the memory late, so that only the message is checked.
			0, items,
			[]string{"bundle", "plugins", "--allow-exec", "--plugin", "loud=./loud.sh"},
			"it needs more memory than 256MiB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{
				"web.yaml": hostileResource, "loud.sh": "#!/bin/sh\n" + c.script,
				stdinFile: "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" +
					"items: []\nfunctionConfig: {apiVersion: v1, kind: X, metadata: {name: a}}\n",
			})
			if err := os.Chmod(filepath.Join(dir, "loud.sh"), 0o700); err != nil {
				t.Fatal(err)
			}
			if stderr := reaches(t, c.memory, dir, c.words...); !strings.Contains(stderr, c.want) {
				t.Errorf("stderr does not say %q:\n%.2000s", c.want, stderr)
			}
		})
	}
}

// slow is a regular expression that a text of some hundred thousand a takes minutes to match.
var slow = strings.Repeat("(?:[ab]?){900}", 4) + "c"

// TestRegularExpressionsReachTheLimitOfTime matches regular expressions that nothing can end. The
// run ends and names the file or the link, and the function.
func TestRegularExpressionsReachTheLimitOfTime(t *testing.T) {
	text := strings.Repeat("a", 1_000_000)
	chain := []string{"--where-resource", "data.a ~ '" + slow + "'"}
	for name, c := range map[string]struct {
		prepare [][]string
		words   []string
		want    []string
	}{
		"a function": {
			words: []string{"do", "-i", "web.yaml", "search-replace", slow, "x", "true"},
			want:  []string{"./web.yaml:1:1: v1/ConfigMap /web: search-replace: it ran longer than 100ms"},
		},
		"a where-expression": {
			words: append([]string{"do", "-i", "web.yaml", "set-annotation", "a", "b"}, chain...),
			want:  []string{"./web.yaml:1:1: v1/ConfigMap /web: set-annotation: it ran longer than 100ms"},
		},
		"values": {
			words: []string{"vet", "pod.yaml"},
			want:  []string{"./pod.yaml:1:1: v1/Pod /p: vet-values: it ran longer than 100ms"},
		},
		"a link": {
			prepare: [][]string{
				{"workspace", "init"},
				{"unit", "create", "base", "web.yaml"},
				{"unit", "create", "web", "small.yaml"},
				{
					"link", "create", "-", "web", "base", "--update-type", "MergeUnits",
					"--where-resource", "data.a ~ '" + slow + "'",
				},
			},
			words: []string{"link", "plan", "web-base"},
			want:  []string{"web-base", "WhereResource: it ran longer than 100ms"},
		},
		"link doctor": {
			prepare: [][]string{
				{"workspace", "init"},
				{"unit", "create", "base", "web.yaml"},
				{"unit", "create", "web", "small.yaml"},
				{
					"link", "create", "-", "web", "base", "--update-type", "MergeUnits",
					"--where-resource", "data.a ~ '" + slow + "'",
				},
			},
			words: []string{"link", "doctor"},
			want:  []string{"default/web: it ran longer than 100ms"},
		},
		"a filter": {
			prepare: [][]string{
				{"workspace", "init"},
				{
					"unit", "create", "web", "small.yaml", "--annotation", "a=" + text[:65_000],
					"--annotation", "b=" + text[:65_000],
				},
			},
			words: []string{
				"unit", "list", "--where",
				"Annotations.a ~ '" + slow + "' OR Annotations.b ~ '" + slow + "'",
			},
			want: []string{"a filter: it ran longer than 100ms"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{
				"web.yaml":   strings.Replace(hostileResource, `"1"`, text, 1),
				"small.yaml": hostileResource,
				"pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n" +
					"  containers:\n  - name: c\n    image: " + text + "\n",
				".fctl.yaml": "policy: [policy.yaml]\n",
				"policy.yaml": "- function: vet-values\n" +
					`  arguments: [container-image, '{"DenyRegexp": "` + slow + `"}']` + "\n",
			})
			for _, words := range c.prepare {
				cmd := process(t, words...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", words, err, out)
				}
			}
			cmd := process(t, c.words...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "FCTL_TIMEOUT=100ms")
			before := filesOf(t, dir)
			out, err := cmd.CombinedOutput()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 4 {
				t.Errorf("it ended with %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			if d := diff.Diff(before, filesOf(t, dir)); d != "" {
				t.Errorf("the directory was changed (-before +after):\n%s", d)
			}
		})
	}
}

// TestExpressionsOfOneFunctionHaveOneDeadline evaluates many short expressions on data that is
// worked on in parts. All together take longer than the limit, which ends the function.
func TestExpressionsOfOneFunctionHaveOneDeadline(t *testing.T) {
	var all strings.Builder
	for i := range 1600 {
		fmt.Fprintf(&all, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-%d}\n"+
			"data: {a: %s}\n", i, strings.Repeat("a", 5_000))
	}
	const pattern = "([ab]?){30}([ab]?){300}c"
	for name, words := range map[string][]string{
		"Starlark":             {"set-starlark", "x = 0\nfor i in range(300000): x = x + 1"},
		"CEL":                  {"vet-celexpr", `!r.data.a.matches("` + pattern + `")`},
		"where":                {"set-cel", "{}", "--where-cel", `r.data.a.matches("` + pattern + `")`},
		"yq":                   {"set-yq", `.x = (.data.a | split("aaaaaaaa") | map(. + "b") | length)`},
		"a regular expression": {"search-replace", pattern, "x", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := hostileDir(t, map[string]string{"web.yaml": all.String()})
			// The first resource takes a small part of the time, except on a machine that is busy.
			var stderr bytes.Buffer
			for attempt := 1; ; attempt++ {
				cmd := process(t, append([]string{"do", "web.yaml"}, words...)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "FCTL_TIMEOUT=400ms")
				stderr.Reset()
				cmd.Stderr = &stderr
				err := cmd.Run()
				if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 4 {
					t.Errorf("it ended with %v", err)
				}
				if !strings.Contains(stderr.String(), "/web-0: ") {
					break
				} else if attempt == 5 {
					t.Fatalf("it names a resource that it had done:\n%.2000s", &stderr)
				}
			}
			for _, want := range []string{"./web.yaml:", "/web-", words[0], "it ran longer than 400ms"} {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("it does not say %q:\n%.2000s", want, &stderr)
				}
			}
		})
	}
}

// stdinFile is a file of a directory that a command has as its standard input.
const stdinFile = "stdin.txt"

const hostileResource = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n" +
	"data:\n  a: \"1\"\n"

func hostileDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// reachesLimit runs fctl in a directory and returns what it wrote to the error stream.
func reachesLimit(t *testing.T, dir string, words ...string) string {
	t.Helper()
	return reaches(t, maxMemory, dir, words...)
}

// reaches is reachesLimit with another limit of memory; 0 is the same, without a look at the peak.
func reaches(t *testing.T, most int64, dir string, words ...string) string {
	t.Helper()
	before := filesOf(t, dir)
	// A busy machine may look at the memory late, but not every time.
	for attempt := 1; ; attempt++ {
		cmd := process(t, words...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), fmt.Sprintf("FCTL_MAX_MEMORY=%d", cmp.Or(most, maxMemory)))
		// A process begins with the peak of the one that starts it, so this one stays small.
		var stdout, stderr head
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if in, err := os.Open(filepath.Join(dir, stdinFile)); err == nil {
			defer func() { _ = in.Close() }()
			cmd.Stdin = in
		}
		err := cmd.Run()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != 4 {
			t.Errorf("it ended with %v:\n%s%s", err, &stdout, &stderr)
		}
		if d := diff.Diff(before, filesOf(t, dir)); d != "" {
			t.Errorf("the directory was changed (-before +after):\n%s", d)
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		if used <= most/4*5 || most == 0 {
			return stderr.String()
		}
		if attempt == 5 {
			t.Errorf("it took %d MiB, and may take %d", used>>20, most/4*5>>20)
			return stderr.String()
		}
	}
}

// head is the beginning and the end of what a command writes.
type head struct{ text []byte } // a bytes.Buffer would read all at once

func (h *head) Write(p []byte) (int, error) {
	const most = 64 << 10
	if h.text = append(h.text, p...); len(h.text) > 4*most {
		h.text = append(h.text[:most], h.text[len(h.text)-most:]...)
	}
	return len(p), nil
}

func (h *head) String() string { return string(h.text) }

// filesOf returns the texts of the files in a directory and below it.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
