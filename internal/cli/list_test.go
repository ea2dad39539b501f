package cli

import (
	"maps"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// TestIntentions checks that intentions.txt is about functions that exist and are not deprecated.
func TestIntentions(t *testing.T) {
	executor := functions.NewStandardExecutor()
	known := map[string]bool{}
	for _, toolchain := range executor.Toolchains() {
		for _, s := range executor.Signatures(toolchain) {
			known[s.FunctionName] = !s.Deprecated && s.AliasOf == ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(purposes())) {
		if !known[name] {
			t.Errorf("%s is not the name of a function", name)
		}
	}
}

func TestRankOf(t *testing.T) {
	s := api.FunctionSignature{
		FunctionName: "set-replicas", AttributeName: "replicas", Mutating: true,
		Description: "Set the number of replicas of workloads",
	}
	for word, want := range map[string]int{
		"REPLICAS": 0, "mutating": 0, "changes": 0, "sca": 1, "number": 2, "validating": -1,
		"cale": -1,
	} {
		t.Run(word, func(t *testing.T) {
			if rank := rankOf(s, []string{"scale"}, []string{word}); rank != want {
				t.Errorf("%s: %d, want %d", word, rank, want)
			}
		})
	}
	if rank := rankOf(s, []string{"scale"}, []string{"set", "scale", "workloads"}); rank != 2 {
		t.Errorf("the worst word decides: %d", rank)
	}
}
