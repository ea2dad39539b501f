package textmerge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// mergedText merges Kubernetes texts.
func mergedText(base, ours, theirs string, options textmerge.Options) *textmerge.Merged {
	return textmerge.Merge(
		[]byte(base), []byte(ours), []byte(theirs), k8skit.Converter{}, k8skit.K8sResourceProvider,
		options,
	)
}

func TestMergeTexts(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  # how long\n" +
		"  grace: 30\n  containers:\n  - name: web\n    image: web:1 # pinned\n"
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(pod) }
	added := func(name string) string {
		return "---\n# " + name + "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
			"}\n"
	}
	const sidecar = "  - name: mesh\n    image: mesh:1\n    ports: [80]\n    tty: true\n" +
		"    stdin: true\n"
	const aliased = "kind: A\nd: &d\n  k: 1\n  l: 2\n  m: 3\ne: *d\n"
	const list = "kind: A\nspec:\n  - a: 1 # one\n    b: 2\n    c: 3\n"
	long := func(n int) string {
		text := "kind: A\nspec:\n"
		for i := range n {
			text += fmt.Sprintf("  - name: %d\n    port: 80\n", i)
		}
		return text
	}
	tests := []struct {
		name, base, ours, theirs string
		want                     string
		conflicts                []string // line: what it is
	}{
		{
			name: "neighbours", base: pod,
			ours:   replace("grace: 30", "grace: 60"),
			theirs: replace("# how long", "# how long to wait"),
			want:   replace("# how long", "# how long to wait", "grace: 30", "grace: 60"),
		},
		{
			name: "value and comment of one line", base: pod,
			ours: replace("web:1", "web:2"), theirs: replace("# pinned", "# pinned, see #12"),
			want: replace("web:1", "web:2", "# pinned", "# pinned, see #12"),
		},
		{
			name: "key moved, value changed", base: pod,
			ours: replace(
				"  # how long\n  grace: 30\n", "", "# pinned\n",
				"# pinned\n  # how long\n  grace: 30\n",
			),
			theirs: replace("grace: 30", "grace: 60"),
			want: replace(
				"  # how long\n  grace: 30\n", "", "# pinned\n",
				"# pinned\n  # how long\n  grace: 60\n",
			),
		},
		{
			name: "both add keys with comments", base: pod,
			ours:   replace("grace: 30\n", "grace: 30\n  # ours\n  a: 1\n"),
			theirs: replace("grace: 30\n", "grace: 30\n  # theirs\n  b: 1 # x\n"),
			want:   replace("grace: 30\n", "grace: 30\n  # theirs\n  b: 1 # x\n  # ours\n  a: 1\n"),
		},
		{
			name: "both add containers", base: pod,
			ours:   pod + "  - name: a\n    image: a # ours\n",
			theirs: pod + "  # theirs\n  - name: b\n    image: b\n",
			want: pod +
				"  # theirs\n  - name: b\n    image: b\n  - name: a\n    image: a # ours\n",
		},
		{
			name: "both add documents", base: pod,
			ours: pod + added("ours"), theirs: pod + added("theirs"),
			want: pod + added("theirs") + added("ours"),
		},
		{
			name: "both add the same with comments", base: pod,
			ours:   replace("grace: 30\n", "grace: 30\n  # ours\n  a: 1\n"),
			theirs: replace("grace: 30\n", "grace: 30\n  a: 1 # theirs\n"),
			want:   replace("grace: 30\n", "grace: 30\n  # ours\n  a: 1 # theirs\n"),
		},
		{
			name: "quotes and blank lines", base: pod,
			ours: replace("web:1", "web:2"),
			theirs: replace(
				"kind: Pod", "kind: \"Pod\"", "web:1", "\"web:1\"", "  containers",
				"\n  containers",
			),
			want: replace(
				"kind: Pod", "kind: \"Pod\"", "web:1", "\"web:2\"", "  containers",
				"\n  containers",
			),
		},
		{
			name: "line ends of theirs", base: pod,
			ours: replace("web:1", "web:2"), theirs: strings.ReplaceAll(pod, "\n", "\r\n"),
			want: strings.ReplaceAll(replace("web:1", "web:2"), "\n", "\r\n"),
		},
		{
			name: "no final line end", base: pod,
			ours:   replace("grace: 30", "grace: 60"),
			theirs: strings.TrimSuffix(replace("how long", "how long?"), "\n"),
			want: strings.TrimSuffix(
				replace("how long", "how long?", "grace: 30", "grace: 60"), "\n",
			),
		},
		{
			name: "line ends of ours, everything else of theirs", base: pod,
			ours:   strings.ReplaceAll(pod, "\n", "\r\n"),
			theirs: "# all\n\n" + replace("web:1", "web:2", "# how long", "# how long?"),
			want: strings.ReplaceAll(
				"# all\n\n"+replace("web:1", "web:2", "# how long", "# how long?"), "\n", "\r\n",
			),
		},
		{
			name: "no final line end, and the last line changed", base: pod,
			ours: strings.TrimSuffix(pod, "\n"), theirs: replace("# pinned", "# pinned, see #12"),
			want: strings.TrimSuffix(replace("# pinned", "# pinned, see #12"), "\n"),
		},
		{
			name: "a final line end, and lines added", base: strings.TrimSuffix(pod, "\n"),
			ours: pod, theirs: pod + "# the end",
			want: pod + "# the end\n",
		},
		{
			name: "documents in the order of theirs, changed by us",
			base: pod + added("a") + added("b"),
			ours: replace("how long", "how long?", "web:1", "web:2") + added("a") +
				"# end of a\n" + added("b"),
			theirs: strings.TrimPrefix(added("b"), "---\n") + "---\n" +
				replace("# pinned", "# fixed") + added("a"),
			want: strings.TrimPrefix(added("b"), "---\n") + "---\n" +
				replace("how long", "how long?", "web:1", "web:2", "# pinned", "# fixed") +
				added("a") + "# end of a\n",
		},
		{
			name: "documents in our order, changed by them", base: pod + added("a") + added("b"),
			ours: pod + added("b") + added("a"),
			theirs: replace("how long", "how long?") + added("a") + "more: 1 # theirs\n" +
				added("c") + added("b"),
			want: replace("how long", "how long?") + added("b") + added("a") +
				"more: 1 # theirs\n" + added("c"),
		},
		{
			name: "a key moved after a new one", base: pod,
			ours: replace(
				"  # how long\n  grace: 30\n", "", "# pinned\n",
				"# pinned\n  # how long\n  grace: 60 # s\n",
			),
			theirs: replace("  grace: 30\n", "  grace: 30\n  # why\n  more: 1\n"),
			want: replace(
				"  # how long\n  grace: 30\n", "", "# pinned\n",
				"# pinned\n  # how long\n  grace: 60 # s\n  # why\n  more: 1\n",
			),
		},
		{
			name: "keys of a container moved, a comment changed", base: pod + sidecar,
			ours: pod +
				"  - name: mesh\n    tty: true\n    image: mesh:1\n    ports: [80]\n" +
				"    stdin: true\n",
			theirs: pod + strings.Replace(sidecar, "mesh:1", "mesh:1 # new", 1),
			want: pod +
				"  - name: mesh\n    tty: true\n    image: mesh:1 # new\n    ports: [80]\n" +
				"    stdin: true\n",
		},
		{
			name: "conflict of values", base: pod,
			ours:   replace("grace: 30", "grace: 60", "# pinned", "# ours"),
			theirs: replace("grace: 30", "grace: 90", "how long", "how long?"),
			want: replace(
				"how long", "how long?", "  grace: 30\n",
				"<<<<<<< us\n  grace: 60\n=======\n  grace: 90\n>>>>>>> them\n", "# pinned",
				"# ours",
			),
			conflicts: []string{"7 Subtracted spec.grace"},
		},
		{
			name: "deleted and changed", base: pod,
			ours:   replace("web:1", "web:2"),
			theirs: replace("  containers:\n  - name: web\n    image: web:1 # pinned\n", ""),
			want: replace("  containers:\n  - name: web\n    image: web:1 # pinned\n",
				"<<<<<<< us\n  containers:\n  - name: web\n    image: web:2 # pinned\n=======\n"+
					">>>>>>> them\n"),
			conflicts: []string{"10 Subtracted spec.containers.?name=web;@0.image"},
		},
		{
			name: "changed and deleted", base: pod,
			ours:   replace("  # how long\n  grace: 30\n", ""),
			theirs: replace("grace: 30", "grace: 60"),
			want: replace(
				"  # how long\n  grace: 30\n",
				"<<<<<<< us\n=======\n  # how long\n  grace: 60\n>>>>>>> them\n",
			),
			conflicts: []string{"5 Subtracted spec.grace"},
		},
		{
			name: "conflict of comments", base: pod,
			ours:   replace("how long", "how long it may take"),
			theirs: replace("how long", "how much time", "grace: 30", "grace: 60"),
			want: replace(
				"  # how long\n  grace: 30",
				"<<<<<<< us\n  # how long it may take\n=======\n  # how much time\n>>>>>>> them\n"+
					"  grace: 60",
			),
			conflicts: []string{"6 lines"},
		},
		{
			name: "comment in what was deleted", base: pod,
			ours:   replace("  # how long\n  grace: 30\n", "  other: 1\n"),
			theirs: replace("grace: 30", "grace: 30 # seconds"),
			want: replace(
				"  # how long\n  grace: 30\n",
				"<<<<<<< us\n  other: 1\n=======\n  # how long\n  grace: 30 # seconds\n"+
					">>>>>>> them\n",
			),
			conflicts: []string{"6 lines", "6 lost # seconds"},
		},
		{
			name: "document deleted and changed", base: pod + "---\nkind: A\nb: 1\n",
			ours: pod, theirs: pod + "---\nkind: A\nb: 2\n",
			want:      pod + "<<<<<<< us\n=======\n---\nkind: A\nb: 2\n>>>>>>> them\n",
			conflicts: []string{"9 Subtracted "},
		},
		{
			name: "renamed and changed", base: pod + added("more"),
			ours:   replace("name: web}", "name: shop}") + added("more"),
			theirs: replace("grace: 30", "grace: 60", "how long", "how long?") + added("more"),
			want: replace(
				"name: web}", "name: shop}", "grace: 30", "grace: 60", "how long", "how long?",
			) +
				added("more"),
		},
		{
			name: "element renamed and deleted", base: pod + sidecar,
			ours: pod + strings.Replace(sidecar, "name: mesh", "name: proxy", 1), theirs: pod,
			want: pod + "<<<<<<< us\n" +
				strings.Replace(sidecar, "name: mesh", "name: proxy", 1) +
				"=======\n>>>>>>> them\n",
			conflicts: []string{"11 Subtracted spec.containers"},
		},
		{
			name: "deleted in what they deleted", base: pod + sidecar,
			ours: pod + strings.Replace(sidecar, "    ports: [80]\n", "", 1), theirs: pod,
			want: pod,
		},
		{
			name: "deleted around what they deleted",
			base: pod + added("more") + "data: {a: 1, b: 2}\n",
			ours: pod, theirs: pod + added("more") + "data: {a: 1}\n",
			want: pod,
		},
		{
			name: "document in front, comment changed", base: pod,
			ours:   "kind: A\nb: 1\n---\n" + replace("grace: 30", "grace: 60"),
			theirs: replace("how long", "how long?", "web:1", "web:2"),
			want: "kind: A\nb: 1\n---\n" +
				replace("grace: 30", "grace: 60", "how long", "how long?", "web:1", "web:2"),
		},
		{
			name: "new indentation, comment and key added", base: pod,
			ours: replace(
				"  - name: web\n    image: web:1 #", "    - name: web\n      image: web:2 #",
			),
			theirs: replace(
				"  - name: web\n", "  # theirs\n  - name: web\n    tty: true # for us\n",
			),
			want: replace(
				"  - name: web\n    image: web:1 #",
				"    # theirs\n    - name: web\n      tty: true # for us\n      image: web:2 #",
			),
		},
		{
			name: "new indentation, comments of both", base: list + "  - x: 1\n    y: 2\n",
			ours: strings.ReplaceAll(
				strings.Replace(list, "    b: 2\n", "    # ours\n    b: 2\n", 1)+
					"  - x: 1\n    y: 2\n",
				"\n  ", "\n    ",
			),
			theirs: strings.Replace(list, "# one", "# a one", 1) +
				"  # theirs\n  - x: 1\n    y: 2 # two\n",
			want: strings.ReplaceAll(strings.NewReplacer(
				"    b: 2\n", "    # ours\n    b: 2\n", "# one", "# a one",
			).Replace(list)+
				"  # theirs\n  - x: 1\n    y: 2 # two\n", "\n  ", "\n    "),
		},
		{
			name: "key added in a list without merge keys", base: list,
			ours:   strings.ReplaceAll(list, "\n  ", "\n    "),
			theirs: strings.Replace(list, "    b: 2\n", "    b: 2\n    # new\n    d: 4\n", 1),
			want: strings.ReplaceAll(
				strings.Replace(list, "    b: 2\n", "    b: 2\n    # new\n    d: 4\n", 1), "\n  ",
				"\n    ",
			),
		},
		{
			name: "long list without merge keys", base: long(60),
			ours: strings.Replace(
				long(60), "  - name: 5\n", "  - name: new\n    port: 80\n  - name: 5\n", 1,
			) +
				"  - name: last\n    port: 80\n",
			theirs: strings.Replace(
				long(60), "name: 30\n    port: 80", "name: 30\n    port: 81 # why", 1,
			),
			want: strings.NewReplacer(
				"  - name: 5\n", "  - name: new\n    port: 80\n  - name: 5\n",
				"name: 30\n    port: 80", "name: 30\n    port: 81 # why",
			).Replace(long(60)) +
				"  - name: last\n    port: 80\n",
		},
		{
			name: "no base", base: "",
			ours: pod, theirs: replace("grace: 30", "grace: 60\n  more: 1"),
			want: replace(
				"  grace: 30\n",
				"<<<<<<< us\n  grace: 30\n=======\n  grace: 60\n>>>>>>> them\n  more: 1\n",
			),
			conflicts: []string{"7 BothAdded spec.grace"},
		},
		{
			name: "a document that is one value", base: "1\n",
			ours: "2\n", theirs: "3\n",
			want:      "<<<<<<< us\n2\n=======\n3\n>>>>>>> them\n",
			conflicts: []string{"2 Subtracted "},
		},
		{
			name: "plain text", base: "one\n\ntwo\n\nthree\n",
			ours: "one!\n\ntwo!\n\nthree\n", theirs: "one?\n\ntwo\n\nthree?\n",
			want:      "<<<<<<< us\none!\n=======\none?\n>>>>>>> them\n\ntwo!\n\nthree?\n",
			conflicts: []string{"2 lines"},
		},
		{
			name: "lines that do not fit together", base: aliased,
			ours:   strings.Replace(aliased, "  k: 1\n", "  x: 1\n  k: 1\n", 1),
			theirs: strings.Replace(aliased, "  m: 3\n", "  m: 3\n  x: 2\n", 1),
			want: "kind: A\nd: &d\n<<<<<<< us\n  x: 1\n=======\n>>>>>>> them\n  k: 1\n  l: 2\n" +
				"  m: 3\n" +
				"<<<<<<< us\n=======\n  x: 2\n>>>>>>> them\ne: *d\n",
			conflicts: []string{"10 lines"},
		},
		{
			name: "neighbours in a text with aliases", base: aliased,
			ours: strings.Replace(aliased, "  k: 1\n", "  k: 5\n  n: 1 # ours\n", 1),
			theirs: strings.Replace(aliased, "  l: 2\n", "  l: 6\n  # theirs\n  o: 1\n", 1) +
				"f: 1\n",
			want: "kind: A\nd: &d\n  k: 5\n  n: 1 # ours\n  l: 6\n  # theirs\n  o: 1\n  m: 3\n" +
				"e: *d\nf: 1\n",
		},
		{
			name: "both add to a text with aliases", base: aliased,
			ours:   aliased + "f: 1 # ours\n",
			theirs: strings.Replace(aliased, "  k: 1\n", "  k: 5\n", 1) + "g: 1\n",
			want:   strings.Replace(aliased, "  k: 1\n", "  k: 5\n", 1) + "g: 1\nf: 1 # ours\n",
		},
		{
			name: "conflict in a text with aliases", base: aliased,
			ours:   strings.Replace(aliased, "  k: 1\n", "  k: 5\n", 1),
			theirs: strings.Replace(aliased, "  k: 1\n", "  k: 6\n", 1) + "f: 1\n",
			want: "kind: A\nd: &d\n<<<<<<< us\n  k: 5\n=======\n  k: 6\n>>>>>>> them\n" +
				"  l: 2\n  m: 3\ne: *d\nf: 1\n",
			conflicts: []string{"4 lines"},
		},
		{
			name: "a change in a list that they turned into a map", base: list,
			ours:   strings.Replace(list, "b: 2", "b: 3", 1) + "  - d: 4\n",
			theirs: "kind: A\nspec:\n  x: 1\n",
			want: "kind: A\nspec:\n<<<<<<< us\n  - a: 1 # one\n    b: 3\n    c: 3\n  - d: 4\n" +
				"=======\n  x: 1\n>>>>>>> them\n",
			conflicts: []string{
				"5 Subtracted spec.?~h=e6a3385f;@0.b", "7 Subtracted spec.?~h=+6c85e6ee;@1",
			},
		},
		{
			name: "a text that cannot be read", base: pod + "x: [\n",
			ours:   replace("web:1", "web:2") + "x: [\n",
			theirs: replace("web:1", "web:3", "30", "60") + "x: [\n",
			want: replace(
				"30", "60", "    image: web:1 # pinned\n",
				"<<<<<<< us\n    image: web:2 # pinned\n=======\n    image: web:3 # pinned\n"+
					">>>>>>> them\n",
			) +
				"x: [\n",
			conflicts: []string{"10 lines"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			merged := mergedText(test.base, test.ours, test.theirs, textmerge.Options{
				Markers: true, Ours: "us", Theirs: "them",
			})
			if d := cmp.Diff(test.want, string(merged.Text)); d != "" {
				t.Errorf("-want +have\n%s", d)
			}
			var conflicts []string
			for _, c := range merged.Conflicts {
				text := fmt.Sprint(c.Pos.Line)
				switch {
				case c.Value != nil:
					text += fmt.Sprintf(" %s %s", c.Value.Reason, c.Value.Path)
				case c.Lost != "":
					text += " lost " + c.Lost
				default:
					text += " lines"
				}
				conflicts = append(conflicts, text)
			}
			if !slices.Equal(conflicts, test.conflicts) {
				t.Errorf("conflicts %q, want %q", conflicts, test.conflicts)
			}
			// What only one side changed is taken byte for byte.
			for _, one := range []string{test.ours, test.theirs} {
				a := mergedText(test.base, one, test.base, textmerge.Options{})
				b := mergedText(test.base, test.base, one, textmerge.Options{})
				if string(a.Text) != one || string(b.Text) != one ||
					len(a.Conflicts)+len(b.Conflicts) > 0 {
					t.Errorf("%q and %q instead of %q", a.Text, b.Text, one)
				}
			}
		})
	}
}

// chosen resolves all conflicts of a text with markers in favour of one side.
func chosen(text string, theirs bool) string {
	var b strings.Builder
	keep := true
	for row := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(row, "<<<<<<<"):
			keep = !theirs
		case strings.HasPrefix(row, "======="):
			keep = theirs
		case strings.HasPrefix(row, ">>>>>>>"):
			keep = true
		case keep:
			b.WriteString(row)
		}
	}
	return b.String()
}
