package krm

import (
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

const listText1 = `# head
apiVersion: config.kubernetes.io/v1alpha1
kind: ResourceList
functionConfig:
  kind: ConfigMap   # why
items:
# first
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a, annotations: {config.kubernetes.io/path: a.yaml}}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: 'b' # b
    annotations:
      internal.config.kubernetes.io/path: b.yaml
      internal.config.kubernetes.io/index: 1
`

func mustParse(t *testing.T, text string) *ResourceList {
	t.Helper()
	l, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustPrint(t *testing.T, l *ResourceList) string {
	t.Helper()
	text, err := l.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// W1, W2: a parsed list is printed as it was, in the version it was.
func TestParsedListKeepsItsBytes(t *testing.T) {
	l := mustParse(t, listText1)
	if have := mustPrint(t, l); have != listText1 {
		t.Errorf("printed\n%s", have)
	}
	if l.Version != V1Alpha1 || len(l.Items) != 2 || l.FunctionConfig == nil {
		t.Errorf("read %+v", l)
	}
	if a, b := l.Items[0], l.Items[1]; a.Path != "a.yaml" || a.Index != 0 ||
		b.Path != "b.yaml" || b.Index != 1 {
		t.Errorf("places %v %v", a, b)
	}
}

// W4, A2: edits change the lines they are about; a new path goes to the family that was used.
func TestParsedListIsEdited(t *testing.T) {
	l := mustParse(t, listText1)
	if _, err := l.Items[1].Doc.SetP("x", "data.k"); err != nil {
		t.Fatal(err)
	}
	l.Items[0].Path = "new/a.yaml"
	added, err := NewItem([]byte("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"), "s.yaml",
		0)
	if err != nil {
		t.Fatal(err)
	}
	l.Items = append(l.Items, added)
	l.Results = append(l.Results, fnresult.Result{Message: "not printed in v1alpha1"})
	want := strings.Replace(listText1, "path: a.yaml",
		"path: new/a.yaml, config.kubernetes.io/index: \"0\"", 1) + `  data:
    k: x
- apiVersion: v1
  kind: Secret
  metadata:
    name: s
    annotations:
      internal.config.kubernetes.io/path: s.yaml
      internal.config.kubernetes.io/index: "0"
      config.kubernetes.io/path: s.yaml
      config.kubernetes.io/index: "0"
`
	if have := mustPrint(t, l); have != want {
		t.Errorf("printed\n%s\nwant\n%s", have, want)
	}
	l.Items = l.Items[1:2]
	l.Version = V1
	have := mustPrint(t, l)
	if strings.Contains(have, "name: a") ||
		!strings.HasSuffix(have, "results:\n- message: not printed in v1alpha1\n") {
		t.Errorf("printed\n%s", have)
	}
}

// W5: a list without items is an empty one, which is noted, and takes items.
func TestParseWithoutItems(t *testing.T) {
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for _, text := range []string{head, head + "items: null\n"} {
		l, err := Parse([]byte(text))
		if err != nil || len(l.Items) > 0 {
			t.Fatalf("%q: %v, %v", text, l, err)
		}
		note := `the ResourceList has no items, which counts as "items: []"`
		if !slices.Equal(l.Notes(), []string{note}) {
			t.Errorf("%q has the notes %q", text, l.Notes())
		}
		if have := mustPrint(t, l); have != text {
			t.Errorf("%q is printed as %q", text, have)
		}
		item, err := NewItem([]byte("kind: New\n"), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		l.Items = append(l.Items, item)
		if have := mustPrint(t, l); have != head+"items:\n- kind: New\n" {
			t.Errorf("%q with an item is printed as %q", text, have)
		}
	}
}

// W5: what is not a ResourceList is an error that says why, with its position.
func TestParseErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {" \n", "the text is empty"},
		"scalar":         {"done\n", "1:1: a ResourceList is expected"},
		"other kind":     {"kind: Deployment\n", `"Deployment"`},
		"items of a map": {"kind: ResourceList\nitems: {}\n", "2:8: items must be a list"},
		"item is a scalar": {
			"kind: ResourceList\nitems: [{}, 1]\n",
			"2:13: item 1 is not a resource",
		},
		"not UTF-8": {"kind: ResourceList\nitems: []\nx: \xff\n", "3:4: the text is not UTF-8"},
		"repeated key": {
			"kind: ResourceList\nitems:\n- a:\n    b: 1\n    b: 2\n",
			`5:5: the key "b" occurs twice`,
		},
		"two documents": {"kind: ResourceList\nitems: []\n---\na: b\n", "a second document"},
		"families disagree": {
			"kind: ResourceList\nitems:\n- metadata: {annotations: " +
				"{config.kubernetes.io/path: a, internal.config.kubernetes.io/path: b}}\n",
			"contradict",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(),
				c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// W1: items of other texts are written with annotations of both families, whatever their layout.
func TestWire(t *testing.T) {
	var l ResourceList
	for i, text := range []string{
		"# head\n--- # marker\n# own\nkind: A # a\nspec:\r\n  text: |\r\n    one\r\n\r\n" +
			"    two\r\n...\n",
		"{\n  \"kind\": \"B\"\n}",
		"  kind: C\n  list:\n  - a: 1\n",
		"--- {kind: D}\n",
	} {
		item, err := NewItem([]byte(text), "", 0)
		if err != nil {
			t.Fatal(i, err)
		}
		l.Items = append(l.Items, item)
	}
	l.Items[0].Path, l.Items[0].Index = "a.yaml", 2
	want := `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- kind: A # a
  spec:
    text: |
      one

      two
  metadata:
    annotations:
      config.kubernetes.io/index: "2"
      config.kubernetes.io/path: a.yaml
      internal.config.kubernetes.io/index: "2"
      internal.config.kubernetes.io/path: a.yaml
- {
    "kind": "B"
  }
-
    kind: C
    list:
    - a: 1
- {kind: D}
`
	if have := mustPrint(t, &l); have != want {
		t.Errorf("printed\n%s\nwant\n%s", have, want)
	}
	if l.Items[0].Doc.Changed() {
		t.Error("writing left edits in the document")
	}
}

// W6: results are read in all three dialects.
func TestResultDialects(t *testing.T) {
	head := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nresults:"
	for name, c := range map[string]struct {
		text, want string
		notes      int
	}{
		"a list": {"\n- message: m\n", "[error]: m", 0},
		"a list with everything": {"\n- message: m\n  severity: warning\n" +
			"  resourceRef: {apiVersion: v1, kind: K, name: n, namespace: s}\n" +
			"  field: {path: spec.x, currentValue: 1, proposedValue: {a: b}}\n" +
			"  file: {path: f.yaml, index: 1}\n", "[warning] v1/K/s/n spec.x: m", 0},
		"a map with items":    {"\n  name: x\n  items:\n  - message: m\n", "[info]: m", 1},
		"a map without items": {" {name: x}\n", "", 1},
		"older names": {"\n- message: m\n  resourceRef: {kind: K, metadata: {name: " +
			"n}}\n  field: {path: p, suggestedValue: 1}\n", "[error] K/n p: m", 2},
		"empty refs": {"\n- message: m\n  severity: info\n  resourceRef: {}\n" +
			"  file: {index: -1}\n", "[info]: m", 2},
		"field without a resource": {
			"\n- message: m\n  severity: info\n  field: {path: p}\n",
			"[info] p: m", 1,
		},
		"unknown severity": {"\n- message: m\n  severity: fatal\n", "[error]: m", 1},
		"null":             {"\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := mustParse(t, head+c.text)
			have := ""
			for _, r := range l.Results {
				have += r.String()
			}
			if have != c.want || len(l.Notes()) != c.notes {
				t.Errorf("read %q with notes %q, want %q and %d", have, l.Notes(), c.want, c.notes)
			}
		})
	}
}

// W7: results sort by file, index, severity and text.
// A1: an item that a function made without saying where has no annotations of path and index, and
// one that only has a path has no index: an orchestrator refuses -1.
func TestGeneratedItemHasNoIndex(t *testing.T) {
	for _, c := range []struct{ name, path, want string }{
		{"no path", "", "  metadata:\n    name: s\n"},
		{"only a path", "s.yaml", "      config.kubernetes.io/path: s.yaml\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := mustParse(t, listText1)
			item, err := NewItem([]byte("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"),
				c.path, appendIndex)
			if err != nil {
				t.Fatal(err)
			}
			l.Items = append(l.Items, item)
			have := mustPrint(t, l)
			if !strings.HasSuffix(have, c.want) || strings.Contains(have, "-1") {
				t.Errorf("printed\n%s", have)
			}
		})
	}
}
