package starlark_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/starlark"
)

func values(t *testing.T, texts ...string) []gaby.Value {
	t.Helper()
	var all []gaby.Value
	for _, text := range texts {
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, doc.Value())
	}
	return all
}

func TestRunListKnowsWhichItemIsWhich(t *testing.T) {
	program := `
load("encoding/yaml.star", "yaml")
load("encoding/base64.star", "base64")
def walk(n):
  return 0 if n == 0 else 1 + walk(n - 1)
a, b, c = ctx.resource_list["items"]
a["deep"] = walk(3)
b["text"] = base64.decode(base64.encode("x")) + yaml.loads("k: v")["k"] + yaml.dumps({"k": 1})
print("seen")
ctx.resource_list["items"] = [c, a, {"kind": "New"}, a, b]
`
	var printed []string
	got, err := starlark.RunList(t.Context(), program, gaby.Value{}, values(t, "{n: a}", "{n: b}", "{n: c}"),
		none, func(line string) { printed = append(printed, line) })
	if err != nil {
		t.Fatal(err)
	}
	var from []int
	for _, r := range got {
		from = append(from, r.From)
	}
	if want := []int{2, 0, -1, -1, 1}; !slices.Equal(from, want) {
		t.Errorf("items are from %v, want %v", from, want)
	}
	if b := got[4].Data.(gaby.Entries); b[1].Value != "xvk: 1\n" {
		t.Errorf("b is %v", b)
	}
	if !slices.Equal(printed, []string{"seen"}) {
		t.Errorf("printed %q", printed)
	}
}

func TestRunListErrors(t *testing.T) {
	for program, want := range map[string]string{
		`load("http.star", "http")`:            "the modules are",
		`ctx.resource_list["items"] = 1`:       "left no list",
		`ctx.resource_list["items"] = [1]`:     "must be a dict",
		"while True:\n  pass":                  "steps",
		`unknown()`:                            "unknown is not known",
		`fail("why")`:                          "why",
		`ctx.resource_list["items"] = [{1:2}]`: "keys are strings",
	} {
		t.Run(program, func(t *testing.T) {
			_, err := starlark.RunList(t.Context(), program, gaby.Value{}, values(t, "{n: a}"), none, func(string) {})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %v", program, err)
			}
		})
	}
}

// none returns no schemas.
func none() (gaby.Value, error) { return gaby.Value{}, nil }
