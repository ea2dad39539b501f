package entity_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

func TestYAMLIsBlockStyle(t *testing.T) {
	got, err := entity.YAML(&entity.Filter{
		FilterID: "x", From: entity.FilterUnit,
		Common: entity.Common{Slug: "yes", Labels: map[string]string{
			"b": "1",
			"a": "two\nlines\n",
		}},
	})
	const want = `FilterID: x
Slug: "yes"
Labels:
  a: |
    two
    lines
  b: "1"
From: Unit
`
	if string(got) != want || err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}
