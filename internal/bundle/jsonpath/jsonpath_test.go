package jsonpath_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
)

const document = `
metadata:
  name: web
  annotations: {a.b/c: dotted, "it's": quoted}
spec:
  replicas: 3
  ratio: 1.5
  paused: false
  nothing: null
  ports: [{name: http, port: 80}, {name: metrics, port: 9090}]
  list: [a, b, c, d]
status:
  conditions:
  - {type: Ready, status: "True", weight: 1}
  - {type: Failed, status: "False", weight: 2, extra: x}
`

func find(t *testing.T, path string) (string, error) {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		return "", err
	}
	values, err := p.Find(doc.Value())
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v.Data())
	}
	return strings.Join(texts, " "), err
}

func TestFind(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.name":                               "web",
		"$.metadata.name":                             "web",
		".metadata.name":                              "web",
		"['metadata']['name']":                        "web",
		`metadata.annotations.a\.b/c`:                 "dotted",
		`metadata.annotations["a.b/c"]`:               "dotted",
		`metadata.annotations['it\'s']`:               "quoted",
		"spec.replicas":                               "3",
		"spec.nothing":                                "<nil>",
		"spec.list[0]":                                "a",
		"spec.list[-1]":                               "d",
		"spec.list[1:3]":                              "b c",
		"spec.list[:2]":                               "a b",
		"spec.list[-2:]":                              "c d",
		"spec.list[::2]":                              "a c",
		"spec.list[7:9]":                              "",
		"spec.list[0,2]":                              "a c",
		"spec.list[*]":                                "a b c d",
		"spec.ports[*].port":                          "80 9090",
		"spec.ports.*.name":                           "http metrics",
		"spec['replicas', 'ratio']":                   "3 1.5",
		"spec.ports[?(@.name=='http')].port":          "80",
		`spec.ports[?(@.name == "http")].port`:        "80",
		"spec.ports[?(@.port>80)].name":               "metrics",
		"spec.ports[?(@.port>=80)].name":              "http metrics",
		"spec.ports[?(@.port<81)].name":               "http",
		"spec.ports[?(@.port<=80)].name":              "http",
		"spec.ports[?(@.port!=80)].name":              "metrics",
		"spec.ports[?('http'==@.name)].port":          "80",
		"spec.ports[?(@.name==80)].port":              "",
		"spec.ports[?(@.name!=80)].port":              "80 9090",
		"spec.list[?(@=='b')]":                        "b",
		"spec.list[?(@>'b')]":                         "c d",
		"status.conditions[?(@.extra)].type":          "Failed",
		"status.conditions[?(@.weight==1)].type":      "Ready",
		"status.conditions[?(@.type=='No')].status":   "",
		"spec.ports[?(@.port==$.spec.ports[0].port)]": "map[name:http port:80]",
		"..weight":                                    "1 2",
		"status..type":                                "Ready Failed",
		"status.conditions[*]['type']":                "Ready Failed",
		"status.conditions[?(@.status=='')]":          "",
	} {
		t.Run("path "+path, func(t *testing.T) {
			if got, err := find(t, path); err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestFindErrors(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.missing":     "missing is not found",
		"missing.name":         "missing is not found",
		"metadata.name.x":      "x is not found",
		"spec.list[4]":         "index 4 is out of range: the list has 4 items",
		"spec.list[-5]":        "index -5 is out of range: the list has 4 items",
		"spec[0]":              "an index is for a list, and this is a map",
		"spec.replicas[0]":     "an index is for a list, and this is a scalar",
		"spec.replicas[?(@)]":  "a filter is for a list, and this is a scalar",
		"spec.ports[*].absent": "absent is not found",
		"..absent":             "absent is not found",
		"":                     "the path is empty",
		"$":                    "path \"$\": column 2: the path is empty",
		"{$.a}":                "path \"{$.a}\": column 1: a path has no braces here",
		"a.":                   "path \"a.\": column 3: a key is expected",
		"a...b":                "path \"a...b\": column 4: a key is expected",
		"a[": "path \"a[\": column 3: an index, a quoted key, * or a filter is " +
			"expected",
		"a[0":     "path \"a[0\": column 4: ] is expected",
		"a[0]b":   "path \"a[0]b\": column 5: a dot or a bracket is expected",
		"a['x]":   "path \"a['x]\": column 3: unclosed quote",
		"a['x',]": "path \"a['x',]\": column 7: a quoted key is expected",
		"a[x]":    "path \"a[x]\": column 3: an index, a quoted key, * or a filter is expected",
		"a[0,]":   "path \"a[0,]\": column 5: an index is expected",
		"a[99999999999999999999]": "path \"a[99999999999999999999]\": column 3: " +
			"a smaller whole number is expected",
		"a[0:2:0]": "path \"a[0:2:0]\": column 8: the step of a slice is at least 1",
		"a b":      "path \"a b\": column 2: a dot or a bracket is expected",
		`a\`:       "path \"a\\\\\": column 2: a character is expected after the backslash",
		"a[?(@.x==y)]": "path \"a[?(@.x==y)]\": column 10: @.KEY, a quoted string, a number, " +
			"true or false is expected",
		"a[?('x')]": "path \"a[?('x')]\": column 8: a comparison is expected: ==, !=, <, <=, " +
			"> or >=",
		"a[?(@.x=='y']": "path \"a[?(@.x=='y']\": column 13: " +
			") is expected",
		"a[?(@.x==1&&@.y==2)]": "path \"a[?(@.x==1&&@.y==2)]\": column 11: " +
			"a filter has one comparison; && and || are not supported",
		strings.Repeat("a", 5000): "a path of more than 4096 bytes",
	} {
		t.Run("path "+path, func(t *testing.T) {
			if _, err := find(t, path); err == nil || err.Error() != want {
				t.Errorf("got %v; want %s", err, want)
			}
		})
	}
}

// A path that repeats values does not run for ever.
func TestFindIsBounded(t *testing.T) {
	text := strings.Repeat("[", 60) + strings.Repeat("1,", 500) + "1" + strings.Repeat("]", 60)
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := jsonpath.Parse(strings.Repeat("..[*]", 20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Find(doc.Value()); err != jsonpath.ErrTooMany { //nolint:errorlint // the value itself
		t.Errorf("got %v", err)
	}
}

func TestParseTemplate(t *testing.T) {
	if p, err := jsonpath.ParseTemplate("{$.status.phase}"); err != nil || p.First() != "status" {
		t.Errorf("got %v, %v", p, err)
	}
	for _, text := range []string{"status.phase", "{", "{}", "{$}", "{$.a[}"} {
		t.Run(text, func(t *testing.T) {
			if p, err := jsonpath.ParseTemplate(text); err == nil {
				t.Errorf("%s: got %v", text, p)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a.b[0]['c'][?(@.x==1)]..d")
	doc, err := gaby.ParseYAML([]byte(document))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := jsonpath.Parse(text)
		if err != nil {
			return
		}
		if _, err := p.Find(doc.Value()); err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}
