package yamlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/where"
)

// manyResources returns n Deployments and as many Services.
func manyResources(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b,
			"---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d%d\n"+
				"  namespace: shop\n  labels:\n    app: d%d\nspec:\n  replicas: %d\n"+
				"  template:\n    spec:\n      containers:\n      - name: web\n"+
				"        image: example.com/web:v%d\n        env:\n        - name: A\n"+
				"          value: \"1\"\n      - name: side\n        image: side:1\n"+
				"---\napiVersion: v1\nkind: Service\nmetadata:\n  name: s%d\nspec:\n  ports:\n"+
				"  - port: 80\n", i, i, i%5, i, i)
	}
	return b.String()
}

// benchmark measures work on 2,000 resources that are split but not scanned yet.
func benchmark(b *testing.B, work func(gaby.Container, *k8skit.ResourceProvider) error) {
	text := []byte(manyResources(1000))
	provider := k8skit.New()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		docs, err := gaby.ParseAll(text)
		if err == nil {
			err = work(docs, provider)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSplitAndIdentify(b *testing.B) {
	benchmark(b, func(docs gaby.Container, p *k8skit.ResourceProvider) error {
		for _, doc := range docs {
			if _, err := p.ResourceTypeGetter(doc); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkScan(b *testing.B) {
	benchmark(b, func(docs gaby.Container, _ *k8skit.ResourceProvider) error {
		for i := 0; i < len(docs); i += 2 {
			if err := docs[i].Check(); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkGetImages(b *testing.B) {
	benchmark(b, func(docs gaby.Container, p *k8skit.ResourceProvider) error {
		_, err := yamlkit.GetStringPaths(docs, p.AttributePaths("container-image"), []any{"*"}, p)
		return err
	})
}

func BenchmarkSetImage(b *testing.B) {
	benchmark(b, func(docs gaby.Container, p *k8skit.ResourceProvider) error {
		return yamlkit.UpdateStringPaths(docs, p.AttributePaths("container-image"), []any{"web"}, p,
			"x:1", true)
	})
}

func BenchmarkWhereHeader(b *testing.B) {
	benchmarkWhere(b, "ConfigHub.ResourceType = 'apps/v1/Deployment'")
}

func BenchmarkWherePath(b *testing.B) { benchmarkWhere(b, "metadata.labels.app = 'd1'") }

func benchmarkWhere(b *testing.B, text string) {
	w, err := where.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, func(docs gaby.Container, p *k8skit.ResourceProvider) error {
		for _, doc := range docs {
			if _, err := w.MatchResource(p, doc); err != nil {
				return err
			}
		}
		return nil
	})
}
