package textmerge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// TestPositionsOfConflicts checks the positions of conflicts in our text, in theirs if it is there,
// and in the result.
func TestPositionsOfConflicts(t *testing.T) {
	const map1 = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n"
	const script = map1 + "  run: |\n    set -e\n    a\n\n    b\n    c\n    d\n"
	const map2 = "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  x: \"1\"\n" +
		"  y: \"2\"\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n" +
		"  - name: web\n    args:\n    - --a=1\n    - --b=1\n    - --c=1\n" +
		"    env:\n    - name: A\n      value: x\n  - name: proxy\n    image: proxy:1\n" +
		"    tty: true\n    stdin: true\n"
	const aliased = "kind: A\nd: &d\n  k: 1\n  l: 2\n  m: 3\ne: *d\n"
	replace := func(text string, pairs ...string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("no %q in %q", pairs[i], text)
			}
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	tests := []struct {
		name, base, ours, theirs string
		// want lists, for each conflict, its positions in our text, in theirs and in the result
		// with markers. In the result without markers, a conflict is at its position in our text
		// plus the number of lines in lists.
		want  []string
		lists int
	}{
		{
			name: "scalar", base: map1,
			ours: replace(map1, "one", "two"), theirs: replace(map1, "one", "three"),
			want: []string{"6:3 6:3 7:3"},
		},
		{
			name: "scalar, lines in front", base: map1,
			ours:   replace(map1, "one", "two", "\ndata:\n", "\ndata:\n  # why\n  j: 1\n"),
			theirs: "# a\n# b\n" + replace(map1, "one", "three"),
			want:   []string{"8:3 8:3 11:3"}, lists: 2,
		},
		{
			name: "text, line by line", base: script,
			ours:   replace(script, "    c\n", "    ours\n", "    a\n", "    a\n    more\n"),
			theirs: replace(script, "    c\n", "    theirs\n"),
			want:   []string{"13:5 12:5 17:5"},
		},
		{
			name: "text, CRLF", base: crlf(script),
			ours:   crlf(replace(script, "    c\n", "    ours\n")),
			theirs: crlf(replace(script, "    c\n", "    theirs\n")),
			want:   []string{"12:5 12:5 13:5"},
		},
		{
			name: "text in quotes", base: map1 + "  t: \"a\\nb\\nc\\n\"\n",
			ours:   map1 + "  t: \"a\\nours\\nc\\n\"\n",
			theirs: map1 + "  t: \"a\\ntheirs\\nc\\n\"\n",
			want:   []string{"7:3 7:3 8:3"},
		},
		{
			name: "deleted, and changed by them", base: map1 + "  j: 1\n  l: 2\n",
			ours: map1 + "  l: 2\n", theirs: map1 + "  j: 3\n  l: 2\n",
			want: []string{"7:3 7:3 7:3"},
		},
		{
			name: "changed, and deleted by them", base: map1 + "  j: 1\n  l: 2\n",
			ours: map1 + "  j: 3\n  l: 2\n", theirs: map1 + "  l: 2\n",
			want: []string{"7:3 - 8:3"},
		},
		{
			name: "both added", base: map1,
			ours: map1 + "  z: 0\n  j: 1\n", theirs: map1 + "  j: 2\n",
			want: []string{"8:3 7:3 9:3"},
		},
		{
			name: "element of a list without merge keys", base: pod,
			ours:   replace(pod, "    - --a=1\n", "    - --a=1\n    - --ours\n", "--b=1", "--b=2"),
			theirs: replace(pod, "--b=1", "--b=3"),
			want:   []string{"11:5 10:5 12:5"},
		},
		{
			name: "element that we have deleted", base: pod,
			ours: replace(pod, "    - --b=1\n", ""), theirs: replace(pod, "--b=1", "--b=3"),
			want: []string{"10:1 10:1 10:1", "10:5 10:5 10:5"},
		},
		{
			name:   "elements of lists in lists",
			base:   "kind: A\nl:\n- - a\n  - b\n  - c\n- - d\n  - e\n  - f\n",
			ours:   "kind: A\nl:\n- - a\n  - ours\n  - c\n- - d\n  - e\n  - mine\n",
			theirs: "kind: A\nl:\n- - a\n  - theirs\n  - c\n- - d\n  - e\n  - yours\n",
			want:   []string{"4:3 4:3 5:3", "8:3 8:3 13:3"},
		},
		{
			name: "element with a merge key", base: pod,
			ours:   replace(pod, "value: x", "value: ours"),
			theirs: replace(pod, "value: x", "value: theirs"),
			want:   []string{"14:7 14:7 15:7"},
		},
		{
			name: "renamed element", base: pod,
			ours:   replace(pod, "name: proxy", "name: mesh"),
			theirs: replace(pod, "name: proxy", "name: sidecar"),
			want:   []string{"15:1 15:1 16:1", "15:3 15:3 16:3"},
		},
		{
			name: "value in a renamed element", base: pod,
			ours:   replace(pod, "name: proxy", "name: mesh", "proxy:1", "proxy:2"),
			theirs: replace(pod, "proxy:1", "proxy:3"),
			want:   []string{"15:3 16:5 15:3"},
		},
		{
			name:   "resource that we have deleted",
			base:   map1 + map2 + replace(map2, "name: b", "name: c"),
			ours:   map1 + replace(map2, "name: b", "name: c"),
			theirs: map1 + replace(map2, `"1"`, `"3"`) + replace(map2, "name: b", "name: c"),
			want:   []string{"7:1 8:1 7:1"},
		},
		{
			name: "last resource, that we have deleted", base: map1 + map2,
			ours: map1, theirs: map1 + replace(map2, `"1"`, `"3"`),
			want: []string{"6:1 8:1 6:1"},
		},
		{
			name: "resource that they have deleted", base: map1 + map2,
			ours: map1 + replace(map2, `"1"`, `"3"`), theirs: map1,
			want: []string{"13:3 - 14:3"},
		},
		{
			name: "documents in another order", base: map1 + map2,
			ours: map2 + "---\n" + replace(map1, "one", "two"),
			theirs: map1 + replace(map2, `"1"`, `"3"`) + "---\nkind: A\n" + "---\n" +
				replace(map1, "one", "x", "name: a", "name: d"),
			want: nil,
		},
		{
			name: "comments", base: "# what\n" + map1,
			ours: "# ours\n" + replace(map1, "one", "two"), theirs: "# theirs\n" + map1,
			want: []string{"1:1 1:1 2:1"},
		},
		{
			name: "comment in what we have deleted", base: map1 + "  # j\n  j: 1\n  l: 2\n",
			ours: map1 + "  l: 2\n", theirs: map1 + "  # why j\n  j: 1\n  l: 2\n",
			want: []string{"7:1 7:1 7:1", "7:1 7:1 7:1"},
		},
		{
			name: "lines that do not fit together", base: aliased,
			ours:   replace(aliased, "  k: 1\n", "  x: 1\n  k: 1\n"),
			theirs: replace(aliased, "  m: 3\n", "  m: 3\n  x: 2\n"),
			want:   []string{"7:1 6:1 10:1"},
		},
		{
			name: "a text that cannot be read", base: map1 + "  x: [\n",
			ours:   replace(map1, "one", "two") + "  x: [\n",
			theirs: replace(map1, "one", "three") + "  x: [\n",
			want:   []string{"6:1 6:1 7:1"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			marked := mergedText(
				test.base, test.ours, test.theirs, textmerge.Options{Markers: true},
			)
			listed := mergedText(test.base, test.ours, test.theirs, textmerge.Options{})
			var have []string
			for _, c := range marked.Conflicts {
				theirs := "-"
				if c.Theirs.Line > 0 {
					theirs = c.Theirs.String()
				}
				have = append(have, fmt.Sprintf("%v %v %v", c.Ours, theirs, c.Pos))
			}
			for _, l := range listed.Conflicts {
				if !slices.ContainsFunc(marked.Conflicts, func(c textmerge.Conflict) bool {
					return l.Ours == c.Ours && l.Theirs == c.Theirs
				}) {
					t.Errorf("positions %v and %v in the list only", l.Ours, l.Theirs)
				}
				if l.Pos.Line != l.Ours.Line+test.lists {
					t.Errorf("in the result, which is a list, %v is in line %d", l.Ours, l.Pos.Line)
				}
			}
			if !slices.Equal(have, test.want) {
				t.Errorf("positions %q, want %q\n%s", have, test.want, marked.Text)
			}
		})
	}
}

