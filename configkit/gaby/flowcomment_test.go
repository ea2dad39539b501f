package gaby_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestFlowComments comments and changes entries of random flow collections. Reading the text back
// gives the same values, and each comment at the entry that got it.
func TestFlowComments(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	made := 0
	for range 5000 {
		text := "top:\n  - " + randomFlow(r, 0) + " # end\n  - x: " + randomFlow(r, 0) + "\n"
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		comments := map[string]string{}
		for n := range 1 + r.Intn(4) {
			randomFlowEdit(t, r, doc, want, comments, "c"+strconv.Itoa(n))
		}
		back, err := gaby.ParseYAML(doc.BytesWithNewline())
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, doc)
		}
		if !back.Value().Equal(want.Value()) {
			t.Fatalf("other values\n%s\n%s\n%s", text, doc, want)
		}
		for _, path := range slices.Sorted(maps.Keys(comments)) {
			made++
			if got := back.GetComments(path).Line; got != comments[path] {
				t.Fatalf("comment of %s: %q, want %q\n%s\n%s", path, got, comments[path], text, doc)
			}
		}
	}
	if made < 3000 {
		t.Errorf("only %d comments", made)
	}
}

// randomFlowEdit makes an edit in doc and, unless it is a comment, in want.
func randomFlowEdit(t *testing.T, r *rand.Rand, doc, want *gaby.YamlDoc,
	comments map[string]string, comment string,
) {
	t.Helper()
	var paths []string
	var visit func(v gaby.Value, at string)
	visit = func(v gaby.Value, at string) {
		for i, c := range v.All() {
			key := c.Key()
			if v.Kind() == gaby.List {
				key = strconv.Itoa(i)
			}
			paths = append(paths, at+key)
			visit(c, at+key+".")
		}
	}
	visit(doc.Value(), "")
	path := paths[r.Intn(len(paths))]
	target := path
	switch kind := doc.Path(path).Value().Kind(); {
	case r.Intn(2) == 0:
		if doc.SetComment(comment, path) == nil {
			comments[path] = comment
		}
		return
	case kind == gaby.List && r.Intn(2) == 0:
		target += ".-"
	case kind == gaby.Map && r.Intn(2) == 0:
		target += ".z"
	default:
		maps.DeleteFunc(comments, func(of, _ string) bool { return strings.HasPrefix(of, path+".") })
	}
	for _, d := range []*gaby.YamlDoc{doc, want} {
		if _, err := d.SetP("new", target); err != nil {
			t.Fatalf("%v\n%s", err, d)
		}
	}
}

// randomFlow returns the text of a value in flow style.
func randomFlow(r *rand.Rand, depth int) string {
	space := []string{" ", "", "\n      "}[r.Intn(3)]
	kind, begin, end := r.Intn(5), "{", "}"
	if kind > 1 || depth > 2 {
		return []string{"1", "a", "'q'", `"d"`, "x y", "null"}[r.Intn(6)]
	}
	if kind == 1 {
		begin, end = "[", "]"
	}
	var entries []string
	for i := range r.Intn(4) {
		entry := randomFlow(r, depth+1)
		if kind == 0 {
			entry = fmt.Sprintf("k%d: %s", i, entry)
		}
		entries = append(entries, entry)
	}
	text := begin + strings.Join(entries, ","+space+" ") + space
	if len(entries) > 0 && r.Intn(4) == 0 {
		text += ","
	}
	return text + end
}

// TestFlowCommentBesideOtherEdits writes a comment after the comma of its entry. Edits of other
// collections and edits that were rolled back change nothing.
func TestFlowCommentBesideOtherEdits(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("list: [word, x]\nmap: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	start := doc.Checkpoint()
	for _, path := range []string{"list", "map.new"} {
		if _, err := doc.SetP(map[string]any{"a": []any{1}}, path); err != nil {
			t.Fatal(err)
		}
		if path == "list" {
			doc.Rollback(start)
		}
	}
	if err := doc.SetComment("note", "list.0"); err != nil {
		t.Fatal(err)
	}
	if want := "list: [word, # note\n"; !strings.HasPrefix(doc.String(), want) {
		t.Errorf("want %q first:\n%s", want, doc)
	}
}
