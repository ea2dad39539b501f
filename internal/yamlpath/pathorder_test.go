package yamlpath_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestComparePaths(t *testing.T) {
	inOrder := []string{
		"args", "args.0", "args.2", "args.10", "args.10.a", "args.?name=a",
		"args.a", "args-1", "b.9.1", "b.9.a", "b.10.1",
	}
	for i, a := range inOrder {
		t.Run(a, func(t *testing.T) {
			for j, b := range inOrder {
				if got, want := yamlpath.Compare(a, b), compareInts(i, j); got != want {
					t.Errorf("ComparePaths(%s, %s) = %d, want %d", a, b, got, want)
				}
			}
		})
	}
	shuffled := slices.Clone(inOrder)
	slices.Sort(shuffled)
	slices.SortFunc(shuffled, yamlpath.Compare)
	if !slices.Equal(shuffled, inOrder) {
		t.Errorf("sorted: %v", shuffled)
	}
}

func compareInts(i, j int) int {
	switch {
	case i < j:
		return -1
	case i > j:
		return 1
	}
	return 0
}
