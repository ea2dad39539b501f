package yq_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/yq"
)

const document = `# The shop.
apiVersion: apps/v1

kind: Deployment # front
metadata: {name: web,  namespace: "shop"}
spec:
  # how many
  replicas:   3  # enough

  image: 'nginx:1.25'
  when: 2026-01-31
  list:
  - a
  # the second
  - name: b.c
    size: 1   # small
`

func parse(t testing.TB, text string) *gaby.YamlDoc {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func bind(text string) (*yq.Run, error) {
	program, err := yq.Compile(text)
	if err != nil {
		return nil, err
	}
	return program.Bind(map[string]any{"zone": "eu", "a": "1"})
}

func TestGet(t *testing.T) {
	for text, want := range map[string]string{
		".spec.replicas":                      "3\n",
		`.metadata.name + "-" + $params.zone`: "web-eu\n",
		".spec.none":                          "null\n",
		`select(.kind == "Service")`:          "",
		".spec.list[], .kind": "a\n# the second\nname: b.c\n" +
			"size: 1 # small\nDeployment\n",
		"$params":                                  "a: \"1\"\nzone: eu\n",
		".metadata | keys":                         "- name\n- namespace\n",
		`"a\(.spec.replicas)b"`:                    "a3b\n",
		`eval(".spec.replicas")`:                   "3\n",
		`.spec.image | test("^nginx")`:             "true\n",
		`.spec | to_json(0)`:                       `{"replicas":3,"image":"nginx:1.25","when":"2026-01-31","list":["a",{"name":"b.c","size":1}]}` + "\n",
		`.spec.when | format_datetime("Monday")`:   "",
		`[.spec.list[] | select(type == "!!str")]`: "- a\n",
	} {
		t.Run(text, func(t *testing.T) {
			run, err := bind(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			got, err := run.Get(t.Context(), parse(t, document))
			if want == "" && strings.Contains(text, "datetime") {
				return // how yq parses times is up to yq
			}
			if err != nil || got != want {
				t.Errorf("%s: %q, %v, want %q", text, got, err, want)
			}
		})
	}
}

// TestSet checks that what an expression does not touch is preserved byte for byte, if edits can
// express what it did.
func TestSet(t *testing.T) {
	for _, c := range []struct{ text, from, to string }{
		{".", "", ""},
		{".spec.replicas = 3", "", ""},
		{`.spec.image style = "single"`, "", ""},
		{".spec.replicas += 2", "replicas:   3", "replicas:   5"},
		{`.spec.image |= sub("1.25", "1.27")`, "nginx:1.25", "nginx:1.27"},
		{`.metadata.labels.zone = $params.zone`, `"shop"}`, `"shop", labels: {zone: eu}}`},
		{`.spec.none[] |= . + 1`, "# small\n", "# small\n  none: []\n"},
		{`del(.spec.list[0])`, "  - a\n", ""},
		{`.spec.list += [{"x": "5"}]`, "# small\n", "# small\n  - x: \"5\"\n"},
		{`.spec.list[1].size line_comment = "large"`, "# small", "# large"},
		{
			`.spec.replicas = 4 | .spec.replicas line_comment = ""`, "replicas:   3  # enough",
			"replicas:   4",
		},
		{`.spec.day = .spec.when`, "# small\n", "# small\n  day: \"2026-01-31\"\n"},
		{
			`del(.spec.image) | .spec.list[1].x = 1 | .spec.none = 2`,
			"  image: 'nginx:1.25'\n  when: 2026-01-31\n  list:\n  - a\n  # the second\n" +
				"  - name: b.c\n    size: 1   # small\n",
			"  when: 2026-01-31\n  list:\n  - a\n  # the second\n" +
				"  - name: b.c\n    size: 1   # small\n    x: 1\n  none: 2\n",
		},
		{`.metadata = {"x": 1} + .metadata`, "{name: web,  ", "{x: 1, name: web,  "},
		{`.metadata += {"x": 1}`, `"shop"}`, `"shop", x: 1}`},
		{`.metadata |= {"name": .name, "x": 1} + .`, "web,  ", "web, x: 1,  "},
		{`.spec = {"x": 1} + .spec`, "spec:\n", "spec:\n  x: 1\n"},
		{
			`.spec |= {"replicas": .replicas, "x": 1} + .`, "# enough\n", "# enough\n  x: 1\n",
		},
		{`.spec.list[1] |= {"x": 1} + .`, "- name: b.c\n", "- x: 1\n    name: b.c\n"},
		{
			`.spec.list[1] |= {"name": .name, "x": 1} + .`, "b.c\n", "b.c\n    x: 1\n",
		},
		{
			`sort_keys(.spec) | .spec.b = 1`,
			"  # how many\n  replicas:   3  # enough\n\n  image: 'nginx:1.25'\n" +
				"  when: 2026-01-31\n  list:\n  - a\n  # the second\n" +
				"  - name: b.c\n    size: 1   # small\n",
			"  image: 'nginx:1.25'\n\n  list:\n  - a\n  # the second\n" +
				"  - name: b.c\n    size: 1   # small\n" +
				"  # how many\n  replicas:   3  # enough\n  when: 2026-01-31\n  b: 1\n",
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			run, err := bind(c.text)
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
				return
			}
			doc := parse(t, document)
			gaby.Container{doc}.OrderKeys(func(gaby.Value, []string) []string {
				return []string{"x", "none", "name", "replicas"} // yq's order counts, not this one
			})
			made, _, err := run.Set(t.Context(), doc)
			if err != nil || len(made) != 1 || made[0] != doc {
				t.Errorf("%s: %v\n%s", c.text, err, made)
				return
			}
			if want := strings.Replace(document, c.from, c.to, 1); doc.String() != want {
				t.Errorf("%s:\n%s\nwant\n%s", c.text, doc, want)
			}
		})
	}
}

