package gaby_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestValueInCommentOnlyDocument checks that a comment stays a comment: "v# c" is one text.
func TestValueInCommentOnlyDocument(t *testing.T) {
	for _, c := range []struct {
		source string
		value  any
		want   string
	}{
		{"# c\n", map[string]any{"a": "x"}, "a: x\n# c\n"},
		{"# c\n", "v", "v\n# c\n"},
		{"# c\n", []any{"v"}, "- v\n# c\n"},
		{"# c\n", map[string]any{}, "{}\n# c\n"},
		{"# c", 5, "5\n# c"},
		{"# c\r\n", "v", "v\r\n# c\r\n"},
		{"---\n# c\n", map[string]any{"a": "x"}, "---\na: x\n# c\n"},
		{"# a\n\n# b\n", "v", "v\n# a\n\n# b\n"},
	} {
		t.Run(c.want, func(t *testing.T) {
			docs, err := gaby.ParseAll([]byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if err := docs[0].SetData(c.value); err != nil {
				t.Errorf("%q: %v", c.source, err)
			}
			if got := string(docs.Text()); got != c.want {
				t.Errorf("%q, %v: %q, want %q", c.source, c.value, got, c.want)
			}
		})
	}
}
