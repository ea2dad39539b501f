package yamlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// TestNearestLooksAtFewDocuments checks that a path without a match in many documents costs no more
// than one in some.
func TestNearestLooksAtFewDocuments(t *testing.T) {
	work := func(n int) float64 {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n---\n", i)
		}
		docs, err := gaby.ParseAll([]byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		source := configkit.PathSourceFunc(func(api.ResourceType) []*api.PathVisitorInfo {
			return []*api.PathVisitorInfo{{Path: "metadata.nam"}}
		})
		return testing.AllocsPerRun(2, func() {
			if near := yamlkit.Nearest(docs, source, nil, k8skit.New()); near != "metadata.name" {
				t.Fatalf("%q", near)
			}
		})
	}
	if some, many := work(300), work(900); many > some {
		t.Errorf("%.0f allocations for 300 documents, %.0f for 900", some, many)
	}
}
