package krm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/source"
)

// program is a Runner that edits the text it gets.
func program(edit func(string) string) Runner {
	run := func(_ context.Context, stdin []byte) (process.Output, error) {
		return process.Output{Stdout: []byte(edit(string(stdin)))}, nil
	}
	return Runner{Program: run}
}

func runStep(t *testing.T, p *Pipeline, files map[string]string, step *Step) (string, *StepResult) {
	t.Helper()
	pkg := readPackage(t, files)
	p.Provider = provider()
	items, results, err := p.Run(t.Context(), pkg.Items(), []*Step{step})
	if err != nil && results[0].Err == nil {
		t.Fatal(err)
	}
	return changes(t, pkg, items), results[0]
}

const configMapA = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

// W0, W2: the version that is sent, a functionConfig that is left out or changed, and a version
// that nobody knows.
func TestFunctionsAndVersions(t *testing.T) {
	config, err := InlineConfig([]string{"a=b"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		version string
		edit    func(string) string
		notes   string
	}{
		"v1":       {"", func(s string) string { return s }, ""},
		"v1alpha1": {V1Alpha1, func(s string) string { return s }, ""},
		"without a config": {"", func(s string) string {
			return s[:strings.Index(s, "functionConfig")]
		}, ""},
		"another config": {"", func(s string) string {
			return strings.Replace(s, "a: b", "a: c", 1)
		}, "the function changed its functionConfig; the change is ignored"},
		"unknown version": {"", func(s string) string {
			return strings.Replace(s, V1, "example.com/v9", 1)
		}, `the version "example.com/v9" of the ResourceList is unknown`},
		"other dialect": {"", func(s string) string {
			return s + "results: {items: [{message: m}]}\n"
		}, "results is a map with items"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := ""
			step := &Step{
				Version: c.version, Config: config,
				Runner: program(func(s string) string {
					sent = s
					return c.edit(s)
				}),
			}
			have, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": configMapA}, step)
			version := c.version
			if version == "" {
				version = V1
			}
			if have != "" || !strings.HasPrefix(sent, "apiVersion: "+version+"\n") {
				t.Errorf("changed %q after sending\n%s", have, sent)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.HasPrefix(notes, c.notes) ||
				(c.notes == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, c.notes)
			}
			if c.notes == "" {
				return
			}
			strictly := &Step{Config: config, Runner: step.Runner}
			if _, result := runStep(t, &Pipeline{Strict: true},
				map[string]string{"a.yaml": configMapA}, strictly); result.Err == nil {
				t.Error("no error in strict mode")
			}
		})
	}
}

// O6, W5: a function that fails leaves the documents as they were; its results count.
func TestAFailureChangesNothing(t *testing.T) {
	step := &Step{Runner: Runner{InProcess: func(_ context.Context, l *ResourceList) error {
		l.Results = append(l.Results, fnresult.Result{Message: "m", Severity: fnresult.SeverityError})
		if _, err := l.Items[0].Doc.SetP("x", "data.x"); err != nil {
			return err
		}
		l.Items[0].Path = "moved.yaml"
		l.Items = nil
		return errors.New("no")
	}}}
	have, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": configMapA}, step)
	if have != "" || len(result.Results) != 1 || result.Err == nil || result.ExitCode != 1 {
		t.Errorf("changed %q, result %+v", have, result)
	}
	panics := &Step{Runner: Runner{InProcess: func(context.Context, *ResourceList) error {
		panic("p")
	}}}
	if _, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": configMapA},
		panics); result.Err == nil ||
		!strings.Contains(result.Err.Error(), "panic: p") {
		t.Errorf("error %v", result.Err)
	}
}

// K4: what a check changes is dropped. F3, F6: paths by annotation and by default.
func TestFunctionsInGo(t *testing.T) {
	edit := func(l *ResourceList) error {
		_, err := l.Items[0].Doc.SetP("x", "data.x")
		return err
	}
	for name, c := range map[string]struct {
		f     func(*ResourceList) error
		check bool
		want  string
	}{
		"an edit": {edit, false, "== a.yaml\n" + configMapA + "data:\n  x: x\n"},
		"a check": {edit, true, ""},
		"a delete": {func(l *ResourceList) error {
			l.Items = nil
			return nil
		}, false, "== a.yaml\ndeleted\n"},
		"a move": {func(l *ResourceList) error {
			_, err := l.Items[0].Doc.Set("b/c.yaml", "metadata", "annotations", PathAnnotation)
			return err
		}, false, "== a.yaml\ndeleted\n== b/c.yaml\n" + configMapA},
		"a new item": {func(l *ResourceList) error {
			item, err := NewItem([]byte("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"), "",
				0)
			l.Items = append(l.Items, item)
			return err
		}, false, "== secret_s.yaml\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			step := &Step{
				Check:  c.check,
				PathOf: func(item *Item) string { return DefaultPath("", item) },
				Runner: Runner{InProcess: func(_ context.Context, l *ResourceList) error {
					return c.f(l)
				}},
			}
			have, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": configMapA}, step)
			if have != c.want || result.Err != nil {
				t.Errorf("changed to\n%s\nwant\n%s\nerror %v", have, c.want, result.Err)
			}
		})
	}
}