// TestSetBesideCommentedItems checks that commented-out items stay below their key, although yq
// moves them to the next one, and that other lines are not rewritten.
func TestSetBesideCommentedItems(t *testing.T) {
	const text = "resources:\n- a.yaml\ncomponents:\n# - b\n# - c\n\nlast: 1\n"
	for expression, want := range map[string]string{
		`.namespace = "foo"`: text + "namespace: foo\n",
		`.last = 2`:          strings.Replace(text, "1", "2", 1),
		`del(.last)`:         strings.Replace(text, "last: 1\n", "", 1),
		`del(.resources)`:    strings.Replace(text, "resources:\n- a.yaml\n", "", 1),
	} {
		t.Run(expression, func(t *testing.T) {
			run, err := bind(expression)
			if err != nil {
				t.Fatal(err)
			}
			if made, _, err := run.Set(t.Context(), parse(t, text)); err != nil || made.String() != want {
				t.Errorf("%s: %v\n%s\nwant\n%s", expression, err, made, want)
			}
		})
	}
}

// TestSetFallsBackToYQText checks that yq's own text is used for what edits cannot express.
func TestSetFallsBackToYQText(t *testing.T) {
	for text, want := range map[string]string{
		`... comments = ""`: "apiVersion: apps/v1\nkind: Deployment\n" +
			"metadata: {name: web, namespace: \"shop\"}\nspec:\n  replicas: 3\n" +
			"  image: 'nginx:1.25'\n  when: 2026-01-31\n  list:\n    - a\n    - name: b.c\n" +
			"      size: 1\n",
		`.spec.image style = "double"`: `image: "nginx:1.25"`,
		`.metadata |= pick(["namespace", "name"])`: "metadata: {namespace: \"shop\", name: web}\n" +
			"spec:\n  # how many\n  replicas: 3 # enough\n  image:",
		`.spec.replicas head_comment = "x"`: "# x\n",
		`{"kind": .kind}`:                   "kind: Deployment # front\n",
	} {
		t.Run(text, func(t *testing.T) {
			run, err := bind(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			doc := parse(t, document)
			made, _, err := run.Set(t.Context(), doc)
			if err != nil || !strings.Contains(made.String(), want) {
				t.Errorf("%s: %v\n%s\nwant\n%s", text, err, made, want)
			}
		})
	}
	run, err := bind(`select(.kind == "Service")`)
	if err != nil {
		t.Fatal(err)
	}
	if made, _, err := run.Set(t.Context(), parse(t, document)); err != nil || len(made) != 0 {
		t.Errorf("%v\n%s", err, made)
	}
	if run, err = bind(`.metadata, .spec.list[1]`); err != nil {
		t.Fatal(err)
	}
	if made, _, err := run.Set(t.Context(), parse(t, document)); err != nil ||
		made.String() != "{name: web, namespace: \"shop\"}\n---\n# the second\nname: b.c\n"+
			"size: 1 # small\n" {
		t.Errorf("%v\n%s", err, made)
	}
	if run, err = bind(`... comments = ""`); err != nil {
		t.Fatal(err)
	}
	if made, _, err := run.Set(t.Context(), parse(t, strings.ReplaceAll(document, "\n", "\r\n"))); err != nil ||
		strings.Count(made.String(), "\n") != strings.Count(made.String(), "\r\n") {
		t.Errorf("%v\n%q", err, made)
	}
}

// TestSetItems checks that items of a list are edited in place, whatever yq would print.
func TestSetItems(t *testing.T) {
	const list = "apiVersion: v1\nkind: List\nitems:\n# first\n- kind: A\n  apiVersion: v1\n" +
		"  n: 1 # one\n- {kind: B,  apiVersion: v1, n: 2}\n"
	docs, err := gaby.ParseAll([]byte(list))
	if err != nil || len(docs) != 2 {
		t.Fatal(err, len(docs))
	}
	run, err := bind(".n += 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if made, complete, err := run.Set(t.Context(), doc); err != nil || len(made) != 1 || made[0] != doc ||
			!complete {
			t.Fatal(err, complete)
		}
	}
	if want := strings.NewReplacer("n: 1", "n: 2", "n: 2",
		"n: 3").Replace(list); docs.String() != want {
		t.Errorf("%s\nwant\n%s", docs, want)
	}
	if run, err = bind("sort_keys(.) | .n = 9"); err != nil {
		t.Fatal(err)
	}
	if made, complete, err := run.Set(t.Context(), docs[0]); err != nil || complete || made[0] != docs[0] ||
		made[0].Path("n").Data() != 9 {
		t.Errorf("complete %t, error %v\n%s", complete, err, made)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":               "yq: the expression is empty (. is the resource itself)",
		".spec.[":        "yq: column 7: could not find matching `]`",
		`.a == ")" | (`:  "yq: column 13: bad expression - probably missing close bracket on PIPE",
		".a)":            "yq: column 3: got close brackets without matching opening bracket",
		".a =":           "yq: column 4: '=' expects 2 args but there is 1",
		".a & b":         `yq: column 4: invalid input text "& b"`,
		`.a = env(HOME)`: "yq: column 10: HOME reads the environment, which functions do not see",
		`"$HOME" | envsubst`: "yq: column 11: envsubst reads the environment, " +
			"which functions do not see",
		`.a = load("/etc/passwd")`: "yq: column 6: load reads files, which functions do not see",
		`.a = load_str("/etc/hosts")`: "yq: column 6: load_str reads files, which functions " +
			"do not see",
		`.a = system("ls")`: "yq: column 6: system runs programs, which functions do not do",
		`.a = now`: "yq: column 6: now depends on the time, so that the " +
			"same input does not give the same output",
		`.a = "\(now)"`: "yq: now depends on the time, so that the same input " +
			"does not give the same output",
		`.a = eval("now")`: "yq: now depends on the time, so that the same input " +
			"does not give the same output",
		`.a = eval("eval(\"env(HOME)\")")`: "yq: HOME reads the environment, which functions do " +
			"not see",
		`.spec.list |= shuffle`: "yq: column 15: shuffle depends on the time, so that " +
			"the same input does not give the same output",
		`.a = (1 | from_unix)`: "yq: column 11: from_unix depends on the time zones of the machine",
		`select(di == 0)`: "yq: column 8: di is not known here: every resource " +
			"is evaluated by itself",
		`.spec.replicas | keys`: "yq: cannot get keys of !!int, keys only works for " +
			"maps and arrays",
		`.spec.replicas`: "yq: the result is not a map but int 3 (an " +
			"assignment such as .spec.replicas = 3 returns the changed resource; get-yq prints " +
			"values)",
		`.spec.list`: "yq: the result is not a map but a list (an " +
			"assignment such as .spec.replicas = 3 returns the changed resource; get-yq prints " +
			"values)",
	} {
		t.Run(text, func(t *testing.T) {
			run, err := bind(text)
			doc := parse(t, document)
			if err == nil {
				_, _, err = run.Set(t.Context(), doc)
			}
			if err == nil {
				t.Errorf("%s: no error", text)
				return
			}
			e, ok := errors.AsType[*expression.Error](err)
			if !ok {
				t.Errorf("%s: %T %v", text, err, err)
				return
			}
			got := e.Error()
			if e.Hint != "" {
				got += " (" + e.Hint + ")"
			}
			if got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
			if doc.Changed() {
				t.Errorf("%s changed the document", text)
			}
		})
	}
}

// A regular expression that is too large is not compiled, wherever it comes from.
func TestPatternsAreLimited(t *testing.T) {
	large := strings.Repeat("(a{1000})", 30)
	for _, text := range []string{
		`.kind | test("` + large + `")`, `.kind | match("` + large + `"; "g")`,
		`.kind |= sub("` + large + `", "x")`, `.kind | capture("(a{1000})" * 30)`,
	} {
		run, err := bind(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run.Get(t.Context(), parse(t, document))
		e, ok := errors.AsType[*expression.Error](err)
		if !ok || !strings.Contains(e.Msg, "regular expression is too large") || e.Hint == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestProgramsAreConcurrent(t *testing.T) {
	program, err := yq.Compile(
		`.spec.replicas += ($params.n | to_number) | .spec.x = "\(.kind)" | with(.spec.list[1]; ` +
			`.size = 2)`)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			run, err := program.Bind(map[string]any{"n": "2"})
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				doc := parse(t, document)
				if made, _, err := run.Set(t.Context(), doc); err != nil || made[0] != doc ||
					doc.Path("spec.replicas").Data() != 5 ||
					doc.Path("spec.x").Data() != "Deployment" {
					t.Fatal(err)
				}
			}
		})
	}
}

