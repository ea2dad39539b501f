package starlark_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/starlark"
)

const document = `kind: Deployment # of the shop
spec:
  replicas: 3  # enough

  list:
    - {a: 1, b: x}   # first
    - {a: 2, c: y}
  text: "some"
  nothing: null
  hex: 0x10
  float: 1e3
  day: 2026-01-31
  tagged: !Ref thing
  binary: !!binary /w==
`

func parse(t testing.TB) *gaby.YamlDoc {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func run(program *starlark.Program, doc *gaby.YamlDoc, printed *[]string) (any, error) {
	run, err := program.Bind(&expression.Scope{
		Params: map[string]any{
			"zone": "eu", "more": map[string]any{"b": []any{1, nil, 2.5}, "a": true},
		},
		Context: expression.Context(&api.FunctionContext{UnitSlug: "shop"}),
		Print:   func(text string) { *printed = append(*printed, text) },
	})
	if err != nil {
		return nil, err
	}
	return run(context.Background(), doc.Value())
}

// TestOnlyChangesAreWritten checks that only the values that a program changed are written.
func TestOnlyChangesAreWritten(t *testing.T) {
	for _, c := range []struct {
		program   string
		from, to  string // of the document; both empty if nothing changes
		printings []string
	}{
		{program: "x = 1"},
		{program: `r["spec"]["replicas"] = 3; r["spec"]["hex"] = 16; object["spec"]["float"] = ` +
			`1000.0`},
		{program: `r["spec"]["day"] = r["spec"]["day"]; r["spec"]["tagged"] = "thing"`},
		{`r["spec"]["replicas"] += 2`, "replicas: 3", "replicas: 5", nil},
		{
			`object["spec"]["text"] = params["zone"] + "-" + functionContext["UnitSlug"]`, `"some"`,
			`"eu-shop"`, nil,
		},
		{
			"for e in r[\"spec\"][\"list\"]:\n  if e.get(\"c\") == \"y\":\n    e[\"c\"] = \"z\"\n",
			"c: y", "c: z", nil,
		},
		{`r["spec"]["list"].pop(0)`, "    - {a: 1, b: x}   # first\n", "", nil},
		{
			`r["spec"]["list"].append({"z": 1, "a": (1, "2")})`, "c: y}\n",
			"c: y}\n    - z: 1\n      a:\n        - 1\n        - \"2\"\n", nil,
		},
		{
			`r["spec"].update([("z", True), ("b", None)])`, "binary: !!binary /w==\n",
			"binary: !!binary /w==\n  z: true\n  b: null\n", nil,
		},
		{`r["spec"].pop("nothing")`, "  nothing: null\n", "", nil},
		{"def double(n):\n  return n * 2\nn = double(r[\"spec\"][\"replicas\"])\n" +
			"r[\"spec\"][\"replicas\"] = n", "replicas: 3", "replicas: 6", nil},
		{
			`r["spec"]["text"] = re.sub("s(o)", r"\1$1${1}\g<1>$$", r["spec"]["text"])`, `"some"`,
			`"oooo$me"`, nil,
		},
		{
			`r["spec"]["text"] = re.sub("(?P<v>[aeiou])", "<${v}\\g<v>>", "xaye", 1)`, `"some"`,
			`"x<aa>ye"`, nil,
		},
		{
			`r["spec"]["text"] = json.encode(params["more"])`, `"some"`,
			`"{\"a\":true,\"b\":[1,null,2.5]}"`, nil,
		},
		{
			`r["spec"]["replicas"] = json.decode('{"a": [1, 2, 4]}')["a"][2]`, "replicas: 3",
			"replicas: 4", nil,
		},
		{
			`m = re.search("(?P<v>o)(m)?(q)?", r["spec"]["text"]); print(m.group("v"), ` +
				`m.group(2), m.groups(), m.start(), m.end("v"), re.match("o", "some"), bool(m))`,
			"", "",
			[]string{`o m ("o", "m", None) 1 2 None True`},
		},
		{
			`print(re.findall("[a-c]", "abcd"), re.findall("(.)(.)", "abcd"), re.findall("x(.)", ` +
				`"xaxb"), re.match("so", "some").group())`, "", "",
			[]string{`["a", "b", "c"] [("a", "b"), ("c", "d")] ["a", "b"] so`},
		},
		{`print(r["spec"]["binary"], type(r), dir(re), sorted(params.keys()), ` +
			`functionContext["RevisionNum"])`, "", "", []string{`/w== dict ["findall", "match", ` +
			`"search", "sub"] ["more", "zone"] 0`}},
	} {
		t.Run(c.program, func(t *testing.T) {
			program, err := starlark.Compile(c.program, "")
			if err != nil {
				t.Errorf("%s: %v", c.program, err)
				return
			}
			doc := parse(t)
			var printed []string
			data, err := run(program, doc, &printed)
			if err == nil {
				err = doc.SetData(data)
			}
			if err != nil {
				t.Errorf("%s: %v", c.program, err)
				return
			}
			if want := strings.Replace(document, c.from, c.to, 1); doc.String() != want {
				t.Errorf("%s:\n%s\nwant\n%s", c.program, doc, want)
			}
			if !slices.Equal(printed, c.printings) {
				t.Errorf("%s printed %q, want %q", c.program, printed, c.printings)
			}
		})
	}
}

func TestFunctions(t *testing.T) {
	for text, want := range map[string]string{
		"def f(r):\n  return r['spec']['replicas'] > 2":                              "true",
		"def f(r):\n  return [{'Path': 'a', 'Value': x} for x in r['spec']['list']]": "[[{Path a} {Value [{a 1} {b x}]}] [{Path a} {Value [{a 2} {c y}]}]]",
		"def f(r):\n  return {'passed': False, 'details': set(['b', 'a'])}":          "[{passed false} {details [b a]}]",
		"seen = []\ndef f(r):\n  seen.append(1)\n  return len(seen)":                 "1",
		"def f(r):\n  pass": "<nil>",
	} {
		t.Run(text, func(t *testing.T) {
			program, err := starlark.Compile(text, "f")
			if err != nil {
				t.Fatal(err)
			}
			got, err := run(program, parse(t), nil)
			shown := fmt.Sprint(got)
			if err != nil {
				shown = err.Error()
			}
			if shown != want {
				t.Errorf("%s: %s, want %s", text, shown, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, function, want string }{
		{
			"x = 2\nfor i in range(40): x *= x", "",
			"Starlark: line 2, column 23: result would be an int of more than 65536 bits (no flag " +
				"allows more)",
		},
		{
			`x = re.sub("a", "b" * 100000, "a" * 1000)`, "",
			"Starlark: column 11: replacement would be a text of more than 64MiB (no flag allows more)",
		},
		{
			`x = re.search("a{1000}" * 30, "a")`, "",
			"Starlark: column 14: regular expression is too large: it compiles to more than 20000 " +
				"states: x{9} counts like nine x, \\p{L} like 80 (write several smaller ones, + or * for " +
				"{n,m}, (?:...) " +
				"for groups that nothing uses)",
		},
		{"x = [1", "", "Starlark: column 7: got end of file, want ']'"},
		{"if True:\nx = 1", "", "Starlark: line 2, column 2: got identifier, want indent"},
		{
			"x = foo(1)\ny = bar", "",
			"Starlark: line 1, column 5: foo is not known; Starlark: line 2, column 5: bar is " +
				"not known",
		},
		{"x = parms", "", "Starlark: column 5: parms is not known (did you mean params?)"},
		{"r = {}", "", `Starlark: column 1: r cannot be given another value (change its ` +
			`contents: r["spec"]["replicas"] = 3, r.pop("status"), r.update(...))`},
		{
			"for r in [1]: pass", "",
			`Starlark: column 5: r cannot be given another value (change its contents: ` +
				`r["spec"]["replicas"] = 3, r.pop("status"), r.update(...))`,
		},
		{
			"x = 1", "validate",
			"Starlark: the program defines no function validate (write def validate(r):)",
		},
		{
			"x = r\ndef validate(r): return True", "validate",
			"Starlark: line 1, column 5: r is not known (did you mean re?)",
		},
		{
			`load("a.star", "b")`, "",
			"Starlark: column 1: cannot load a.star: programs cannot load other files",
		},
		{"x = open('/etc/passwd')", "", "Starlark: column 5: open is not known"},
		{"def f():\n  f()\nf()", "", "Starlark: line 2, column 3: function f called recursively"},
		{
			"def f(g):\n  g(g)\nf(f)", "",
			"Starlark: line 2, column 3: function f called recursively",
		},
		{
			"while True:\n  pass", "",
			"Starlark: line 1, column 1: the program takes more than 10000000 steps (no flag allows more)",
		},
		{
			"while True: pass", "",
			"Starlark: column 1: the program takes more than 10000000 steps (no flag allows more)",
		},
		{
			`x = r["spec"]["none"]["deeper"]`, "",
			`Starlark: column 14: key "none" not in dict (.get("none") returns None if the key ` +
				`is missing, and "none" in ... reports whether it exists)`,
		},
		{
			"def f(x):\n  return x['y']\nf(r)", "",
			`Starlark: line 2, column 11: key "y" not in dict (.get("y") returns None if the key ` +
				`is missing, and "y" in ... reports whether it exists)`,
		},
		{
			`x = r.spec`, "",
			`Starlark: column 6: dict has no .spec field or method (the fields of a dict are ` +
				`written r["spec"]["replicas"])`,
		},
		{`fail("the", "end")`, "", "Starlark: column 5: fail: the end"},
		{"é = 1\nx = é.foo", "", "Starlark: line 2, column 6: int has no .foo field or method"},
		{`x = 1 // 0`, "", "Starlark: column 7: floored division by zero"},
		{
			`re.sub("(", "", "")`, "",
			"Starlark: column 7: error parsing regexp: missing closing ): `(`",
		},
		{`re.sub("(a)", "$2", "")`, "", "Starlark: column 7: repl: the pattern has no group 2"},
		{`re.sub("(a)", "$1x", "")`, "", "Starlark: column 7: repl: the pattern has no group 1x"},
		{
			`re.sub("a", r"\q", "")`, "",
			`Starlark: column 7: repl: a \ that escapes nothing; write \\`,
		},
		{`re.sub("a", "${", "")`, "", "Starlark: column 7: repl: ${ without a name and }"},
		{`re.search("a", "a").group(1)`, "", "Starlark: column 26: the pattern has no group 1"},
		{
			`json.decode("[" * 2000)`, "",
			"Starlark: column 12: json.decode: at offset 2000, unexpected end of file",
		},
		{
			`r["a"] = json.decode("[" * 2000 + "]" * 2000)`, "",
			"Starlark: a value with more than 1000 dicts and lists inside each other",
		},
		{
			"for i in range(100): r['a'] = [r['a'], r['a']] if i else 0", "",
			"Starlark: the result of the program has more than 2000000 values",
		},
		{`params["zone"] = "us"`, "", "Starlark: column 7: cannot insert into frozen hash table"},
		{`r[1] = 2`, "", "Starlark: int 1 cannot be the key of a map, keys are strings"},
		{
			`r["a"] = r`, "",
			"Starlark: a value with more than 1000 dicts and lists inside each other",
		},
		{`r["a"] = range(1 << 4)`, "", "Starlark: a range cannot be written"},
		{`r["a"] = range(3)`, "", "Starlark: a range cannot be written"},
		{`r["a"] = 1 << 400 << 400 << 400`, "", "Starlark: an int of more than 1000 bits cannot be written"},
		{`r["a"] = len`, "", "Starlark: a builtin_function_or_method cannot be written"},
		{
			`x = "a" * (1 << 40)`, "",
			"Starlark: column 9: repetition would be a text of more than 64MiB (no flag allows more)",
		},
		{`x = "a" * -1 + 1`, "", "Starlark: column 14: unknown binary op: string + int"},
		{`x = 1 in 2`, "", "Starlark: column 7: unknown binary op: int in int"},
		{`x = {} < {}`, "", "Starlark: column 8: dict < dict not implemented"},
		{
			`r["spec"]["none"] += 1`, "",
			`Starlark: column 10: key "none" not in dict (.get("none") returns None if the key ` +
				`is missing, and "none" in ... reports whether it exists)`,
		},
		{`r += {}`, "", `Starlark: column 1: r cannot be given another value (change its ` +
			`contents: r["spec"]["replicas"] = 3, r.pop("status"), r.update(...))`},
		{
			`params |= {"a": 1}`, "",
			"Starlark: column 1: global variable params referenced before assignment",
		},
		{`params["l"] = 1`, "", "Starlark: column 7: cannot insert into frozen hash table"},
		{`x = [1](2)`, "", "Starlark: column 8: invalid call of non-function (list)"},
		{"x = 1\nx.y += 2", "", "Starlark: line 2, column 2: int has no .y field or method"},
	} {
		t.Run(c.text, func(t *testing.T) {
			program, err := starlark.Compile(c.text, c.function)
			if err == nil {
				_, err = run(program, parse(t), nil)
			}
			if err == nil {
				t.Errorf("%s: no error", c.text)
			} else if got := shown(t, c.text, err); got != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.text, got, c.want)
			}
		})
	}
	if _, err := starlark.Compile("x = "+strings.Repeat("(", 5000), ""); err == nil {
		t.Error("5,000 brackets are not an error")
	}
}

// shown formats an error with its hints.
func shown(t *testing.T, text string, err error) string {
	t.Helper()
	var parts []string
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		e, ok := errors.AsType[*expression.Error](err)
		if !ok {
			t.Errorf("%q: %T %v", text, err, err)
			continue
		}
		if e.Column < 0 || e.Column > len([]rune(text))+1 {
			t.Errorf("%q: column %d: %v", text, e.Column, err)
		}
		part := e.Error()
		if e.Hint != "" {
			part += " (" + e.Hint + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func TestRunsAreIndependent(t *testing.T) {
	program, err := starlark.Compile("r['spec']['replicas'] += 1\nr['seen'] = len(r)", "")
	if err != nil {
		t.Fatal(err)
	}
	run, err := program.Bind(&expression.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		doc := parse(t)
		data, err := run(t.Context(), doc.Value())
		if err == nil {
			err = doc.SetData(data)
		}
		if err != nil || doc.Path("spec.replicas").Data() != 4 || doc.Path("seen").Data() != 2 {
			t.Fatalf("%v\n%s", err, doc)
		}
	}
}

func TestProgramsAreConcurrent(t *testing.T) {
	program, err := starlark.Compile(
		"def f(r):\n  return [re.sub('o', 'u', r['spec']['text']), len(params)]", "f")
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				if v, err := run(program, parse(t), nil); err != nil ||
					fmt.Sprint(v) != "[sume 2]" {
					t.Fatal(v, err)
				}
			}
		})
	}
}

// FuzzProgram checks that a program compiles or has an error with a position, that it has the same
// result twice, and that what it does not change is preserved.
func FuzzProgram(f *testing.F) {
	for _, text := range []string{
		`r["spec"]["replicas"] += 1`, "for k in r:\n  print(k)", "def f():\n  return f\nr['x'] = f",
		`re.sub("(a", "$1", "b")`, "x = [1", `r["a"] = json.decode("[1]")`,
		`r.pop("kind"); r.clear()`, "é = r\n",
		`r["spec"]["list"] = sorted([e["a"] for e in r["spec"]["list"]])`,
		`r["a"] = {"b": (1, None, 2.5, set([1]))}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// slow and large
		if len(text) > 500 || strings.Contains(text, "*") || strings.Contains(text, "range") {
			return
		}
		program, err := starlark.Compile(text, "")
		if err != nil {
			shown(t, text, err)
			return
		}
		var results [2]string
		for i := range results {
			doc := parse(t)
			var printed []string
			data, err := run(program, doc, &printed)
			if err == nil {
				err = doc.SetData(data)
			} else {
				shown(t, text, err)
			}
			results[i] = fmt.Sprint(doc, printed, err)
		}
		if results[0] != results[1] {
			t.Errorf("%q does\n%s\nand then\n%s", text, results[0], results[1])
		}
	})
}
