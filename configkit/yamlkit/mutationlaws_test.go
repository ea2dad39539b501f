package yamlkit_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func unitData(c gaby.Container) []any {
	data := make([]any, len(c))
	for i, d := range c {
		data[i] = d.Data()
	}
	return data
}

// merged is the text of a merge of three texts.
func merged(t testing.TB, base, source, target string) string {
	t.Helper()
	result, err := yamlkit.MergeUnits(parseUnit(t, base), parseUnit(t, source), parseUnit(t, target), k8skit.K8sResourceProvider, yamlkit.MergeOptions{})
	if err != nil {
		t.Fatalf("%v\n--- base\n%s\n--- source\n%s\n--- target\n%s", err, base, source, target)
	}
	return result.Docs.String()
}

func parseUnit(t testing.TB, text string) gaby.Container {
	t.Helper()
	c, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sameDocuments compares documents whatever their order is.
func sameDocuments(t testing.TB, a, b string) bool {
	x, y := unitData(parseUnit(t, a)), unitData(parseUnit(t, b))
	if len(x) != len(y) {
		return false
	}
	for _, doc := range x {
		found := false
		for i := range y {
			if y[i] != nil && reflect.DeepEqual(doc, y[i]) {
				y[i], found = nil, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// cases is how many random cases a test tries: make long tries more of them.
func cases(short, long int) int {
	if os.Getenv("LONG") != "" {
		return long
	}
	return short
}

// TestMergeLaws: a merge is what it says, over random units B (base), U (source) and D (target).
func TestMergeLaws(t *testing.T) {
	for seed := range cases(1_000, 10_000) {
		m := newUnitMaker(uint64(seed))
		base := m.unit()
		source, target := m.variant(base, m.IntN(5)), m.variant(base, m.IntN(5))
		if seed%2 == 1 {
			base = m.wilder(base)
			source, target = m.wilder(base), m.wilder(base)
		}
		b, u, d := unitText(t, base), unitText(t, source), unitText(t, target)
		fail := func(law, have, want string) {
			t.Fatalf("seed %d: %s\n--- base\n%s\n--- source\n%s\n--- target\n%s\n--- have\n%s\n--- want\n%s", seed, law, b, u, d, have, want)
		}
		if have := merged(t, b, b, d); have != d {
			fail("P1: no change of the source, no change", have, d)
		}
		if have := merged(t, b, u, b); !sameDocuments(t, have, u) {
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

// replay makes of one text what another one says, by the mutations between them, as JSON.
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
	docs, conflicts, err := yamlkit.PatchMutations(parseUnit(t, before), nil, patch, nil, k8skit.K8sResourceProvider)
	if err != nil || len(conflicts) > 0 || !sameDocuments(t, docs.String(), after) {
		t.Fatalf("seed %d: %v %v\n--- before\n%s\n--- after\n%s\n--- patch\n%s\n--- have\n%s", seed, err, conflicts, before, after, text, docs)
	}
}

// TestDiffIsAPatch: what tells how one unit differs from another makes the values of that when it is applied, also after it was JSON.
func TestDiffIsAPatch(t *testing.T) {
	for seed := range cases(1_000, 10_000) {
		m := newUnitMaker(uint64(seed))
		before := m.unit()
		replay(t, seed, unitText(t, before), unitText(t, m.wilder(before)))
	}
}

// withTextsAtEnd puts texts, with and without line ends, at the end of documents.
func (m unitMaker) withTextsAtEnd(text string) string {
	var docs []string
	for doc := range strings.SplitSeq(text, "---\n") {
		if m.oneIn(2) {
			doc += pickOne(m, "tail: ", "tail:\n- 1\n- ", "tail:\n- - a\n  - ", "more:\n- ", "more:\n  k: ")
			doc += pickOne(m, "|", "|-", "|+", ">", ">+") + "\n    " + pickOne(m, "a", "a\n    b", "a\n\n    b\n", "# c", "a\n      b") + "\n"
			doc += pickOne(m, "", "", "\n", "\n    \n", "# about\n")
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
		text += pickOne(m, " ", "    ", "      ", "\n  ", "# end")
	}
	if m.oneIn(5) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// TestReplayOfTextsAtEnd: so it is where a text ends a document, and what follows decides on its line end.
func TestReplayOfTextsAtEnd(t *testing.T) {
	for seed := range cases(1_000, 10_000) {
		m := newUnitMaker(uint64(seed))
		unit := m.unit()
		replay(t, seed, m.withTextsAtEnd(unitText(t, unit)), m.withTextsAtEnd(unitText(t, m.variant(unit, m.IntN(3)))))
	}
}
