package gaby_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Writing back what was read is not a change, whatever the tags of the values.
func TestSettingWhatWasReadChangesNothing(t *testing.T) {
	for _, c := range append(suiteCases(t),
		suiteCase{
			Name: "tags",
			YAML: []byte("a: !Ref x\nb: !!binary aGk=\nc: 2026-01-31\nd: <<\ne: !!float 3\n" +
				"f: !!str 5\n"),
		}) {
		docs, err := gaby.ParseAll(c.YAML)
		if c.Invalid || err != nil {
			continue
		}
		for _, doc := range docs {
			if doc.Check() != nil {
				continue
			}
			err := doc.SetData(doc.Data())
			if err != nil && strings.HasSuffix(err.Error(), "is not UTF-8") {
				continue // the value of a !!binary is the bytes, not the text
			}
			if err != nil || doc.Changed() {
				t.Errorf("%s: error %v, changed to\n%s", c.Name, err, doc)
			}
		}
	}
}

// A repeated key does not prevent an edit that leaves it as it is.
func TestOtherKeysOfAMapWithARepeatedOne(t *testing.T) {
	const text = "a: 1\na: 2\nb: 3\n"
	for _, c := range []struct {
		value map[string]any
		want  string // empty for an error
	}{
		{map[string]any{"a": 2, "b": 4, "c": 5}, "a: 1\na: 2\nb: 4\nc: 5\n"},
		{map[string]any{"a": 1, "b": 3}, ""},
		{map[string]any{"b": 3}, ""},
	} {
		t.Run(fmt.Sprint(c.value), func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := doc.SetData(c.value); (err == nil) != (c.want != "") ||
				err == nil && doc.String() != c.want {
				t.Errorf("%v: error %v\n%s", c.value, err, doc)
			}
		})
	}
}

// TestSurrogates: JSON writes characters beyond 16 bits as two surrogates, which yaml.v3 refuses.
func TestSurrogates(t *testing.T) {
	for text, want := range map[string]string{
		`{"\ud83d\ude00": "a\uD83D\uDE00b\u00e9"}`: "a😀bé",
		"a: \"\\ud83d\\ude00\"\n":                  "😀",
	} {
		t.Run(text, func(t *testing.T) {
			d, err := gaby.ParseYAML([]byte(text))
			if err != nil || d.Check() != nil {
				t.Errorf("%s: %v %v", text, err, d.Check())
				return
			}
			if e := d.Value().First(); e.Text() != want || text[0] == '{' && e.Key() != "😀" {
				t.Errorf("%s: %q: %q", text, e.Key(), e.Text())
			}
			if _, err := d.Set("x", "new"); err != nil || !strings.Contains(d.String(), `\u`) {
				t.Errorf("%s: %v\n%s", text, err, d)
			}
		})
	}
	for _, text := range []string{
		`"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`,
		`"\ud83d\ud`, `"\ud83d\u`, `"\U0000d83d\ude00"`, `"\ud83d\ude0"`,
	} {
		t.Run(text, func(t *testing.T) {
			d, err := gaby.ParseYAML([]byte(text))
			if err == nil {
				err = d.Check()
			}
			if err == nil {
				t.Errorf("%s is accepted", text)
			}
		})
	}
}
