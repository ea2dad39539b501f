//go:build !race

package textmerge_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// commentsOf returns the comments of a text.
func commentsOf(text string) map[string]bool {
	found := map[string]bool{}
	for row := range strings.Lines(text) {
		if i := strings.Index(row, "# comment"); i >= 0 {
			found[strings.TrimSpace(row[i:])] = true
		}
	}
	return found
}

// TestMergeTextLaws checks that merges of random texts lose nothing and have the right values.
func TestMergeTextLaws(t *testing.T) {
	count := map[string]int{}
	for seed := range mutationtest.Cases(500, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		unit := m.Unit()
		base := m.Decorated(mutationtest.Text(t, unit), m.IntN(8))
		ours := m.Decorated(mutationtest.Edited(t, base, m.Variant(unit, m.IntN(3))), m.IntN(4))
		theirs := m.Decorated(mutationtest.Edited(t, base, m.Variant(unit, m.IntN(3))), m.IntN(4))
		result := mergedText(base, ours, theirs, textmerge.Options{})
		have := string(result.Text)
		fail := func(law string) {
			t.Fatalf(
				"seed %d: %s\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- have\n%s--- %v\n%+v",
				seed, law, base, ours, theirs, have, result.ByLines, result.Conflicts,
			)
		}
		if result.ByLines != nil {
			fail("values can be merged")
		}
		reported := ""
		values := false
		for _, c := range result.Conflicts {
			reported += strings.Join(c.Lines, "") + c.Lost
			values = values || c.Value != nil
		}
		inBase, inOurs, inTheirs, inResult := commentsOf(base), commentsOf(ours),
			commentsOf(theirs), commentsOf(have)
		for c := range inOurs {
			if !inResult[c] && !strings.Contains(reported, c) && (!inBase[c] || inTheirs[c]) {
				fail("our " + c)
			}
		}
		for c := range inTheirs {
			if !inResult[c] && !strings.Contains(reported, c) && !inBase[c] {
				fail("their " + c)
			}
		}
		if len(result.Conflicts) > 0 {
			count[fmt.Sprint("conflict of values: ", values)]++
			marked := mergedText(base, ours, theirs, textmerge.Options{Markers: true})
			have = string(marked.Text)
			inResult = commentsOf(have)
			for c := range inOurs {
				if !inBase[c] && !inResult[c] {
					fail("between markers, our " + c)
				}
			}
			for c := range inTheirs {
				if !inBase[c] && !inResult[c] {
					fail("between markers, their " + c)
				}
			}
			if !strings.Contains(have, "<<<<<<<") {
				fail("no markers")
			}
			if chosen(have, false) == string(result.Text) {
				count["markers around values"]++
			} else {
				count["markers around lines"]++
			}
			continue
		}
		count["clean"]++
		want, err := mutation.Merge(
			mutationtest.Parse(t, base), mutationtest.Parse(t, theirs), mutationtest.Parse(t, ours),
			k8skit.K8sResourceProvider, mutation.Options{},
		)
		if err != nil ||
			len(want.Conflicts) == 0 && !mutationtest.SameDocuments(t, have, want.Docs.String()) {
			fail("other values")
		}
		again := mergedText(base, have, theirs, textmerge.Options{})
		if !mutationtest.SameDocuments(t, string(again.Text), have) ||
			!maps.Equal(commentsOf(string(again.Text)), inResult) {
			have += "\n--- again\n" + string(again.Text)
			fail("merging again changes nothing")
		}
	}
	t.Log(count)
}

// garbled returns text with lines removed, swapped, repeated and broken. It may be YAML or not.
func garbled(m mutationtest.Maker, text string) string {
	text = m.Decorated(text, m.IntN(4))
	for range m.IntN(4) {
		rows := strings.SplitAfter(text, "\n")
		i, j := m.IntN(len(rows)), m.IntN(len(rows))
		switch m.IntN(6) {
		case 0:
			rows[i] = ""
		case 1:
			rows[i], rows[j] = rows[j], rows[i]
		case 2:
			rows[i] += rows[j]
		case 3:
			rows[i] = strings.Replace(rows[i], ": ", ": x", 1)
		case 4:
			rows[i] = "  " + rows[i]
		case 5:
			rows[i] = strings.TrimSuffix(rows[i], "\n")
		}
		text = strings.Join(rows, "")
	}
	return text
}

// isSound reports whether a text can be read and has no duplicate keys.
func isSound(text string) bool {
	docs, err := gaby.ParseAll([]byte(text))
	return err == nil && !slices.ContainsFunc(docs, func(d *gaby.YamlDoc) bool {
		return d.Check() != nil || d.HasDuplicateKeys()
	})
}

// TestRandomGarbledTexts checks that no comment of either side is lost, whatever the texts are,
// and that merges with and without markers agree on whether there are conflicts.
func TestRandomGarbledTexts(t *testing.T) {
	for seed := range mutationtest.Cases(500, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		base := m.Decorated(mutationtest.Text(t, m.Unit()), m.IntN(8))
		if m.OneIn(4) {
			base = garbled(m, base)
		}
		ours, theirs := garbled(m, base), garbled(m, base)
		marked := mergedText(base, ours, theirs, textmerge.Options{Markers: true})
		listed := mergedText(base, ours, theirs, textmerge.Options{})
		fail := func(what string) {
			t.Fatalf(
				"seed %d: %s\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- marked\n%s\n"+
					"--- listed\n%s",
				seed, what, base, ours, theirs, marked.Text, listed.Text,
			)
		}
		if len(marked.Conflicts) > 0 != (len(listed.Conflicts) > 0) {
			fail("conflicts in one style")
		}
		if isSound(ours) && isSound(theirs) && !isSound(string(listed.Text)) {
			fail("a list that cannot be read")
		}
		for _, c := range slices.Concat(marked.Conflicts, listed.Conflicts) {
			if rows := strings.Count(strings.TrimSuffix(ours, "\n"), "\n") + 1; c.Ours.Line < 1 ||
				c.Ours.Line > rows || c.Pos.Line < 1 {
				fail(fmt.Sprintf("a conflict without a position: %+v", c))
			}
		}
		if len(marked.Conflicts) == 0 && strings.Contains(string(marked.Text), "<<<<<<<") {
			fail("markers without conflicts")
		}
		inBase, inResult := commentsOf(base), commentsOf(string(marked.Text))
		for _, side := range []string{ours, theirs} {
			for c := range commentsOf(side) {
				if !inBase[c] && !inResult[c] {
					fail(c)
				}
			}
		}
	}
}
