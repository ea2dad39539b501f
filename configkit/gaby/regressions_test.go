package gaby_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These inputs were found by the fuzzers, the random edits and the suite, and reduced as far as
// possible. Each failed once.

func TestFoundTexts(t *testing.T) {
	for _, text := range []string{
		"a: !!int\nb: !!float\nc: !!bool\n", "!!bool", "\ufeffa: b\n", "a: |+\n ", "- |+\n ",
		"a: >+\n ", "a: b # c\n", "# comment\n...\n",
		"...\n", "---\n...", "...\n:\n--- l", "...\nn\n---\n?", ">\nc\n -\ne", ">\n\"\n  '\no",
		"|\n#", "%TAG ! tag:x,2000:\n--- !shape a\n",
		"%TAG !! tag:x,2000:\n---\n!!int 1 - 3\n", "\rg\n---\na", "\ufeff?", "1\r--- e",
		"#\rt\n---\n::", "n\r---\nc:\n--- e", "--- [x:\n]",
		"items:\n a:\n  e:\nkind: List\napiVersion: v1", "\"\r\\/\"",
		"a: \"\n\n%YAML 1.2\nthree\"\ng: \"\\/\"", "--- [a: b]\n--- {? c}\n",
		"a:\n  b: |\n    x\n  \n", "? ?b\n:", "a: | # c", "b: > # ",
	} {
		t.Run(text, func(t *testing.T) {
			for _, text := range []string{
				text, strings.ReplaceAll(text, "\n", "\r\n"), text + "\n",
				"# c\n---\n" + text,
			} {
				if _, err := checkUnit([]byte(text)); err != nil {
					t.Errorf("%v\n%q", err, text)
				}
				if err := checkHeaders([]byte(text)); err != nil {
					t.Errorf("%v\n%q", err, text)
				}
				for i := range 40 {
					if err := checkEdits([]byte(text),
						programDice([]byte{
							byte(i), 0, byte(i / 3), byte(7 * i), 1, byte(i), 0, 2,
							byte(5 * i),
						}), 3); err != nil {
						t.Errorf("%v\n%q, %d", err, text, i)
						break
					}
				}
			}
		})
	}
}

