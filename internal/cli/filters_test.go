package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
)

// TestFiltersTopic checks that 'fctl help filters' has every attribute, and no other.
func TestFiltersTopic(t *testing.T) {
	text, err := os.ReadFile("help/filters.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	_, lists, _ := strings.Cut(string(text), "Attributes of all entities")
	for line := range strings.Lines(lists) {
		if !strings.HasPrefix(line, "  ") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			listed[name] = true
		}
	}
	known := map[string]bool{}
	for _, kind := range []entity.Kind{
		entity.KindSpace, entity.KindUnit, entity.KindLink, entity.KindInvocation,
		entity.KindFilter, filter.Mutation, filter.Revision,
	} {
		for name := range filter.Schema(kind) {
			known[name] = true
			if !listed[name] && name != "TargetFacts" { // is in a sentence
				t.Errorf("the topic lacks %s", name)
			}
		}
	}
	for name := range listed {
		if !known[name] {
			t.Errorf("%s is not an attribute", name)
		}
	}
}
