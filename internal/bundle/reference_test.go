package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
)

// source is an observed ConfigMap that references read.
const source = `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
  namespace: default
  annotations: {a.b/c: dotted}
data:
  int: 5
  bool: true
  float: 1.5
  string: text
  upper: Bad Name
  number: "5"
  looks: "!{other}"
  nothing: null
  empty: ""
  multi: |
    one
    two
  map: {b: 1, a: [x, {w: z}]}
  list: [a, b, c]
  bytes: !!binary dGV4dA==
  noText: !!binary /w==
  items: [{name: a, value: 1}, {name: b, value: 2}]
`

// reference returns a Bundle in which the value of a ConfigMap's field is text, and n refers to a
// path of the observed ConfigMap.
func reference(path, text string) string {
	return head + `spec:
  resources:
  - name: source
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: source}}}
  - name: target
    references:
    - resource: source
      name: n
      path: ` + path + `
    spec:
      object:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: target # stays
        data:
          before: 'a'   # stays
          value: ` + text + `
          after: "b"
`
}

// target returns what the field became, or the status of the resource.
func target(t *testing.T, s scene) string {
	t.Helper()
	result := s.play(t)
	res := result.Resources[1]
	if !res.Rendered() {
		_, status, _ := strings.Cut(summary(result), "\n")
		return strings.TrimSuffix(status, "\n")
	}
	text := string(res.Bytes())
	for _, want := range []string{
		"  name: target # stays\n", "  before: 'a'   # stays\n", "  after: \"b\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is gone:\n%s", want, text)
		}
	}
	_, value, _ := strings.Cut(text, "\n  value:")
	value, _, _ = strings.Cut(value, "\n  after")
	return strings.TrimPrefix(value, " ")
}