// A1, F9, F10: what cannot be sent, and JSON stays JSON.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", configMapA+"  annotations: {config.kubernetes.io/path: x, "+
		"internal.config.kubernetes.io/path: y}\n")
	_, err := ReadPackage(t.Context(), dir, ReadOptions{Reader: &source.Reader{}})
	if err == nil || !strings.Contains(err.Error(), "contradict each other") {
		t.Errorf("error %v", err)
	}
	same := program(func(s string) string { return s })
	_, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": "%YAML 1.2\n---\n" +
		configMapA}, &Step{Runner: same})
	if result.Err == nil || !strings.Contains(result.Err.Error(), "directives") {
		t.Errorf("error %v", result.Err)
	}
	own := configMapA + "  annotations: {config.kubernetes.io/path: mine.yaml}\n"
	if have, _ := runStep(t, &Pipeline{}, map[string]string{"a.yaml": own},
		&Step{Runner: same}); have != "" {
		t.Errorf("changed to\n%s", have)
	}
	set := program(func(s string) string {
		return strings.Replace(s, `"a"`, `"a", "labels": {"b": "c"}`, 1)
	})
	have, result := runStep(t, &Pipeline{}, map[string]string{
		"a.json": "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"ConfigMap\",\n" +
			"  \"metadata\": {\"name\": \"a\"}\n}\n",
	}, &Step{Runner: set})
	if want := "== a.json\n{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"ConfigMap\",\n" +
		"  \"metadata\": {\"name\": \"a\", \"labels\": {\"b\": \"c\"}}\n}\n"; have != want ||
		result.Err != nil {
		t.Errorf("changed to\n%s\nerror %v", have, result.Err)
	}
}

// F9: a separator is --- alone or with a comment; a document may begin on its line, but not with
// plain text.
func TestDocumentMarkers(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"alone", "---\n" + configMapA, ""},
		{"blanks", "---  \n" + configMapA, ""},
		{"a comment", "--- # one\n" + configMapA + "...\n--- # two\n", ""},
		{"a map", "--- {a: b}\n", ""},
		{"text", configMapA + "--- foo\n", "a.yaml:5:5: \"foo\" after --- is not a comment"},
		{"text of the first", "--- foo\n", "a.yaml:1:5: \"foo\" after --- is not a comment"},
		{"text below", "---\nfoo\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "a.yaml", c.text)
			_, err := ReadPackage(t.Context(), dir, ReadOptions{Reader: &source.Reader{}})
			if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(),
				c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// D6: arguments after "--".
func TestInlineConfig(t *testing.T) {
	for words, want := range map[string]string{
		"replicas=3 a=b=c": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n" +
			"  name: function-input\ndata:\n  replicas: \"3\"\n  a: b=c\n",
		"Other replicas=3": "apiVersion: v1\nkind: Other\nmetadata:\n  name: function-input\n" +
			"data:\n  replicas: 3\n",
		"":        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n",
		"a=b c":   "error",
		"=b":      "error",
		"a=1 a=2": "error",
		"ConfigMap a=yes": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n" +
			"  name: function-input\ndata:\n  a: \"yes\"\n",
		"ConfigMap extra=": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n" +
			"  name: function-input\ndata:\n  extra: \"\"\n",
		"Kind list=[1] x=y": "apiVersion: v1\nkind: Kind\nmetadata:\n  name: function-input\n" +
			"data:\n  list: \"[1]\"\n  x: \"y\"\n",
	} {
		t.Run(words, func(t *testing.T) {
			doc, err := InlineConfig(strings.Fields(words))
			have := "error"
			if err == nil {
				have = doc.String()
			}
			if have != want {
				t.Errorf("%q: %s, want %s", words, have, want)
			}
		})
	}
}

// K2: conditions are exact and all of them count; each item is selected once.
func TestSelectors(t *testing.T) {
	p := readPackage(t, map[string]string{
		"a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  namespace: n\n" +
			"  labels: {x: \"1\", y: z}\n",
		"b.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  annotations: {x: y}\n",
	})
	for name, c := range map[string]struct {
		selectors, exclude []Selector
		want               string
	}{
		"none":          {nil, nil, "a.yaml b.yaml"},
		"an empty one":  {[]Selector{{}}, nil, "a.yaml b.yaml"},
		"kind":          {[]Selector{{Kind: "Service"}}, nil, "b.yaml"},
		"not a pattern": {[]Selector{{Kind: "Serv.*"}}, nil, ""},
		"all conditions": {[]Selector{{
			Name: "a", Namespace: "n",
			Labels: map[string]string{"x": "1"},
		}}, nil, "a.yaml"},
		"one of several": {
			[]Selector{{Kind: "Service"}, {APIVersion: "v1"}, {Name: "a"}},
			nil,
			"a.yaml b.yaml",
		},
		"an annotation": {[]Selector{{Annotations: map[string]string{"x": "y"}}}, nil, "b.yaml"},
		"exclude":       {nil, []Selector{{Kind: "Service"}}, "a.yaml"},
		"exclude selected": {
			[]Selector{{Name: "a"}},
			[]Selector{{APIVersion: "apps/v1"}},
			"b.yaml",
		},
	} {
		t.Run(name, func(t *testing.T) {
			selects := Selects(c.selectors, c.exclude)
			var have []string
			for _, item := range p.Items() {
				if selects == nil || selects(item) {
					have = append(have, item.Path)
				}
			}
			if strings.Join(have, " ") != c.want {
				t.Errorf("%s: %q, want %q", name, have, c.want)
			}
		})
	}
}

// O3, O4: the order of declared functions, and what they get.
func TestOrderAndScope(t *testing.T) {
	declared := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: n" + name +
			"\n  annotations:\n    config.kubernetes.io/function: |\n" +
			"      container: {image: set-labels}\n"
	}
	p := readPackage(t, map[string]string{
		"b.yaml": declared("1") + "---\n" + declared("2"), "a.yaml": declared("3"),
		"z/deep/x.yaml": declared("4"), "z/x.yaml": declared("5"), "c/functions/f.yaml": declared(
			"6"),
		"c/a.yaml": declared("7"), "cx/a.yaml": configMapA,
	})
	steps, err := Declarations(p.Items())
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, s := range steps {
		h, _ := s.Item.Doc.Header()
		order += strings.TrimPrefix(h.Name, "n")
	}
	if order != "4765312" {
		t.Errorf("order %s", order)
	}
	for file, want := range map[string]string{
		"c/functions/f.yaml": "c/a.yaml c/functions/f.yaml",
		"c/a.yaml":           "c/a.yaml c/functions/f.yaml",
		"z/x.yaml":           "z/deep/x.yaml z/x.yaml",
	} {
		t.Run(file, func(t *testing.T) {
			selects := Scope(file)
			var have []string
			for _, item := range p.Items() {
				if selects(item) {
					have = append(have, item.Path)
				}
			}
			if strings.Join(have, " ") != want {
				t.Errorf("scope of %s: %q, want %q", file, have, want)
			}
		})
	}
	if Scope("a.yaml") != nil || Scope("functions/a.yaml") != nil || Scope("") != nil {
		t.Error("a function in the root, or without a file, gets all")
	}
}