// FuzzSet checks that every expression compiles or has an error, and that its result has the values
// that yq alone produces.
func FuzzSet(f *testing.F) {
	for _, text := range []string{
		".spec.replicas += 2", `.. style = "double"`, "del(.spec)", `.a.b[2].c = "x"`,
		`... comments = ""`, "sort_keys(..)", ".spec.list |= reverse",
		`.spec.image line_comment = "x"`, `.metadata * {"a": {"b": 1}}`,
		".spec.list[1] |= with_entries(.value |= . + 1)", `"\(.kind)"`, "[.",
		`.spec.replicas as $x | .a = $x`, `.x = "a: b # c\n"`,
	} {
		f.Add(text, document)
	}
	f.Fuzz(func(t *testing.T, text, yaml string) {
		doc, err := gaby.ParseYAML([]byte(yaml))
		if err != nil || doc.Check() != nil || len(text) > 300 || strings.Contains(text, "*") {
			return
		}
		run, err := bind(text)
		if err != nil {
			if _, ok := errors.AsType[*expression.Error](err); !ok {
				t.Errorf("%q: %T %v", text, err, err)
			}
			return
		}
		identity, err := bind(".")
		if err != nil {
			t.Fatal(err)
		}
		same, err := identity.Get(t.Context(), doc)
		if err != nil || !equal(same, doc) {
			return // yq does not print this text as it read it
		}
		printed, getErr := run.Get(t.Context(), doc)
		made, _, err := run.Set(t.Context(), doc)
		if err != nil || getErr != nil || len(made) != 1 {
			return
		}
		if !equal(printed, made[0]) {
			t.Errorf("%q on\n%s\ngives\n%s\nand yq alone\n%s", text, yaml, made, printed)
		}
	})
}

// equal reports whether a text has the values of a document. It returns true if one of them is not
// valid YAML.
func equal(text string, doc *gaby.YamlDoc) bool {
	other, err := gaby.ParseYAML([]byte(text))
	return err != nil || other.Check() != nil || doc.Check() != nil ||
		fmt.Sprint(other.Data()) == fmt.Sprint(doc.Data())
}
