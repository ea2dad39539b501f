package starter_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/attributes"
	"github.com/fctl-dev/fctl/internal/links/starter"
)

// TestAttributes registers the starter file, and checks that every type that it refers to provides
// a name, in the file or as a built-in type.
func TestAttributes(t *testing.T) {
	text := starter.Attributes()
	x := functions.NewStandardExecutor()
	if err := attributes.Register(x, []attributes.File{
		{Name: starter.AttributesFile, Text: text},
	}); err != nil {
		t.Fatal(err)
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		t.Fatal(err)
	}
	provided := map[string]bool{}
	for _, doc := range docs {
		list := doc.Value().Get("provided")
		for e := list.First(); e.Exists(); e = e.Next() {
			provided[e.Get("resourceType").Text()] = true
		}
	}
	builtIn := func(name string) bool {
		return strings.Count(name, "/") == 1 || strings.HasPrefix(name, "apps/") ||
			strings.HasPrefix(name, "networking.k8s.io/")
	}
	seen := map[string]bool{}
	for _, doc := range docs {
		list := doc.Value().Get("needed")
		for e := list.First(); e.Exists(); e = e.Next() {
			key := e.Get("resourceType").Text() + " " + e.Get("path").Text()
			if seen[key] {
				t.Errorf("%s is given twice", key)
			}
			seen[key] = true
			for name := range strings.SplitSeq(e.Get("required").Get("ResourceType").Text(), ",") {
				if !provided[name] && !builtIn(name) {
					t.Errorf("%s refers to %q, which nothing provides", key, name)
				}
			}
		}
	}
	if len(seen) < 70 {
		t.Errorf("only %d references", len(seen))
	}
}
