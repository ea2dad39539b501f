package krm

import (
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