// TestSubstitution has the rows of the table of values.
func TestSubstitution(t *testing.T) {
	for name, c := range map[string]struct{ path, text, want string }{
		"int":               {"data.int", `"!{n}"`, "5"},
		"bool":              {"data.bool", `"!{n}"`, "true"},
		"float":             {"data.float", `"!{n}"`, "1.5"},
		"string":            {"data.string", `"!{n}"`, `"text"`},
		"string, single":    {"data.string", `'!{n}'`, `'text'`},
		"string of digits":  {"data.number", `"!{n}"`, `"5"`},
		"map":               {"data.map", `"!{n}"`, "\n    b: 1\n    a:\n    - x\n    - w: z"},
		"list":              {"data.list", `"!{n}"`, "\n  - a\n  - b\n  - c"},
		"lines":             {"data.multi", `"!{n}"`, `"one\ntwo\n"`},
		"empty":             {"data.empty", `"!{n}"`, `""`},
		"text before":       {"data.int", `"x-!{n}"`, `"x-!{n}"`},
		"text after":        {"data.int", `"!{n}-x"`, `"!{n}-x"`},
		"space before":      {"data.int", `" !{n}"`, `" !{n}"`},
		"no name":           {"data.int", `"!{}"`, `"!{}"`},
		"escaped":           {"data.int", `"!!{n}"`, `"!{n}"`},
		"escaped twice":     {"data.int", `"!!!{n}"`, `"!!{n}"`},
		"escaped, unknown":  {"data.int", `"!!{x}"`, `"!{x}"`},
		"dollar":            {"data.int", `"${n}"`, `"${n}"`},
		"braces":            {"data.int", `"{n}"`, `"{n}"`},
		"not expanded":      {"data.looks", `"!{n}"`, `"!{other}"`},
		"in a list":         {"data.int", `["!{n}", x]`, `[5, x]`},
		"in a map":          {"data.int", `{a: {b: "!{n}"}}`, `{a: {b: 5}}`},
		"not in a key":      {"data.int", `{"!{n}": 1}`, `{"!{n}": 1}`},
		"in a block scalar": {"data.int", "|-\n            !{n}", "5"},
	} {
		t.Run(name, func(t *testing.T) {
			got := target(t, scene{bundle: reference(c.path, c.text), observed: []string{source}})
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A reference may have line ends in its name, which no reference can be called.
func TestSubstitutionOfLines(t *testing.T) {
	_, err := read(t, reference("data.int", `"!{a\nb}"`))
	if got := messages(err); !strings.Contains(got, "reference does not exist in resource "+
		"references block") {
		t.Errorf("got %s", got)
	}
}

func TestPartialSubstitutionIsNoted(t *testing.T) {
	_, notes, err := bundle.Read([]byte(reference("data.int", `"x-!{n}"`)), "b.yaml", "default")
	if err != nil || len(notes) != 1 || notes[0].String() !=
		`b.yaml:21:18: partial substitution is not supported: "x-!{n}" stays as it is; `+
			`a reference is a whole string` {
		t.Errorf("got %v, %v", notes, err)
	}
}

// What is substituted is a copy: a second use is a value of its own.
func TestSubstitutedValuesAreIndependent(t *testing.T) {
	got := target(t, scene{
		bundle:   reference("data.map", `{x: "!{n}", y: "!{n}"}`),
		observed: []string{source},
	})
	if want := "{x: {b: 1, a: [x, {w: z}]}, y: {b: 1, a: [x, {w: z}]}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPaths has the rows of the table of paths.
func TestPaths(t *testing.T) {
	failed := func(text string) string {
		return `target Error: failed to process reference "n": ` + text + " (retriable false, " +
			"external true)"
	}
	for path, want := range map[string]string{
		"data.string": `"text"`,
		"data.gone": failed("data.gone: the Bundle gives ConfigMap source no data.gone, and " +
			"nothing else does"),
		"data.gone.more": failed("data.gone.more: the Bundle gives ConfigMap source no " +
			"data.gone, and nothing else does"),
		"spec.gone":    failed("spec.gone: spec is not found in ConfigMap source"),
		"data.nothing": failed(`field not found: "data.nothing"`),
		"data.items[?(@.name=='x')].value": failed(
			"data.items[?(@.name=='x')].value: no value is found"),
		"data.items[?(@.name=='b')].value": "2",
		"data.list[3]": failed("data.list[3]: index 3 is out of range: the " +
			"list has 3 items"),
		"data.list[-1]": `"c"`,
		"data.list[-4]": failed("data.list[-4]: index -4 is out of range: the list has 3 " +
			"items"),
		"data.list[0:2]": failed("the path matches several values, and one is " +
			"expected"),
		"data.list[*]": failed("the path matches several values, and one is " +
			"expected"),
		"data.items[?(@.value>0)].name": failed("the path matches several values, and one is " +
			"expected"),
		"data.list[0:1]":                    `"a"`,
		`metadata.annotations.a\.b/c`:       `"dotted"`,
		"data.bytes":                        `"text"`,
		"data.noText":                       failed("cannot expand non-UTF8 byte array field"),
		"metadata.annotations['a.b/c']":     `"dotted"`,
		"data.items[?(@.name==\"a\")].name": `"a"`,
	} {
		t.Run(path, func(t *testing.T) {
			quoted := "'" + strings.ReplaceAll(path, "'", "''") + "'"
			got := target(t, scene{
				bundle: reference(quoted, `"!{n}"`), observed: []string{source},
			})
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	lists := func(o *bundle.Options) { o.AllowLists = true }
	for path, want := range map[string]string{
		"data.list[*]":       "\n  - a\n  - b\n  - c",
		"data.items[*]":      "\n  - name: a\n    value: 1\n  - name: b\n    value: 2",
		"data.items[*].name": failed("the path matches several values, and one is expected"),
		"data.string":        `"text"`,
	} {
		t.Run(path, func(t *testing.T) {
			got := target(t, scene{
				bundle: reference("'"+path+"'", `"!{n}"`), observed: []string{source},
				change: lists,
			})
			if strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// All references of a resource that fail are reported together, used or not.
func TestReferenceErrorsAreCollected(t *testing.T) {
	text := strings.Replace(reference("data.gone", `"!{n}"`), "    spec:\n      object:",
		"    - {resource: source, name: m, path: data.missing}\n    spec:\n      object:", 1)
	got := target(t, scene{bundle: text, observed: []string{source}})
	want := `target Error: failed to process reference "n": data.gone: the Bundle gives ConfigMap ` +
		`source no data.gone, and nothing else does: failed to process reference "m": ` +
		`data.missing: the Bundle gives ConfigMap source no data.missing, and nothing else does ` +
		`(retriable false, external true)`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A name that a reference gives is checked after substitution.
func TestObjectIsCheckedAfterSubstitution(t *testing.T) {
	for path, want := range map[string]string{
		"data.int": "target Error: metadata.name: a string is expected (retriable false, " +
			"external true)",
		"data.empty":  "target Error: metadata.name is empty (retriable false, external true)",
		"data.string": "",
		"data.upper": `target Error: metadata.name: "Bad Name" is not a valid name: use ` +
			"lower-case letters, digits, '-' and '.', with a letter or digit at both ends of " +
			"each part (retriable false, external true)",
	} {
		t.Run(path, func(t *testing.T) {
			text := strings.Replace(reference(path, "x"), "name: target # stays", `name: "!{n}"`, 1)
			s := scene{bundle: text, observed: []string{source}}
			if want == "" {
				if got := rendered(s.play(t)); !strings.Contains(got, "name: \"text\"\n") {
					t.Errorf("got %s", got)
				}
				return
			}
			if got := target(t, s); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	same := strings.Replace(reference("metadata.name", "x"), "name: target # stays", `name: "!{n}"`,
		1)
	if got := target(t, scene{bundle: same, observed: []string{source}}); got !=
		`target Error: "source" makes the same object, ConfigMap default/source, at b.yaml:6:5 `+
			`(retriable false, external true)` {
		t.Errorf("got %s", got)
	}
	namespace := strings.Replace(reference("data.string", "x"), "name: target # stays",
		"name: x\n          namespace: \"!{n}\"", 1)
	if got := target(t, scene{bundle: namespace, observed: []string{source}}); got !=
		`target Error: the namespace text is not that of the Bundle, default `+
			`[leave metadata.namespace out] (retriable false, external true)` {
		t.Errorf("got %s", got)
	}
}

// An alias in the Bundle is replaced by its value, with the comments of the object.
func TestAliases(t *testing.T) {
	text := strings.Replace(reference("data.int", `*x`), "    - resource: source",
		"    - resource: &x source", 1)
	if got := target(t, scene{bundle: text, observed: []string{source}}); got != "source" {
		t.Errorf("got %s", got)
	}
}

// The line ends of the file are those of what is rendered.
func TestWindowsLineEnds(t *testing.T) {
	text := strings.ReplaceAll(reference("data.int", `"!{n}"`), "\n", "\r\n")
	got := rendered(scene{bundle: text, observed: []string{source}}.play(t))
	if strings.Count(got, "\n") != strings.Count(got, "\r\n")+1 { // and the separator
		t.Errorf("got %q", got)
	}
	if !strings.Contains(got, "  value: 5\r\n") {
		t.Errorf("got %q", got)
	}
}

// bound is a Bundle in which a resource reads the Secret of a ServiceBinding.
func bound(path, kind string) string {
	return head + `spec:
  resources:
  - name: binding
    spec:
      object:
        apiVersion: servicecatalog.k8s.io/v1beta1
        kind: ServiceBinding
        metadata: {name: binding}
        spec: {secretName: secret}
  - name: target
    references: [{resource: binding, name: n, path: "` + path + `", modifier: bindsecret}]
    spec: {object: {apiVersion: v1, kind: ` + kind + `, metadata: {name: x}, data: {value: "!{n}"}}}
`
}

const (
	boundBinding = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBinding
metadata: {name: binding, namespace: default}
spec: {secretName: secret}
status: {conditions: [{type: Ready, status: "True"}]}
`
	boundSecret = `apiVersion: v1
kind: Secret
metadata: {name: secret, namespace: default}
data: {password: aHVudGVyMg==, bad: "%", noText: /w==, empty: ""}
`
)

// secretScene is a Bundle with a ServiceBinding and its Secret.
func secretScene(text string) scene {
	return scene{bundle: text, observed: []string{boundBinding, boundSecret}}
}

// TestBindSecret has the rules of the modifier.
func TestBindSecret(t *testing.T) {
	failed := func(text string) string {
		return `target Error: failed to process reference "n": ` + text + " (retriable false, " +
			"external true)\n"
	}
	for path, want := range map[string]string{
		"data.password": "data: {value: \"hunter2\"}",
		"data": failed("the data of the Secret is not base64: illegal base64 data at input " +
			"byte 0: bad"),
		"data.empty":    "data: {value: \"\"}",
		"metadata.name": "data: {value: \"secret\"}",
		"data.gone":     failed("data.gone: gone is not found in Secret secret"),
		"data.noText":   failed("cannot expand non-UTF8 byte array field"),
		"data.bad": failed("the data of the Secret is not base64: illegal base64 data at input " +
			"byte 0"),
	} {
		t.Run(path, func(t *testing.T) {
			result := secretScene(bound(path, "ConfigMap")).play(t)
			got := rendered(result) + summary(result)
			if !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// A secret value in clear text is noted, unless it is in a Secret.
func TestBindSecretIsNoted(t *testing.T) {
	for kind, want := range map[string]int{"ConfigMap": 1, "Secret": 0} {
		t.Run(kind, func(t *testing.T) {
			result := secretScene(bound("data.password", kind)).play(t)
			notes := result.Resources[1].Notes
			if len(notes) != want {
				t.Errorf("got %v", notes)
			}
			if want > 0 &&
				notes[0].Text() != "target: the secret value of !{n} is in clear text in "+
					"ConfigMap x" {
				t.Errorf("got %s", notes[0].Text())
			}
		})
	}
	result := secretScene(bound("metadata.name", "ConfigMap")).play(t)
	if notes := result.Resources[1].Notes; len(notes) > 0 {
		t.Errorf("got %v", notes)
	}
}

// Secret values reach no message and no report.
func TestBindSecretIsMasked(t *testing.T) {
	text := strings.Replace(bound("data.password", "ConfigMap"),
		"metadata: {name: x}", `metadata: {name: x, namespace: "!{n}"}`, 1)
	result := scene{bundle: text, observed: []string{boundBinding, boundSecret}}.play(t)
	status, err := result.WithStatus(strings.TrimSpace)
	if err != nil {
		t.Fatal(err)
	}
	all := summary(result) + messages(result.Failures()) + string(status)
	for _, e := range result.Explain(result.Resources[1], false) {
		all += e.Value + e.From
	}
	if strings.Contains(all, "hunter2") || !strings.Contains(all, "(sensitive)") {
		t.Errorf("got %s", all)
	}
	shown := ""
	for _, e := range result.Explain(result.Resources[1], true) {
		shown += e.Value
	}
	if !strings.Contains(shown, "hunter2") {
		t.Errorf("got %s", shown)
	}
}