// TestMovedAndDeleted checks that something that one side moved or renamed and the other deleted,
// or moved elsewhere, is a conflict.
func TestMovedAndDeleted(t *testing.T) {
	const base = "kind: A\nspec:\n  a: 1\n  old:\n    x: 1\n    y: 2\n  list:\n  - one\n  - two\n" +
		"  - three\n  - |\n    four\n    and\n    more\n  - five\n"
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	const old, list = "  old:\n    x: 1\n    y: 2\n", "  - one\n  - two\n"
	renamed, deleted := replace("old:", "new:"), replace(old, "")
	moved, removed := replace(list, "  - two\n", "  - three\n", "  - three\n  - one\n"),
		replace(list, "  - two\n")
	tests := []struct {
		name, ours, theirs string
		want               []string // positions in our text, paths
	}{
		{"renamed and deleted", renamed, deleted, []string{"4:3 spec.new"}},
		{"deleted and renamed", deleted, renamed, []string{"4:3 spec.new"}},
		{"renamed by both", renamed, replace("old:", "newer:"), []string{"4:3 spec.newer"}},
		{"renamed by both, equally", renamed, replace("old:", "new:", "a: 1", "a: 2"), nil},
		{
			"renamed and changed, and deleted",
			replace("old:", "new:", "y: 2", "y: 3\n    z: 3\n    u: 4"), deleted, nil,
		},
		{
			"large, renamed and changed, and deleted", replace("list:", "queue:", "- two", "- 2"),
			replace(base[strings.Index(base, "  list"):], ""),
			[]string{"7:3 spec.queue"},
		},
		{
			"large, deleted, and renamed and changed",
			replace(base[strings.Index(base, "  list"):], ""),
			replace("list:", "queue:", "- two", "- 2"),
			[]string{"4:3 spec.queue"},
		},
		{
			"renamed, and something in it deleted", renamed, replace("    y: 2\n", ""),
			[]string{"6:5 spec.old.y"},
		},
		{
			"something in it deleted, and renamed", replace("    y: 2\n", ""), renamed,
			[]string{"5:5 spec.new"},
		},
		{
			"renamed, and something in it changed", renamed, replace("y: 2", "y: 3"),
			[]string{"6:5 spec.old.y"},
		},
		{
			"something in it changed, and renamed", replace("y: 2", "y: 3"), renamed,
			[]string{"6:5 spec.new"},
		},
		{"deleted by both", deleted, replace(old, "", "a: 1", "a: 2"), nil},
		{"moved and removed", moved, removed, []string{"10:3 spec.list.?~h=+49e9fcfb;@2"}},
		{"removed and moved", removed, moved, []string{"8:3 spec.list.?~h=+49e9fcfb;@2"}},
		{
			"removed by both, one added", removed,
			replace(list, "  - two\n", "  - three\n", "  - three\n  - new\n"), nil,
		},
		{
			"text changed, and deleted with its neighbour by us",
			replace("    and\n", "    and so on\n", "  - five\n", ""),
			replace("  - |\n    four\n    and\n    more\n", ""),
			[]string{"11:3 spec.list.?~h=0aaad0ed;@3"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			merged := mergedText(base, test.ours, test.theirs, textmerge.Options{})
			var have []string
			for _, c := range merged.Conflicts {
				have = append(have, fmt.Sprintf("%v %s", c.Ours, c.Value.Path))
			}
			if !slices.Equal(have, test.want) {
				t.Errorf("conflicts %q, want %q\n%s", have, test.want, merged.Text)
			}
			if len(test.want) > 0 && string(merged.Text) != test.ours {
				t.Errorf("ours does not stay:\n%s", merged.Text)
			}
			marked := string(
				mergedText(base, test.ours, test.theirs, textmerge.Options{Markers: true}).Text,
			)
			if strings.Contains(marked, "<<<<<<<") != (len(test.want) > 0) {
				t.Errorf("markers:\n%s", marked)
			}
			// What is left of it has our name.
			theirs := strings.Replace(chosen(marked, true), "new:", "old:", 1)
			if len(test.want) > 0 &&
				(chosen(marked, false) != test.ours || !strings.HasPrefix(
					strings.Replace(test.theirs, "new:", "old:", 1), theirs,
				)) {
				t.Errorf("the sides are not those of the texts:\n%s", marked)
			}
		})
	}
}
