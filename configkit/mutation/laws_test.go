package mutation_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// merged returns the text of a merge of three texts.
func merged(t testing.TB, base, source, target string) string {
	t.Helper()
	result, err := mutation.Merge(
		mutationtest.Parse(t, base), mutationtest.Parse(t, source), mutationtest.Parse(t, target),
		k8skit.K8sResourceProvider, mutation.Options{},
	)
	if err != nil {
		t.Fatalf("%v\n--- base\n%s\n--- source\n%s\n--- target\n%s", err, base, source, target)
	}
	return result.Docs.String()
}