// R1: a FunctionResultList has the functions that ran, with values as strings.
func TestResultList(t *testing.T) {
	text, err := ResultList([]*StepResult{
		{
			Step: &Step{Image: "a"},
			Results: []fnresult.Result{{Message: "m", Field: &fnresult.ResultField{
				Path: "p", CurrentValue: 1,
				ProposedValue: map[string]any{"a": "b"},
			}}},
		},
		{Step: &Step{Image: "skipped"}, Skipped: "why"},
		{Step: &Step{Exec: "b c"}, ExitCode: 3, Stderr: "e\n"},
	}, 1)
	want := `apiVersion: kpt.dev/v1
kind: FunctionResultList
metadata:
  name: fnresults
exitCode: 1
items:
- image: a
  exitCode: 0
  results:
  - message: m
    field:
      path: p
      currentValue: "1"
      proposedValue: "a: b"
- exec: b c
  stderr: e
  exitCode: 3
`
	if err != nil || !bytes.Equal(text, []byte(want)) {
		t.Errorf("%v\n%s", err, text)
	}
}

// E7, W5: output that is cut at its limit is not read, however long that would take. The message
// names the function once.
func TestCutOutputIsNotRead(t *testing.T) {
	text := "apiVersion: " + V1 + "\nkind: ResourceList\nitems: []\nresults:\n- message: m\n"
	run := func(err error) *StepResult {
		step := &Step{Name: "f", Runner: Runner{
			Program: func(context.Context, []byte) (process.Output, error) {
				return process.Output{Stdout: []byte(text), ExitCode: -1}, err
			},
		}}
		_, result := runStep(t, &Pipeline{}, map[string]string{"a.yaml": configMapA}, step)
		return result
	}
	cut := run(&process.OutputError{Function: "f", Stream: "standard output", Limit: 9})
	if len(cut.Results) != 0 || cut.Err == nil {
		t.Errorf("results %v, error %v", cut.Results, cut.Err)
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"time": {
			&process.TimeoutError{Function: "f", Limit: 1e9},
			"was killed: it ran longer than 1s",
		},
		"start": {
			&process.NotStartedError{Function: "f", Err: fmt.Errorf("cannot be started: %w", io.EOF)},
			"cannot be started: EOF",
		},
		"others": {
			&process.TimeoutError{Function: "fg", Limit: 1e9},
			"function fg was killed: it ran longer than 1s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(c.err)
			failure, ok := errors.AsType[*api.Failure](result.Err)
			if !ok || failure.Message != c.want || len(result.Results) != 1 {
				t.Errorf("error %v, results %v", result.Err, result.Results)
			}
		})
	}
}
