package yamlpath_test

import (
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestEmbeddedAccessors(t *testing.T) {
	const image = `^(?P<uri>[a-z/]+)(?P<reference>(?::\w+)?)$`
	for _, c := range []struct {
		name     string
		of       api.EmbeddedAccessorType
		config   string
		text     string
		sub      string
		want     string // as %T %v, "" if there is no such part
		value    any
		replaced string // "" if the value cannot be the part
	}{
		{
			"group", api.EmbeddedAccessorRegexp, image, "nginx:v1", "uri", "string nginx",
			"my/nginx",
			"my/nginx:v1",
		},
		{
			"group that is empty", api.EmbeddedAccessorRegexp, image, "nginx", "reference",
			"string ",
			":v2", "nginx:v2",
		},
		{"no such group", api.EmbeddedAccessorRegexp, image, "nginx", "tag", "", "x", ""},
		{"no match", api.EmbeddedAccessorRegexp, image, "NGINX", "uri", "", "x", ""},
		{
			"group that would be another", api.EmbeddedAccessorRegexp, image, "nginx", "reference",
			"string ", "zzz", "",
		},
		{
			"group that would not be", api.EmbeddedAccessorRegexp, image, "nginx:v1", "uri",
			"string nginx", "NGINX", "",
		},
		{
			"group that would be in another place", api.EmbeddedAccessorRegexp, `v(?P<n>\d+)`, "v1",
			"n", "string 1", "x v1", "",
		},
		{"first line", api.EmbeddedAccessorLine, "", "a\nb\n", "1", "string a", "x", "x\nb\n"},
		{"last line", api.EmbeddedAccessorLine, "", "a\nb", "2", "string b", "x", "a\nx"},
		{"empty line", api.EmbeddedAccessorLine, "", "a\n\nb\n", "2", "string ", "x", "a\nx\nb\n"},
		{
			"line with a carriage return", api.EmbeddedAccessorLine, "", "a\r\nb\r\n", "2",
			"string b",
			"x", "a\r\nx\r\n",
		},
		{"two lines for one", api.EmbeddedAccessorLine, "", "a\nb\n", "1", "string a", "x\ny", ""},
		{
			"line with a line end for one without", api.EmbeddedAccessorLine, "", "a\nb\n", "1",
			"string a", "x\r", "",
		},
		{"no such line", api.EmbeddedAccessorLine, "", "a\nb\n", "3", "", "x", ""},
		{"line 0", api.EmbeddedAccessorLine, "", "a\n", "0", "", "x", ""},
		{
			"JSON string", api.EmbeddedAccessorJSON, "", `{"a": {"b.c" : "x"},  "n":1}`, "a.b~1c",
			"string x", "y\"z", `{"a": {"b.c" : "y\"z"},  "n":1}`,
		},
		{
			"JSON number", api.EmbeddedAccessorJSON, "", "{\n  \"a\": [1, 2]\n}\n", "a.1", "int 2",
			30,
			"{\n  \"a\": [1, 30]\n}\n",
		},
		{
			"JSON bool", api.EmbeddedAccessorJSON, "", `{"a":true}`, "a", "bool true", false,
			`{"a":false}`,
		},
		{
			"JSON control character", api.EmbeddedAccessorJSON, "", `{"a":"x"}`, "a", "string x",
			"\x01", `{"a":"\u0001"}`,
		},
		{"JSON that is YAML", api.EmbeddedAccessorJSON, "", "a: 1", "a", "", 1, ""},
		{"JSON without the key", api.EmbeddedAccessorJSON, "", `{"a":1}`, "b", "", 1, ""},
		{
			"JSON map", api.EmbeddedAccessorJSON, "", `{"a":{"b":1}}`, "a",
			"map[string]interface {} map[b:1]", 1, `{"a":1}`,
		},
		{
			"YAML", api.EmbeddedAccessorYAML, "", "# head\na:\n    b: 'x'   # why\n\nc: d\n", "a.b",
			"string x", "y", "# head\na:\n    b: 'y'   # why\n\nc: d\n",
		},
		{
			"YAML with a key twice", api.EmbeddedAccessorYAML, "", "a: 1\na: 2\n", "a", "int 2",
			"y",
			"",
		},
		{"YAML that is broken", api.EmbeddedAccessorYAML, "", "a: [", "a", "", "y", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			accessor, err := yamlpath.NewAccessor(c.of, c.config)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			got := ""
			if part, ok := accessor.Extract(c.text, c.sub); ok {
				got = fmt.Sprintf("%T %v", part, part)
			}
			if got != c.want {
				t.Errorf("%s: extracted %q, want %q", c.name, got, c.want)
			}
			replaced, ok := accessor.Replace(c.text, c.sub, c.value)
			if ok != (c.replaced != "") || ok && replaced != c.replaced ||
				!ok && replaced != c.text {
				t.Errorf("%s: replaced %v %q, want %q", c.name, ok, replaced, c.replaced)
			}
		})
	}
	for of, config := range map[api.EmbeddedAccessorType]string{
		"XML": "", "Regexp": "(",
		"Line": "x",
	} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			if _, err := yamlpath.NewAccessor(of, config); err == nil {
				t.Errorf("%s %q is an accessor", of, config)
			}
		})
	}
}
