package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
)

// BenchmarkCatalog runs functions on 10,000 resources.
func BenchmarkCatalog(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: web-%d\n  namespace: old\n"+
			"spec:\n  replicas: 1 # kpt-set: ${n}\n  selector:\n    matchLabels:\n"+
			"      app: web\n  template:\n    metadata:\n"+
			"      labels:\n        app: web\n    spec:\n      containers:\n      - name: c\n"+
			"        image: nginx:1\n", i)
	}
	for name, data := range map[string]string{
		"set-namespace": "namespace: new", "set-labels": "zone: eu",
		"set-image":       "{name: nginx, newTag: '2'}",
		"set-annotations": "a: b",
		"apply-setters":   "n: '2'", "ensure-name-substring": "prepend: a-",
		"search-replace": "{by-path: spec.replicas, put-value: '3'}",
	} {
		b.Run(name, func(b *testing.B) {
			config, err := gaby.ParseYAML([]byte("apiVersion: v1\nkind: ConfigMap\ndata:\n  " +
				data + "\n"))
			if err != nil {
				b.Fatal(err)
			}
			function, _ := Find(name, "")
			for b.Loop() {
				docs, err := gaby.ParseAll([]byte(text.String()))
				if err != nil {
					b.Fatal(err)
				}
				list := &krm.ResourceList{FunctionConfig: config}
				for i, doc := range docs {
					list.Items = append(list.Items, &krm.Item{Doc: doc, Path: "r.yaml", Index: i})
				}
				if err := function(b.Context(), list); err != nil {
					b.Fatal(err)
				}
				_ = list.Docs().Bytes()
			}
		})
	}
}
