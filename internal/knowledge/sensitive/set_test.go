package sensitive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// secretValues returns the values of a Secret with one entry.
func secretValues(t *testing.T, value string) *sensitive.Values {
	t.Helper()
	text := fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: %q}\n",
		value)
	return functions.NewStandardExecutor().Sensitive(api.ToolchainKubernetesYAML,
		[][]byte{[]byte(text)})
}

// TestSet checks which values are masked wherever they were copied to.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		value string
		words bool
		text  string
		want  string
	}{
		{"correct-horse-battery", false, "x: correct-horse-battery!", "x: (sensitive)!"},
		{"correct-horse-battery", false, `"Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5"`, `"(sensitive)"`},
		{"hunter2", false, "a hunter2, ahunter2", "a (sensitive), a(sensitive)"},
		{"postgres", false, "image: postgres", "image: postgres"},
		{"postgres", true, "image: postgres:14", "image: (sensitive):14"},
		{"8080", false, "port: 8080", "port: 8080"},
		{"true", true, "a: true", "a: true"},
		{
			"two lines\nof a longer text", false, "- two lines\n- of a longer text\n",
			"- (sensitive)\n- (sensitive)\n",
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			var s sensitive.SecretSet
			s.Add(secretValues(t, c.value), false)
			s.Add(secretValues(t, c.value), c.words)
			if got := s.Mask(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestFound checks that a set returns the parts of a text that it masks, and that a set with these
// parts masks them again.
func TestFound(t *testing.T) {
	var s, again sensitive.SecretSet
	s.Add(secretValues(t, "hunter2-and-more"), false)
	s.Add(secretValues(t, "postgres"), true)
	text := "a: postgres://u:hunter2-and-more@db\nb: aHVudGVyMi1hbmQtbW9yZQ==\nc: hunter2-and-more\n"
	found := s.Found(text)
	if want := "aHVudGVyMi1hbmQtbW9yZQ==|hunter2-and-more|postgres"; strings.Join(found, "|") != want {
		t.Errorf("%q, want %q", found, want)
	}
	again.AddTexts(found, true)
	if got, want := again.Mask(text), s.Mask(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSetOfMany checks that values that were added one after the other are all masked.
func TestSetOfMany(t *testing.T) {
	var s sensitive.SecretSet
	var text strings.Builder
	const n = 50
	for i := range n {
		value := fmt.Sprintf("value-%d-of-many", i)
		s.Add(secretValues(t, value), false)
		text.WriteString(value + "\n")
		if got := s.Mask(value); got != sensitive.Mask {
			t.Fatalf("%q", got)
		}
	}
	if got := s.Mask(text.String()); got != strings.Repeat(sensitive.Mask+"\n", n) {
		t.Errorf("%q", got)
	}
}

// TestSetMasksJSON checks that strings and keys are masked whatever their escapes are, and that all
// other bytes stay.
func TestSetMasksJSON(t *testing.T) {
	const value = `correct "horse" <battery>`
	for text, want := range map[string]string{
		`{"a":  "x correct \"horse\" <battery>", "n": 1.50}`: `{"a":  "x (sensitive)", "n": 1.50}`,
		`["correct \u0022horse\u0022 \u003cbattery\u003e"]`:  `["(sensitive)"]`,
		`{"correct \"horse\" <battery>": null}`:              `{"(sensitive)": null}`,
		"{\"a\": \"\\u003c\"}\n{\"b\": \"\\\\\"}\n":          "{\"a\": \"\\u003c\"}\n{\"b\": \"\\\\\"}\n",
	} {
		t.Run(text, func(t *testing.T) {
			var s sensitive.SecretSet
			s.Add(secretValues(t, value), false)
			if got := string(s.MaskJSON([]byte(text))); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
