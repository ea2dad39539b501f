package gaby_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// marks returns the number of aliases, anchors and "<<" below a node.
func marks(n *yaml.Node) int {
	count := 0
	if n.Anchor != "" {
		count++
	}
	if n.Kind == yaml.AliasNode {
		return 1
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && isMergeKey(c) {
			count++
		}
		count += marks(c)
	}
	return count
}

// drawRepeats returns a random document with anchors, aliases and "<<".
func drawRepeats(t *rapid.T, d Dice) string {
	text := (&textGen{Dice: d, repeats: true, exotic: d.oneIn(3)}).document()
	roots, err := yamlDocs([]byte(text))
	if err != nil || len(roots) != 1 {
		t.Fatalf("the generator wrote what yaml.v3 refuses: %v\n%s", err, text)
	}
	if _, err = dataOf(roots[0]); err != nil {
		t.Fatalf("the generator wrote what has no value: %v\n%s", err, text)
	}
	return text
}

// Expanding keeps the value and every comment, leaves no marks, and can be undone. The result can
// be edited like any other document.
func TestPropertyExpandAnchors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text := drawRepeats(t, dice)
		doc := mustParse(t, text)
		var log []string
		for range dice(3) {
			if e := randomEdit(dice, doc.Data()); e != nil {
				log = append(log, e.String())
				var refused *gaby.EditError // at an alias or below one
				if err := e.apply(doc); err != nil && !errors.As(err, &refused) {
					t.Fatalf("%v: %v\n%s", e, err, text)
				}
			}
		}
		roots, err := yamlDocs(doc.Bytes())
		if err != nil || len(roots) != 1 {
			return
		}
		data, err := dataOf(roots[0])
		if err != nil { // an inherited entry may have become visible
			t.Fatalf("%v\n%s", err, doc.Bytes())
		}
		mark, edited := doc.Checkpoint(), string(doc.Bytes())
		n, err := doc.ExpandAnchors()
		if err != nil {
			t.Fatalf("%v\n%s", err, edited)
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("%s\n--- text\n%s--- edits\n%s\n--- before\n%s\n--- after\n%s",
				fmt.Sprintf(format, args...), text, strings.Join(log, "\n"), edited, doc.Bytes())
		}
		if err := printed(doc, data); err != nil {
			fail("%v", err)
		}
		roots, _ = yamlDocs(doc.Bytes())
		if len(roots) == 1 && marks(roots[0]) > 0 {
			fail("marks are left")
		}
		if (n > 0) != (doc.Checkpoint() > mark) {
			fail("%d marks were counted", n)
		}
		if again, err := doc.ExpandAnchors(); err != nil || again != 0 {
			fail("expanding again finds %d marks, %v", again, err)
		}
		for _, c := range comments(edited) {
			if !strings.HasSuffix(c.Owner, "/<<") && !strings.Contains(c.Owner, "/~flow") &&
				commentIndex(string(doc.Bytes()), c.Text) < 0 {
				fail("the comment %q is lost", c.Text)
			}
		}
		expanded, inner := string(doc.Bytes()), doc.Checkpoint()
		want := data
		for range 3 {
			if e := randomEdit(dice, want); e != nil && possible(t, e, doc) {
				want, _ = e.model(want)
				if err := printed(doc, want); err != nil {
					fail("%v: %v", e, err)
				}
			}
		}
		if doc.Rollback(inner); string(doc.Bytes()) != expanded {
			fail("rolled back to other text than\n%s", expanded)
		}
		if doc.Rollback(mark); string(doc.Bytes()) != edited {
			fail("rolled back to other text")
		}
	})
}

func TestExpandLimits(t *testing.T) {
	// The number of values is within the limit, the size of their text is not.
	var b strings.Builder
	b.WriteString("a0: &a0 " + strings.Repeat("x", 10_000) + "\n")
	for i := 1; i < 6; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	doc, err := gaby.ParseYAML([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, 50, 200, func() {
		_, err = doc.ExpandAnchors()
	})
	var refused *gaby.EditError
	if !errors.As(err, &refused) || refused.Pos.Line == 0 || refused.Hint == "" ||
		string(doc.Bytes()) != b.String() {
		t.Errorf("error %v", err)
	}

	// Each level is within the depth limit; expanded they are not.
	deep := "a: &a " + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "\nb: " +
		strings.Repeat("[", 600) + "*a" + strings.Repeat("]", 600) + "\n"
	if doc, err = gaby.ParseYAML([]byte(deep)); err != nil {
		t.Fatal(err)
	}
	if _, err = doc.ExpandAnchors(); !errors.As(err, &refused) || string(doc.Bytes()) != deep {
		t.Errorf("error %v", err)
	}
}
