package krm

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// indexed are three resources, the second document is a list, and a comment goes with B.
const indexed = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n- list\n---\n# of b\n---\n" +
	"apiVersion: v1\nkind: B\nmetadata: {name: b}\n---\napiVersion: v1\nkind: C\n" +
	"metadata: {name: c}\n"

// F1, F5: the indexes that a function returns are an order, whatever documents the file has.
func TestIndexesAreAnOrder(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string // the indexes of A and B, which are 0 and 2
		want string
	}{
		"as they are":      {"0", "2", "A - # B C"},
		"after the last":   {"77", "2", "- # B C A"},
		"next to the last": {"4", "2", "- # B C A"},
		"far after":        {"1000000000", "77", "- C # B A"},
		"swapped":          {"2", "0", "# B - A C"},
		"that of the list": {"1", "2", "- A # B C"},
		"the same twice":   {"2", "2", "a resource at path"},
		"too high":         {"1000000001", "2", "not a number from 0 to 1000000000"},
		"more than fits":   {"99999999999999999999", "2", "not a number"},
		"negative":         {"-1", "2", "not a number"},
		"not a number":     {"first", "2", "not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPackage(t, map[string]string{"all.yaml": indexed})
			items, err := returned(t, p, func(text string) string {
				text = strings.Replace(text, `/index: "0"`, `/index: "`+c.a+`"`, 2)
				head, tail, _ := strings.Cut(text, "kind: B")
				b := strings.Replace(tail, `/index: "2"`, `/index: "`+c.b+`"`, 2)
				return head + "kind: B" + b
			})
			have := ""
			if err != nil {
				have = err.Error()
			} else if have = changes(t, p, items); have == "" {
				have = indexed
			}
			if strings.Contains(have, "kind: ") {
				have = documentOrder(have)
			}
			if !strings.Contains(have, c.want) {
				t.Errorf("the documents are %s, want %s", have, c.want)
			}
		})
	}
}

// An annotation for path or index that is a map or a list is an error: as a missing one it would
// move the resource to another file.
func TestLocationsAreTexts(t *testing.T) {
	for _, key := range []string{
		PathAnnotation, IndexAnnotation, LegacyPathAnnotation, LegacyIndexAnnotation,
	} {
		for _, value := range []string{"[a]", "{a: b}"} {
			t.Run(key+" "+value, func(t *testing.T) {
				p := readPackage(t, map[string]string{"all.yaml": indexed})
				_, err := returned(t, p, func(text string) string {
					was := regexp.MustCompile(`([ {]` + key + `: )("0"|all\.yaml)`)
					return was.ReplaceAllString(text, "${1}"+value)
				})
				want := "the function set the annotation " + key + " to a map or a list"
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want %s", err, want)
				}
			})
		}
	}
}

// documentOrder returns the kinds of a text in order, with - for a list and # for a comment.
func documentOrder(text string) string {
	var order []string
	for line := range strings.Lines(text) {
		if kind, ok := strings.CutPrefix(line, "kind: "); ok {
			order = append(order, strings.TrimSpace(kind))
		} else if line[0] == '#' || strings.HasPrefix(line, "- ") {
			order = append(order, line[:1])
		}
	}
	return strings.Join(order, " ")
}

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

func joined(c *Change) string {
	var b strings.Builder
	for _, part := range c.After {
		b.Write(part)
	}
	return b.String()
}
