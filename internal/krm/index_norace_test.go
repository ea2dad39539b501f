//go:build !race

package krm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// F1, F5: wherever a function moves resources, each stays once and so does each comment, or two are
// at one place and that is an error.
func TestRandomIndexes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for round := range 500 {
		p := readPackage(t, map[string]string{"one.yaml": indexed, "two.yaml": strings.NewReplacer(
			"kind: ", "kind: X", "name: ", "name: x", "# ", "# x", "- l", "- xl").Replace(indexed)})
		items := p.Items()
		placed := map[string]bool{}
		twice := false
		for _, item := range items {
			item.Path = []string{"one.yaml", "two.yaml", "new.yaml"}[random.IntN(3)]
			item.Index = []int{random.IntN(7) - 1, random.IntN(100), maxIndex}[random.IntN(3)]
			at := fmt.Sprint(item.Path, item.Index)
			twice = twice || item.Index >= 0 && placed[at]
			placed[at] = true
		}
		setIndexes(items)
		found, err := p.Changes(items)
		if err != nil && !twice {
			t.Fatalf("round %d: error %v, but no two are at one place", round, err)
		}
		if err != nil {
			refused++
			continue
		}
		text := ""
		for _, f := range p.Files {
			after := string(f.data)
			for _, c := range found {
				if c.Path == f.Path {
					after = joined(c)
				}
			}
			text += after
		}
		for _, c := range found {
			if c.IsNew() {
				text += joined(c)
			}
		}
		for _, want := range []string{
			"kind: A\n", "kind: B\n", "kind: C\n", "kind: XA\n", "kind: XB\n", "kind: XC\n",
			"# of b\n", "# xof b\n", "- list\n", "- xlist\n",
		} {
			if n := strings.Count(text, want); n != 1 {
				t.Fatalf("round %d: %q is there %d times in\n%s", round, want, n, text)
			}
		}
	}
	if refused == 0 || refused == 500 {
		t.Errorf("%d rounds were refused", refused)
	}
}

func joined(c *ChangedFile) string {
	var b strings.Builder
	for _, part := range c.After {
		b.Write(part)
	}
	return b.String()
}
