package yamlkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// TestPlacesOfConflicts: every conflict has a place in our text, in theirs where it is there, and in the result.
func TestPlacesOfConflicts(t *testing.T) {
	const map1 = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n"
	const script = map1 + "  run: |\n    set -e\n    a\n\n    b\n    c\n    d\n"
	const map2 = "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  x: \"1\"\n  y: \"2\"\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: web\n    args:\n    - --a=1\n    - --b=1\n    - --c=1\n" +
		"    env:\n    - name: A\n      value: x\n  - name: proxy\n    image: proxy:1\n    tty: true\n    stdin: true\n"
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
		// want has, for each conflict, its places in our text, in theirs and in the result with markers. In the result without markers a
		// conflict is where it is in our text, moved by as many lines as lists tells.
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
			ours: replace(map1, "one", "two", "\ndata:\n", "\ndata:\n  # why\n  j: 1\n"), theirs: "# a\n# b\n" + replace(map1, "one", "three"),
			want: []string{"8:3 8:3 11:3"}, lists: 2,
		},
		{
			name: "text, line by line", base: script,
			ours: replace(script, "    c\n", "    ours\n", "    a\n", "    a\n    more\n"), theirs: replace(script, "    c\n", "    theirs\n"),
			want: []string{"13:5 12:5 17:5"},
		},
		{
			name: "text, CRLF", base: crlf(script),
			ours: crlf(replace(script, "    c\n", "    ours\n")), theirs: crlf(replace(script, "    c\n", "    theirs\n")),
			want: []string{"12:5 12:5 13:5"},
		},
		{
			name: "text in quotes", base: map1 + "  t: \"a\\nb\\nc\\n\"\n",
			ours: map1 + "  t: \"a\\nours\\nc\\n\"\n", theirs: map1 + "  t: \"a\\ntheirs\\nc\\n\"\n",
			want: []string{"7:3 7:3 8:3"},
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
			ours: replace(pod, "    - --a=1\n", "    - --a=1\n    - --ours\n", "--b=1", "--b=2"), theirs: replace(pod, "--b=1", "--b=3"),
			want: []string{"11:5 10:5 12:5"},
		},
		{
			name: "element that we have deleted", base: pod,
			ours: replace(pod, "    - --b=1\n", ""), theirs: replace(pod, "--b=1", "--b=3"),
			want: []string{"10:1 10:1 10:1", "10:5 10:5 10:5"},
		},
		{
			name: "element with a merge key", base: pod,
			ours: replace(pod, "value: x", "value: ours"), theirs: replace(pod, "value: x", "value: theirs"),
			want: []string{"14:7 14:7 15:7"},
		},
		{
			name: "element that got another name", base: pod,
			ours: replace(pod, "name: proxy", "name: mesh"), theirs: replace(pod, "name: proxy", "name: sidecar"),
			want: []string{"15:1 15:1 16:1", "15:3 15:3 16:3"},
		},
		{
			name: "value in an element that got another name", base: pod,
			ours: replace(pod, "name: proxy", "name: mesh", "proxy:1", "proxy:2"), theirs: replace(pod, "proxy:1", "proxy:3"),
			want: []string{"15:3 16:5 15:3"},
		},
		{
			name: "resource that we have deleted", base: map1 + map2 + replace(map2, "name: b", "name: c"),
			ours: map1 + replace(map2, "name: b", "name: c"), theirs: map1 + replace(map2, `"1"`, `"3"`) + replace(map2, "name: b", "name: c"),
			want: []string{"7:1 8:1 7:1"},
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
			ours: map2 + "---\n" + replace(map1, "one", "two"), theirs: map1 + replace(map2, `"1"`, `"3"`) + "---\nkind: A\n" + "---\n" + replace(map1, "one", "x", "name: a", "name: d"),
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
			name: "lines that do not go together", base: aliased,
			ours: replace(aliased, "  k: 1\n", "  x: 1\n  k: 1\n"), theirs: replace(aliased, "  m: 3\n", "  m: 3\n  x: 2\n"),
			want: []string{"7:1 6:1 10:1"},
		},
		{
			name: "what cannot be read", base: map1 + "  x: [\n",
			ours: replace(map1, "one", "two") + "  x: [\n", theirs: replace(map1, "one", "three") + "  x: [\n",
			want: []string{"6:1 6:1 7:1"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			marked := mergedText(test.base, test.ours, test.theirs, yamlkit.MergeTextOptions{Markers: true})
			listed := mergedText(test.base, test.ours, test.theirs, yamlkit.MergeTextOptions{})
			var have []string
			for _, c := range marked.Conflicts {
				theirs := "-"
				if c.Theirs.Line > 0 {
					theirs = c.Theirs.String()
				}
				have = append(have, fmt.Sprintf("%v %v %v", c.Ours, theirs, c.Pos))
			}
			for _, l := range listed.Conflicts {
				if !slices.ContainsFunc(marked.Conflicts, func(c yamlkit.TextConflict) bool { return l.Ours == c.Ours && l.Theirs == c.Theirs }) {
					t.Errorf("places %v and %v in the list only", l.Ours, l.Theirs)
				}
				if l.Pos.Line != l.Ours.Line+test.lists {
					t.Errorf("in the result, which is a list, %v is in line %d", l.Ours, l.Pos.Line)
				}
			}
			if !slices.Equal(have, test.want) {
				t.Errorf("places %q, want %q\n%s", have, test.want, marked.Text)
			}
		})
	}
}
