//go:build !race

package mutation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// TestOneFunctionIsComparedOnce checks that the mutations of a chain of one function cost about as
// much as those of two versions.
func TestOneFunctionIsComparedOnce(t *testing.T) {
	provider := k8skit.K8sResourceProvider
	docs := mutationtest.Parse(t, numbered(200))
	first := mutation.ChainState{Documents: docs}
	for _, d := range docs {
		first.Marks = append(first.Marks, d.Checkpoint())
		if _, err := d.SetP(2, "spec.size"); err != nil {
			t.Fatal(err)
		}
	}
	last := mutation.ChainState{Step: 0, Documents: docs}
	for _, d := range docs {
		last.Marks = append(last.Marks, d.Checkpoint())
	}
	before := docs.At(first.Marks)
	versions := testing.AllocsPerRun(5, func() {
		if _, err := mutation.Compute(before, docs, 0, provider); err != nil {
			t.Fatal(err)
		}
	})
	chain := testing.AllocsPerRun(5, func() {
		list, mutators, err := mutation.Chain([]mutation.ChainState{first, last}, provider)
		if err != nil || len(list) != 200 || len(mutators) != 1 {
			t.Fatal(len(list), mutators, err)
		}
	})
	if chain > 1.5*versions {
		t.Errorf("the chain makes %v values, the comparison of two versions %v", chain, versions)
	}
}

// numbered returns the text of n documents.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Thing\nmetadata: {name: a%d}\nspec: {size: 1}\n", i)
	}
	return b.String()
}
