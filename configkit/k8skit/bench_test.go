package k8skit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
)

// BenchmarkFirstUse measures the first question about a resource type in a process.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(k8skit.New().AttributePaths("replicas").PathsOf("apps/v1/Deployment")) != 1 {
			b.Fatal("not found")
		}
	}
}