func TestFoundHeaders(t *testing.T) {
	for text, want := range map[string]gaby.Header{
		" kind: t\n":                  {Kind: "t"},
		"kind:\n A\n":                 {Kind: "A"},
		"metadata:\n name:\n  b\n":    {Name: "b"},
		"kind: ~\napiVersion: v2":     {APIVersion: "v2"},
		"metadata:\n namespace: null": {},
		"kind: !x L":                  {Kind: "L"},
		"metadata: {namespace: !n b}": {Namespace: "b"},
		"kind: A\nkind: B\n":          {Kind: "B"},
		// a separator is missing
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\ndata: {}\napiVersion: v2\nkind: B\n" +
			"metadata:\n  name: b\n": {APIVersion: "v2", Kind: "B", Name: "b"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\ndata: {}\n\"kind\": B\n":                {APIVersion: "v1", Kind: "B", Name: "a"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\ndata: {}\n? kind\n: B\n":                {APIVersion: "v1", Kind: "B", Name: "a"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec: {}\nmetadata :\n  namespace: b\n": {APIVersion: "v1", Kind: "A", Namespace: "b"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\ndata:\n  b: \"one\nkind: No\n  two\"\n": {APIVersion: "v1", Kind: "A", Name: "a"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\ndata:\n  b: {c: 1,\nkind: No\n}\n":      {APIVersion: "v1", Kind: "A", Name: "a"},
		"apiVersion: v1\nkind: A\nmetadata:\n  name: a\nkinds: B\nmetadatas: {name: c}\n" +
			"apiVersions: [d]\n": {APIVersion: "v1", Kind: "A", Name: "a"},
		"data: |\n  kind: No\nkind: >-\n  Yes\n":                                      {Kind: "Yes"},
		"spec:\n  kind: No\n  metadata: {name: no}\nmetadata:\n  name: \"\\u0041\"\n": {Name: "A"},
		"x: &m {kind: M}\n<<: *m\napiVersion: v1\n":                                   {APIVersion: "v1", Kind: "M"},
	} {
		t.Run(text, func(t *testing.T) {
			d, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatalf("%v\n%q", err, text)
			}
			scanned, err := d.Header()
			if err != nil || scanned != want {
				t.Errorf("scanned: %+v, %v, want %+v: %q", scanned, err, want, text)
			}
			c, err := gaby.ParseAll([]byte(text))
			if err != nil || len(c) != 1 {
				t.Fatalf("%d documents, %v: %q", len(c), err, text)
			}
			if peeked, err := c[0].Header(); err != nil || peeked != want {
				t.Errorf("peeked: %+v, %v, want %+v: %q", peeked, err, want, text)
			}
		})
	}
}

func TestFoundEdits(t *testing.T) {
	set := func(path string, v any) Edit { return Edit{Op: "set", Path: segments(path), Value: v} }
	del := func(path string) Edit { return Edit{Op: "delete", Path: segments(path)} }
	add := func(path string, v any) Edit {
		return Edit{Op: "append", Path: segments(path), Value: v}
	}
	ins := func(path string, i int, v any) Edit {
		return Edit{Op: "insert", Path: segments(path), Index: i, Value: v}
	}
	note := func(path string) Edit {
		return Edit{Op: "comment", Path: segments(path), Value: "note"}
	}
	list := func(v ...any) any { return v }
	const two = "l\nl"
	for _, c := range []struct {
		text  string
		edits []Edit
	}{
		{"- - word\n  - word\n", []Edit{set("0", "x"), note("0"), set("0", list("word", "word"))}},
		{"- - word\n  - word\n", []Edit{set("0", "x"), note("0"), set("0", list(nil))}},
		{"l:\n-   a: 1 # one\n    b: 2\n", []Edit{
			set("l.0", "x"), note("l.0"),
			set("l.0", map[string]any{"b": 3, "a": 1}),
		}},
		{"l:\n-   a: 1\n    b: 2\n", []Edit{
			set("l.0", "x"), note("l.0"),
			set("l.0", map[string]any{"b": 3}),
		}},
		{"? k\n: - a\n  - b\n", []Edit{set("k", "x"), note("k"), set("k", list("a", "b", "c"))}},
		{"-  e", []Edit{set("0", map[string]any{"a": list(0, 0)})}},
		{"-  []", []Edit{add("0", two), add("0", 0)}},
		{"- - word\n", []Edit{set("0", "x"), note("0"), set("0", list(nil))}},
		{"a: |\n  x\n  y\n", []Edit{set("a", "   x\ny\n")}},
		{"a: |2\n  2\n  y\n", []Edit{set("a", "3\ny\n")}},
		{"a: |-\n  -\n  y\n", []Edit{set("a", "3\ny")}},
		{"-    {}", []Edit{set("0.new.new.new", two)}},
		{"-\n- -    e", []Edit{set("1", list(map[string]any{"": two, "a": 0}, 0))}},
		{"[{}]", []Edit{set("0.new", two)}},
		{"7: [[]]", []Edit{ins("7.0", 0, two)}},
		{"/:\n 4:\n - {9: []}", []Edit{ins("/.4.0.9", 0, two)}},
		{"[\n1,]", []Edit{add("", 0)}},
		{"{\n3,}", []Edit{set("new", 0)}},
		{"{1: [\n5,]}", []Edit{ins("1", 1, nil)}},
		{"- {\ny,}", []Edit{set("0.new", 0)}},
		{"- [3,{\n},s]", []Edit{ins("0", 1, list())}},
		{"2: [{\n},'']", []Edit{ins("2", 1, true)}},
		{"1: [y, #\n0]", []Edit{del("1.1")}},
		{"- {w, #\nd}", []Edit{del("0.d")}},
		{"{2,\na}", []Edit{set("new", 0), del("a")}},
		{"[[5,\n5]]", []Edit{add("0", list()), del("0.1")}},
		{"- -", []Edit{set("0", 0), set("0", list())}},
		{"2: {3}", []Edit{set("2", nil), set("2", map[string]any{})}},
		{"{}", []Edit{set("new", "x\ny\n")}},
		{"a:", []Edit{set("a", map[string]any{"b": "x\ny\n"})}},
		{"-", []Edit{set("0", list("x\n y\n"))}},
		{"-", []Edit{set("0", list()), add("0", "a: b\n# c\n---\n")}},
		{"k1:\n- - word\n", []Edit{note("k1.0")}},
		{"k1: []", []Edit{note("k1"), add("k1", 0), del("k1.0"), note("k1")}},
		{"k1: |\n  x", []Edit{set("new", 0)}},
		{"a: |+", []Edit{set("a", 0), set("new", 0)}},
		{"a: |\n :", []Edit{set("new", 0), set("a", nil)}},
		{"- e:", []Edit{del("0.e"), note("0")}},
		{"- -", []Edit{del("0.0"), note("0")}},
		{"? r\n: s: 1\n", []Edit{note("r")}},
		{"? g\n: -\n  -", []Edit{note("g")}},
		{"{f: }", []Edit{set("new", list())}},
		{"a: {g: }", []Edit{set("a.new", 0)}},
		{"-\n   ", []Edit{set("0", two)}},
		{"x:\n  # z", []Edit{set("x", two)}},
		{"d: |", []Edit{set("new", list(0, 0)), set("d", 0)}},
		{"\ne: >", []Edit{set("e", list()), set("new", 0)}},
		{"2: #\n-", []Edit{note("2"), del("2.0")}},
		{"2: #\n-", []Edit{del("2.0"), note("2")}},
		{"1: !\n-", []Edit{del("1.0"), note("1")}},
		{"- #3\n 3:", []Edit{del("0.3"), note("0")}},
		{"4:\n 5: |\n  x", []Edit{set("-", nil), set("4.new", 0)}},
		{"K:\n   -\n   - >+\n    c", []Edit{add("K", nil), set("new", 0)}},
		{
			"é:\n  - - - - -\n  - é:\n    5:\n    x: |+\n    8:\n\n0:\n/: 1",
			[]Edit{add("é", list()), del("é.1.8")},
		},
		{"d: >-\n  l\nm:\n l:\n  # c\nb:", []Edit{del("m")}},
		{"i:\nm:\n a:\n  # c\np:", []Edit{del("m"), set("i", two)}},
		{"? ?b\n:", []Edit{set("?b", ""), set("new", list())}},
		{"- > ", []Edit{set("0", two)}},
		{"b: > # c", []Edit{set("b", "a \nb")}},
		{"a:\nc:\n   ", []Edit{set("a", 0), del("c"), set("a", two)}},
		{"a: |+\n\n  ", []Edit{set("new", 0)}},
		{"- >-\n  t\n-\n   ", []Edit{del("1")}},
		{"- |\n y\n- >\n   ", []Edit{del("1")}},
		{"a: |2\n  \nb: 4\n   \nq:\n- |", []Edit{del("b")}},
		{"a: |+\n  x\nb: 4\n\nc: 1\n", []Edit{del("b")}},
		{"a: |+\n  x\nb:\n  - c\n\n  - d\n\nc: 1\n", []Edit{del("b")}},
		{"a:\n- >+\n  x\n- y\n\n\nc: 1\n", []Edit{del("a.1")}},
		{"0: |+\n  ", []Edit{note("0")}},
		{"b: 1\na: >+\n x\n  ", []Edit{set("b", 2)}},
		{"- |\t", []Edit{set("0", two)}},
		{"b: > # ", []Edit{set("b", "end\n")}},
		{"a: {b: [1, 2]}", []Edit{note("a"), set("a.b", two), add("a.c", 1)}},
	} {
		t.Run(c.text, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(c.text))
			if err != nil {
				t.Errorf("%v: %q", err, c.text)
				return
			}
			data := doc.Data()
			for _, e := range c.edits {
				want, ok := e.model(data)
				if !ok {
					continue // an append that creates its list is not in the model
				}
				before := doc.String()
				if err := e.apply(doc); err != nil {
					if e.Op != "comment" || doc.String() != before {
						t.Errorf("%q: %v: %v", c.text, e, err)
					}
					continue
				}
				data = want
				if err := printed(doc, data); err != nil {
					t.Errorf("%q: %v: %v\nprinted %q", c.text, e, err, doc)
				}
			}
		})
	}
}

func segments(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// An edit that fails has no effect, and a mark stays valid whatever follows it.
func TestFoundRollbacks(t *testing.T) {
	d, err := gaby.ParseYAML([]byte("b: &base {e: 1}\nf:\n  <<: *base\n  n: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	before := d.String()
	if _, err := d.Set(map[string]any{"a": 0}, "f"); err == nil {
		t.Error("what << brings can be removed")
	}
	if d.String() != before || d.Changed() {
		t.Errorf("the failed edit left %q", d)
	}

	if d, err = gaby.ParseYAML([]byte("k1: word\n")); err != nil {
		t.Fatal(err)
	}
	must := func(_ *gaby.YamlDoc, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(d.Set(0, "new", "new"))
	mark := d.Checkpoint()
	must(nil, d.Delete("new"))
	must(d.Set(0, "new"))
	d.Rollback(mark)
	if want := "k1: word\nnew:\n  new: 0\n"; d.String() != want {
		t.Errorf("rolled back to %q, want %q", d, want)
	}
}

// Comments before, between and after documents may look like anything.
func TestFoundMargins(t *testing.T) {
	for _, comment := range []string{
		"### Namespace", "###", "#--- x", "# ---", "#... x", "   # x",
		"\t# x",
	} {
		t.Run(comment, func(t *testing.T) {
			text := comment + "\n---\na: 1\n" + comment + "\n...\n" + comment + "\n---\na: 2\n"
			for i, d := range split(t, []byte(text)) {
				if err := d.Check(); err != nil || d.Path("a").Data() != i+1 {
					t.Errorf("%q: document %d: %v, %v", text, i, err, d.Data())
				}
			}
		})
	}
}
