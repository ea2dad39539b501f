package generic

import (
	"fmt"
	"strings"
	"testing"
)

func TestValueFilter(t *testing.T) {
	for _, c := range []struct {
		filter string
		value  any
		ok     bool
	}{
		{`{}`, "x", true},
		{`{"AllowStrings": {"a": true, "b": false}}`, "a", true},
		{`{"AllowStrings": {"a": true, "b": false}}`, "b", false},
		{`{"AllowStrings": {}}`, "b", true}, // no condition
		{`{"AllowStrings": {"a": true}}`, 1, true},
		{`{"DenyStrings": {"a": true}, "AllowRegexp": "."}`, "a", false},
		{`{"DenyStrings": {"a": true}, "AllowRegexp": "b"}`, "xbx", true},
		{`{"DenyStrings": {"a": true}, "AllowRegexp": "b"}`, "c", false},
		{`{"DenyRegexp": "^a", "AllowStrings": {"ab": true, "b": true}}`, "ab", false},
		{`{"DenyRegexp": "^a", "AllowStrings": {"ab": true, "b": true}}`, "b", true},
		{`{"Min": 2}`, 1, false},
		{`{"Min": 2}`, 2, true},
		{`{"Max": 2}`, 3, false},
		{`{"Min": 2, "Max": 2}`, 2, true},
		{`{"Min": 2}`, "1", true},
		{`{"AllowBool": false}`, true, false},
		{`{"AllowBool": true}`, true, true},
		{`{"Min": 2}`, true, true},
		{`{"Min": 2}`, 1.5, true},
	} {
		t.Run(fmt.Sprint(c.filter, " ", c.value), func(t *testing.T) {
			f, err := parseValueFilter(c.filter)
			if err != nil {
				t.Errorf("%s: %v", c.filter, err)
			} else if reason := f.refuses(c.value); (reason == "") != c.ok {
				t.Errorf("%s: %v: %q", c.filter, c.value, reason)
			}
		})
	}
	for text, want := range map[string]string{
		``: "not a JSON object", `[]`: "not a JSON object", `{} {}`: "text follows",
		`{"Mn": 1}`: "unknown field", `{"Min": 1.5}`: "Min",
		`{"Min": 2, "Max": 1}`: "greater", `{"AllowRegexp": "("}`: "AllowRegexp",
		`{"DenyStrings": {"a": true}, "DenyRegexp": "a"}`: "exclude each other",
	} {
		t.Run(text, func(t *testing.T) {
			t.Run(text, func(t *testing.T) {
				if _, err := parseValueFilter(text); err == nil || !strings.Contains(err.Error(),
					want) {
					t.Errorf("%s: error %v, want one with %q", text, err, want)
				}
			})
		})
	}
}

func TestPlainYAML(t *testing.T) {
	want := "b: x\na: 1\nl:\n- x\n- a: 1"
	for _, text := range []string{
		"b: x\na: 1\nl:\n- x\n- a: 1\n",
		"# head\nb:   x   # line\n\na: 1\nl:\n    - x\n    - {a: 1}\n",
		"{b: x, a: 1, l: [x, {a: 1}]}",
		"x: &x 1\nb: x\na: *x\nl: [x, {a: *x}]\n",
	} {
		t.Run(text, func(t *testing.T) {
			have, err := plainYAML(text)
			if have = strings.TrimPrefix(have, "x: 1\n"); err != nil || have != want {
				t.Errorf("%q: %q, %v", text, have, err)
			}
		})
	}
}
