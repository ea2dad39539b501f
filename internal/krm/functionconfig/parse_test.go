package functionconfig

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/process"
)

const head = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
	"metadata: {name: f}\nspec:\n"

// proposed has every field of the proposal.
const proposed = `apiVersion: config.porch.kpt.dev/v1alpha1
kind: FunctionConfig
metadata:
  name: set-labels
  namespace: porch-fn-system
spec:
  image: set-labels
  prefixes:
  - ""
  - registry.example:5000/functions/
  - registry.example:5000/functions
  podExecutorConfig:
    tags: [v0.1.1, v0.2.0]
    serviceAccount: functions
    resources:
      requests: {cpu: 100m, memory: 64Mi}
      limits: {cpu: 1, memory: 128Mi}
    timeToLive: 30m
    maxParallelExecutions: 3
    preferredMaxQueueLength: 2
  binaryExecutorConfig:
    tags: [v0.2, v0.2.3]
    relPath: bin/../set-labels
  goExecutorConfig:
    tags: [v0.1.1]
    id: apply-labels
`

// today is the same object with the names that Porch has.
const today = `{"apiVersion": "config.porch.kpt.dev/v1alpha1", "kind": "FunctionConfig",
 "metadata": {"name": "set-labels", "namespace": "porch-fn-system", "generation": 4,
  "managedFields": [{"manager": "kubectl"}]},
 "spec": {"image": "set-labels", "prefixes": ["", "registry.example:5000/functions"],
  "podExecutor": {"tags": ["v0.1.1", "v0.2.0"], "timeToLive": "30m", "maxParallelExecutions": 3,
   "preferredMaxQueueLength": 2, "templateOverrides": {"serviceAccountName": "functions",
    "container": {"resources": {"requests": {"cpu": "100m", "memory": "64Mi"},
     "limits": {"cpu": 1, "memory": "128Mi"}}}}},
  "binaryExecutor": {"tags": ["v0.2", "v0.2.3"], "path": "set-labels"},
  "goExecutor": {"tags": ["v0.1.1"], "id": "apply-labels"}},
 "status": {"apiServerObservedGeneration": 4, "error": ""}}
`

func TestParseBothSpellings(t *testing.T) {
	for name, text := range map[string]string{"proposed": proposed, "today": today} {
		t.Run(name, func(t *testing.T) {
			configs, problems := Parse([]byte(text), "f.yaml")
			if len(problems) > 0 || len(configs) != 1 {
				t.Fatalf("%d configs, %v", len(configs), problems)
			}
			c := configs[0]
			got := fmt.Sprintln(c.Name, c.Namespace, c.Image, c.Prefixes, len(c.Go.Tags), c.Go.ID,
				c.Binary.RelPath, c.Pod.TimeToLive == 30*time.Minute, c.Pod.MaxParallelExecutions,
				c.Pod.PreferredMaxQueueLength, c.Pod.Overrides.ServiceAccount,
				string(c.Pod.Overrides.Container.Resources))
			want := "set-labels porch-fn-system set-labels [ registry.example:5000/functions] 1 " +
				"apply-labels set-labels true 3 2 functions " +
				`{"limits":{"cpu":1,"memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}}` +
				"\n"
			if got != want {
				t.Errorf("got  %swant %s", got, want)
			}
		})
	}
}

// problemCase is an object of testdata/problems.txt and the lines that its problems give.
type problemCase struct{ name, spec, want string }

// problemCases reads testdata/problems.txt: "=== NAME", the spec or the whole object, "---", and
// the problems in the order of their positions. "server" begins those that the API server finds,
// too.
func problemCases(t *testing.T) []problemCase {
	t.Helper()
	text, err := os.ReadFile("testdata/problems.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []problemCase
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n=== ") {
		block = strings.TrimPrefix(block, "=== ")
		name, rest, _ := strings.Cut(block, "\n")
		spec, want, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			t.Fatalf("%s: no problems", name)
		}
		if !strings.Contains(spec, "kind:") {
			spec = head + spec
		}
		cases = append(cases, problemCase{name, spec + "\n", strings.TrimSpace(want)})
	}
	return cases
}

// TestProblems has one case for each validation of the objects.
func TestProblems(t *testing.T) {
	for _, c := range problemCases(t) {
		t.Run(c.name, func(t *testing.T) {
			configs, problems := Parse([]byte(c.spec), "f")
			if got := lines(problems); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if hasErrors := len(Errors(problems)) > 0; hasErrors != (len(configs) == 0) {
				t.Errorf("%d configs with these problems", len(configs))
			}
		})
	}
}

