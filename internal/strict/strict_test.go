package strict_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/strict"
)

// thing has one field of each kind.
type thing struct {
	name, level string
	on          bool
	words       []string
	labels      map[string]string
	parts       []thing
}

func (t *thing) read(v strict.Value) {
	v.Object("a thing",
		strict.Need(strict.Text("name", &t.name)),
		strict.OneOf("level", &t.level, "low", "high"),
		strict.Bool("on", &t.on),
		strict.Texts("words", &t.words),
		strict.Map("labels", &t.labels, strict.Value.Text),
		strict.List("parts", &t.parts, func(v strict.Value) (part thing) {
			part.read(v)
			return part
		}))
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"none":    {"{name: x, level: low, words: [a], labels: {a: b}, parts: [{name: y}]}", ""},
		"null":    {"{name: x, level: null, words: ~, labels: , parts: }", ""},
		"unknown": {"{name: x, lvel: low}", `1:11: a thing has no field "lvel" (did you mean level?)`},
		"nothing alike": {
			"{name: x, qqq: low}", `1:11: a thing has no field "qqq" ` +
				`(its fields are name, level, on, words, labels, parts)`,
		},
		"repeated": {
			"name: x\non: true\nname: y\nname: z\n", "3:1: name is given twice, first in line 1\n" +
				"4:1: name is given twice, first in line 1",
		},
		"repeated in a map of the user": {
			"{name: x, labels: {a: b, a: c}}", "1:26: labels.a is given twice, first in line 1",
		},
		"a list for a text":   {"name: [a]", "1:7: name must be a text, not a list"},
		"a number for a text": {"name: 5", `1:7: name must be a text, not 5 (quote it: "5")`},
		"a text for true or false": {
			`{name: x, on: "true"}`, `1:15: on must be true or false, not "true"`,
		},
		"a text for a list":  {"{name: x, words: a}", `1:18: words must be a list, not "a"`},
		"a list for a map":   {"{name: x, labels: [a]}", "1:19: labels must be a map, not a list"},
		"in a list":          {"{name: x, words: [a, {}]}", "1:22: words.1 must be a text, not a map"},
		"in a list of maps":  {"{name: x, parts: [{}]}", "1:19: parts.0.name is missing"},
		"a text for the map": {"x", `1:1: a thing must be a map, not "x"`},
		"one of": {
			"{name: x, level: hihg}", `1:18: level must be low or high, not "hihg" ` +
				"(did you mean high?)",
		},
		"missing": {"{on: true}", "1:1: name is missing"},
		"empty":   {`name: ""`, "1:7: name is empty"},
		"several": {
			"on: 1\nnam: x\nparts: [{}]\n", "1:5: on must be true or false, not 1\n" +
				`2:1: a thing has no field "nam" (did you mean name?)` +
				"\n3:9: parts.0.name is missing",
		},
		"through an alias": {
			"{name: x, parts: [&a {nam: y}, *a]}",
			`1:23: a thing has no field "nam" (did you mean name?)`,
		},
		"through a merge key": {
			"parts: [&a {name: y, onn: 1}]\n<<: *a\n",
			`1:22: a thing has no field "onn" (did you mean on?)`,
		},
		"not YAML": {"{name: x", "1:1: unclosed {"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &strict.Reader{}
			if v := r.Document([]byte(c.text)); v.Exists() {
				new(thing).read(v)
			}
			var lines []string
			for _, p := range r.Problems() {
				line := p.Failure.Pos.String() + ": " + p.Failure.Message
				if p.Failure.Hint != "" {
					line += " (" + p.Failure.Hint + ")"
				}
				lines = append(lines, line)
			}
			if got := strings.Join(lines, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
