package yamlkit_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// mergedText merges texts of Kubernetes.
func mergedText(base, ours, theirs string, options yamlkit.MergeTextOptions) *yamlkit.MergedText {
	return yamlkit.MergeTexts([]byte(base), []byte(ours), []byte(theirs), k8skit.Converter{}, k8skit.K8sResourceProvider, options)
}

// A textMaker changes in texts what does not count as a value.
type textMaker struct {
	unitMaker
	comments *int // so far; each is another one
}

func (m textMaker) comment() string {
	*m.comments++
	return fmt.Sprintf("# comment %d.", *m.comments)
}

// decorated is a text with comments, blank lines and quotes here and there.
func (m textMaker) decorated(text string, n int) string {
	for range n {
		rows := strings.SplitAfter(text, "\n")
		i := m.IntN(len(rows))
		row := strings.TrimSuffix(rows[i], "\n")
		indent := row[:len(row)-len(strings.TrimLeft(row, " "))]
		switch m.IntN(5) {
		case 0, 1:
			rows[i] = indent + m.comment() + "\n" + rows[i]
		case 2:
			if row != "" && !strings.Contains(row, "#") && !strings.HasSuffix(row, "|") && !strings.Contains(row, "line") && row != "---" && row != "-" {
				rows[i] = row + " " + m.comment() + "\n"
			}
		case 3:
			rows[i] = "\n" + rows[i]
		case 4:
			if j := strings.Index(row, "# comment"); j >= 0 {
				rows[i] = row[:j] + m.comment() + "\n"
			}
		}
		text = strings.Join(rows, "")
	}
	return text
}

// edited is a text with the values of a unit.
func edited(t testing.TB, text string, unit []object) string {
	t.Helper()
	return merged(t, text, unitText(t, unit), text)
}

// commentsOf are the comments of a text.
func commentsOf(text string) map[string]bool {
	found := map[string]bool{}
	for row := range strings.Lines(text) {
		if i := strings.Index(row, "# comment"); i >= 0 {
			found[strings.TrimSpace(row[i:])] = true
		}
	}
	return found
}

func withoutBlankLines(text string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool { return l == "\n" }), "")
}

// TestMergeTextLaws: over random texts, a merge loses nothing and says what it should.
func TestMergeTextLaws(t *testing.T) {
	count := map[string]int{}
	for seed := range cases(500, 20_000) {
		m := textMaker{newUnitMaker(uint64(seed)), new(int)}
		unit := m.unit()
		base := m.decorated(unitText(t, unit), m.IntN(8))
		ours := m.decorated(edited(t, base, m.variant(unit, m.IntN(3))), m.IntN(4))
		theirs := m.decorated(edited(t, base, m.variant(unit, m.IntN(3))), m.IntN(4))
		result := mergedText(base, ours, theirs, yamlkit.MergeTextOptions{})
		have := string(result.Text)
		fail := func(law string) {
			t.Fatalf("seed %d: %s\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- have\n%s--- %v\n%+v", seed, law, base, ours, theirs, have, result.ByLines, result.Conflicts)
		}
		if result.ByLines != nil {
			count["by lines"]++
			fail("values can be merged")
		}
		if mergedText(base, base, theirs, yamlkit.MergeTextOptions{}).Text == nil {
			fail("x")
		}
		isClean := len(result.Conflicts) == 0
		inBase, inOurs, inTheirs := commentsOf(base), commentsOf(ours), commentsOf(theirs)
		inResult := commentsOf(have)
		told := ""
		values := 0
		for _, c := range result.Conflicts {
			told += strings.Join(c.Lines, "") + c.Lost
			if c.Value != nil {
				values++
			}
		}
		for c := range inOurs {
			if !inBase[c] && !inResult[c] && !strings.Contains(told, c) {
				fail("our " + c)
			}
		}
		for c := range inTheirs {
			if !inBase[c] && !inResult[c] && !strings.Contains(told, c) {
				fail("their " + c)
			}
		}
		for c := range inBase {
			if inOurs[c] && inTheirs[c] && !inResult[c] {
				fail("of both " + c)
			}
		}
		switch {
		case isClean:
			count["clean"]++
		case values > 0:
			count["values"]++
		default:
			count["text"]++
			if result.Conflicts[0].Pos.Line == 0 {
				count["text without place"]++
			}
			if os.Getenv("SHOW") != "" {
				t.Logf("seed %d\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- have\n%s--- %v\n%+v", seed, base, ours, theirs, have, result.ByLines, result.Conflicts)
			}
		}
		if isClean {
			want, err := yamlkit.MergeUnits(parseUnit(t, base), parseUnit(t, theirs), parseUnit(t, ours), k8skit.K8sResourceProvider, yamlkit.MergeOptions{})
			if err != nil || len(want.Conflicts) == 0 && !sameDocuments(t, have, want.Docs.String()) {
				fail("other values")
			}
		}
		if isClean {
			again := mergedText(base, have, theirs, yamlkit.MergeTextOptions{})
			if !sameDocuments(t, string(again.Text), have) || !maps.Equal(commentsOf(string(again.Text)), inResult) {
				have += "\n--- again\n" + string(again.Text)
				fail("merging again changes nothing")
			}
			if withoutBlankLines(string(again.Text)) != withoutBlankLines(have) {
				count["comments elsewhere"]++
			}
		}
	}
	t.Log(count)
}
