//go:build !race

package mutation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// TestMergeLaws checks that merges of random units base, source and target obey the laws P1 to P4.
func TestMergeLaws(t *testing.T) {
	for seed := range mutationtest.Cases(1_000, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		base := m.Unit()
		source, target := m.Variant(base, m.IntN(5)), m.Variant(base, m.IntN(5))
		if seed%2 == 1 {
			base = m.Wilder(base)
			source, target = m.Wilder(base), m.Wilder(base)
		}
		b, u, d := mutationtest.Text(t, base), mutationtest.Text(t, source),
			mutationtest.Text(t, target)
		fail := func(law, have, want string) {
			t.Fatalf(
				"seed %d: %s\n--- base\n%s\n--- source\n%s\n--- target\n%s\n--- have\n%s\n"+
					"--- want\n%s",
				seed, law, b, u, d, have, want,
			)
		}
		if have := merged(t, b, b, d); have != d {
			fail("P1: no change of the source, no change", have, d)
		}
		if have := merged(t, b, u, b); !mutationtest.SameDocuments(t, have, u) {
			fail("P2: no change of the target, the source", have, u)
		}
		once := merged(t, b, u, d)
		if have := merged(t, b, u, once); have != once {
			fail("P3: merging again changes nothing", have, once)
		}
		if have := merged(t, u, u, once); have != once {
			fail("P4: merging after the source became the base changes nothing", have, once)
		}
	}
}

// replay checks that the mutations from before to after, applied to before, give after, and that
// they survive JSON.
func replay(t testing.TB, seed int, before, after string) {
	t.Helper()
	text, err := json.Marshal(computed(t, before, after, 0))
	if err != nil {
		t.Fatal(err)
	}
	var patch api.ResourceMutationList
	if err := json.Unmarshal(text, &patch); err != nil {
		t.Fatal(err)
	}
	docs, conflicts, err := mutation.Patch(
		mutationtest.Parse(t, before), nil, patch, nil, k8skit.K8sResourceProvider,
	)
	if err != nil || len(conflicts) > 0 || !mutationtest.SameDocuments(t, docs.String(), after) {
		t.Fatalf(
			"seed %d: %v %v\n--- before\n%s\n--- after\n%s\n--- patch\n%s\n--- have\n%s", seed, err,
			conflicts, before, after, text, docs,
		)
	}
}

// TestDiffIsAPatch checks that a diff applied as a patch gives the values of the other unit, also
// after a JSON round trip.
func TestDiffIsAPatch(t *testing.T) {
	for seed := range mutationtest.Cases(1_000, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		before := m.Unit()
		replay(t, seed, mutationtest.Text(t, before), mutationtest.Text(t, m.Wilder(before)))
	}
}

// withTextsAtEnd puts block texts, with and without final newlines, at the end of documents.
func withTextsAtEnd(m mutationtest.Maker, text string) string {
	var docs []string
	for doc := range strings.SplitSeq(text, "---\n") {
		if m.OneIn(2) {
			doc += mutationtest.PickOne(
				m, "tail: ", "tail:\n- 1\n- ", "tail:\n- - a\n  - ", "more:\n- ", "more:\n  k: ",
			)
			doc += mutationtest.PickOne(m, "|", "|-", "|+", ">", ">+") + "\n    " +
				mutationtest.PickOne(m, "a", "a\n    b", "a\n\n    b\n", "# c", "a\n      b") + "\n"
			doc += mutationtest.PickOne(m, "", "", "\n", "\n    \n", "# about\n")
		}
		docs = append(docs, doc)
	}
	text = strings.Join(docs, "---\n")
	switch m.IntN(4) {
	case 0:
		text = strings.TrimSuffix(text, "\n")
	case 1:
		text = strings.TrimRight(text, "\n ")
	case 2:
		text += mutationtest.PickOne(m, " ", "    ", "      ", "\n  ", "# end")
	}
	if m.OneIn(5) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// TestReplayOfTextsAtEnd checks replay if a block text ends a document, where what follows decides
// about its final newline.
func TestReplayOfTextsAtEnd(t *testing.T) {
	for seed := range mutationtest.Cases(1_000, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		unit := m.Unit()
		replay(
			t, seed, withTextsAtEnd(m, mutationtest.Text(t, unit)),
			withTextsAtEnd(m, mutationtest.Text(t, m.Variant(unit, m.IntN(3)))),
		)
	}
}