func lines(problems []ConfigProblem) string {
	var all []string
	for _, p := range problems {
		line := p.Error()
		if p.Warning {
			line = "warning " + line
		}
		if p.Server {
			line = "server " + line
		}
		if p.Hint != "" {
			line += " | " + p.Hint
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

func TestImageUsedTwice(t *testing.T) {
	a, problems := Parse([]byte(proposed), "a.yaml")
	other := strings.Replace(proposed, "name: set-labels", "name: other", 1)
	b, more := Parse([]byte(other), "b.yaml")
	if len(problems)+len(more) > 0 {
		t.Fatal(problems, more)
	}
	set, problems := NewSet(slices.Concat(a, b), "")
	want := "b.yaml:7:10: FunctionConfig/other: spec.image: the image set-labels has a " +
		"FunctionConfig already: set-labels at a.yaml:7:10"
	if got := lines(problems); got != want {
		t.Errorf("got %s", got)
	}
	if len(set.Configs()) != 1 || set.Lookup("set-labels") != a[0] {
		t.Errorf("set has %v", set.Configs())
	}
}

func TestSeveralDocuments(t *testing.T) {
	two := proposed + "---\n# none\n---\n" + strings.NewReplacer("image: set", "image: get",
		"name: set", "name: get").Replace(proposed)
	configs, problems := Parse([]byte(strings.ReplaceAll(two, "\n", "\r\n")), "f.yaml")
	if len(configs) != 2 || len(problems) > 0 {
		t.Errorf("%d configs, %v", len(configs), problems)
	}
	list := `{"apiVersion": "v1", "kind": "List", "items": [` + today + "]}"
	configs, problems = Parse([]byte(list), "list.json")
	if len(configs) != 1 || len(problems) > 0 || configs[0].Generation != 4 {
		t.Errorf("%d configs, %v", len(configs), problems)
	}
	mixed := "kind: ConfigMap\napiVersion: v1\n---\n" + proposed + "---\n- 1\n"
	configs, problems = ParseMixed([]byte(mixed), "f.yaml")
	if len(configs) != 1 || len(problems) > 0 {
		t.Errorf("%d configs, %v", len(configs), problems)
	}
}

// An object that has the name of another one in the text replaces it in a cluster.
func TestNameUsedTwice(t *testing.T) {
	object := func(metadata, image string) string {
		return "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\nmetadata: {" +
			metadata + "}\nspec: {image: " + image + ", podExecutor: {}}\n---\n"
	}
	configs, problems := Parse([]byte(object("name: a", "x")+object("name: a, namespace: n", "y")+
		object("name: a", "z")), "f")
	want := "f:13:18: FunctionConfig/a: metadata.name: another FunctionConfig has the name a, at " +
		"f:1:1; a cluster keeps the last one only"
	if got := lines(problems); got != want || len(configs) != 2 {
		t.Errorf("%d configs: %s", len(configs), got)
	}
}

// Programs in Go write 0s for a time that is not set.
func TestNoTimeToLive(t *testing.T) {
	for _, text := range []string{"0s", `"0"`, "null"} {
		configs, problems := Parse([]byte(head+"  image: f\n  podExecutor: {timeToLive: "+text+
			"}\n"), "f")
		if len(problems) > 0 || configs[0].Pod.TimeToLive != 0 {
			t.Errorf("%s: %v, %s", text, configs, lines(problems))
		}
	}
}

// TestLimits has what is longer than the definition in the API server allows.
func TestLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	list := func(n int) string {
		var items []string
		for i := range n {
			items = append(items, "a"+strconv.Itoa(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	for _, c := range []struct{ within, beyond, want string }{
		{
			"image: " + long(255), "image: " + long(256),
			"spec.image has 256 characters, more than the limit of 255",
		},
		{
			"prefixes: [" + long(512) + "]", "prefixes: [" + long(513) + "]",
			"spec.prefixes.0 has 513 characters, more than the limit of 512",
		},
		{
			"prefixes: " + list(256), "prefixes: " + list(257),
			"spec.prefixes has 257 entries, more than the limit of 256",
		},
		{
			"goExecutor: {tags: " + list(1024) + "}", "goExecutor: {tags: " + list(2000) + "}",
			"spec.goExecutor.tags has 2000 entries, more than the limit of 1024",
		},
		{
			"binaryExecutor: {tags: [a], relPath: " + long(4096) + "}",
			"binaryExecutor: {tags: [a], relPath: " + long(4097) + "}",
			"spec.binaryExecutor.relPath has 4097 characters, more than the limit of 4096",
		},
	} {
		parse := func(field string) string {
			text := head + "  " + field + "\n  podExecutor: {}\n"
			if !strings.HasPrefix(field, "image") {
				text += "  image: f\n"
			}
			_, problems := Parse([]byte(text), "f")
			return lines(problems)
		}
		if got := parse(c.within); got != "" {
			t.Errorf("within the limit: %s", got)
		}
		if got := parse(c.beyond); !strings.HasSuffix(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		tag   string
		allow string
		deny  string
	}{
		{"v0.2", "v0.2", "v0.2.0 v0.2.9 0.2"},
		{"0.2.1", "0.2.1", "v0.2.1 0.2"},
		{"v1", "v1", "v1.0.0 v1.2"},
		{"v0.2.0-rc.1", "v0.2.0-rc.1", "v0.2.0"},
		{"latest", "latest", "v1"},
		{"linux", "linux", "v1"},
		{"*", "latest v1 main", ""},
		{"~0.4", "v0.4.0 0.4.9 v0.4", "v0.5.0 v0.4.1-rc1 latest"},
		{"^1.2", "1.9.0", "2.0.0 1.1.9"},
		{">=0.2, <0.3", "v0.2.0 v0.2.9", "v0.3.0"},
		{">= v0.2 < v0.3", "v0.2.0", "v0.3.0"},
		{"0.2.x", "v0.2.7", "v0.3.0"},
		{"v0.X", "v0.2.7", "v1.3.0"},
		{"0.1 - 0.3", "v0.2.0 0.3.0", "v0.4.0"},
		{"~0.1 || ~0.3", "0.1.4 0.3.0", "0.2.0"},
		{">=0.3-0", "0.3.0-rc1 0.4.0", "0.2.0"},
	} {
		t.Run(c.tag, func(t *testing.T) {
			tag, err := ParseTag(c.tag)
			if err != nil {
				t.Errorf("%s: %v", c.tag, err)
			}
			for s := range strings.FieldsSeq(c.allow) {
				if !tag.Allows(s) {
					t.Errorf("%s does not allow %s", c.tag, s)
				}
			}
			for s := range strings.FieldsSeq(c.deny) {
				if tag.Allows(s) {
					t.Errorf("%s allows %s", c.tag, s)
				}
			}
		})
	}
	for _, text := range []string{
		"", "-", "~", ">=", "a b", "v1 ", ">=x.y", ".x1", "ü", strings.Repeat("a", 129),
	} {
		t.Run(text, func(t *testing.T) {
			if tag, err := ParseTag(text); err == nil {
				t.Errorf("%q is %+v", text, tag)
			}
		})
	}
	constraint, _ := ParseTag("~0.4")
	tags := []string{"v0.4.1", "latest", "0.4.10", "v0.4.10", "v0.5.0"}
	if got := constraint.Highest(tags); got != "0.4.10" {
		t.Errorf("highest is %q", got)
	}
}

// TestParseImageTable is the table of names that every reader of them must get right.
func TestParseImageTable(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0a", 32)
	for name, want := range map[string]process.Image{
		"set-labels":                {Base: "set-labels"},
		"set-labels:v0.2":           {Base: "set-labels", Tag: "v0.2"},
		"localhost:5000/set-labels": {Repository: "localhost:5000", Base: "set-labels"},
		"my.io:5000/a/b/set-labels:v1.0@" + digest: {
			Repository: "my.io:5000/a/b", Base: "set-labels", Tag: "v1.0", Digest: digest,
		},
		"ghcr.io/kptdev/krm-functions-catalog/set-labels@" + digest: {
			Repository: "ghcr.io/kptdev/krm-functions-catalog", Base: "set-labels", Digest: digest,
		},
		"a/b__c.d-e/f": {Repository: "a/b__c.d-e", Base: "f"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := process.ParseImage(name)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", name, err, diff)
			}
			if got.String() != name {
				t.Errorf("%s is printed as %s", name, got)
			}
		})
	}
	for _, name := range []string{
		"", "a/b:c/d", "x:", ":v1", "/x", "x//y", "a/X", "X", "my.io/A/x", "x@sha256:12", "x@",
		"x:v1@",
		"x/", "-x", "x-", "a:b:c", "localhost:/x", "localhost:5o/x", ".x", "x:.a", "x:-a", " x",
		"x y",
		"x@md5:" + strings.Repeat("0", 64), "x@sha256:" + strings.Repeat("0A", 32), "http://x/y",
		strings.Repeat("a/", 600) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := process.ParseImage(name); err == nil {
				t.Errorf("%q is %+v", name, got)
			}
		})
	}
}
