package krm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const deployment = `# License

apiVersion: apps/v1 # version
kind: Deployment
metadata:
    name: web
    annotations: {team: "1"}
spec:
    replicas: 3 # the user's
    mode: 0755
    on: yes
    template:
        spec:
            containers:
            # the main one
            - name: main
              image: 'nginx:1' # pinned
            - name: side
              image: b
            args: [a, b, c]
            list:
            - one # first
            - two
`

// F1, F7, F8, F11, F12, A3, A4, W3: what a function returns changes the lines it is about.
func TestReturnedResourcesAreEdits(t *testing.T) {
	replace := func(old, with string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				panic("nothing to replace in\n" + text)
			}
			return strings.Replace(text, old, with, 1)
		}
	}
	for name, c := range map[string]struct {
		edit func(string) string
		old  string // in the file
		with string
	}{
		"F1 nothing": {func(s string) string { return s }, "", ""},
		"F1 other layout, quotes and order of keys": {func(s string) string {
			s = strings.ReplaceAll(s, "'nginx:1' # pinned", `"nginx:1"`)
			s = strings.ReplaceAll(s, "                image: b\n", "")
			return strings.ReplaceAll(s, "            - name: side\n",
				"            - image: b\n                name: side\n")
		}, "", ""},
		"F7 a value keeps its comment": {
			replace("replicas: 3 # the user's", "replicas: 5"),
			"replicas: 3", "replicas: 5",
		},
		"F7 a changed comment wins": {
			replace("# the user's", "# kpt-set: ${replicas}"),
			"# the user's", "# kpt-set: ${replicas}",
		},
		"F7 a new comment at an equal value": {
			replace("image: b", "image: b # new"), "image: b",
			"image: b # new",
		},
		"F7 the comment of a deleted field goes": {
			replace("replicas: 3 # the user's\n", "X: 1\n"), "replicas: 3 # the user's", "X: 1",
		},
		"F7 list elements by merge key": {
			replace("- name: main\n", "- name: first\n                image: f\n"+
				"              - name: main\n"),
			"            # the main one\n",
			"            - name: first\n              image: f\n            # the main one\n",
		},
		"F7 scalars by value": {
			replace("- one # first", "- zero\n              - one"),
			"- one # first", "- zero\n            - one # first",
		},
		"F8 a new key follows its neighbour": {
			replace("kind: Deployment", "kind: Deployment\n  extra: 1"), "kind: Deployment",
			"kind: Deployment\nextra: 1",
		},
		"F11 numbers as they are written": {replace("mode: 0755", "mode: 493"), "", ""},
		"F12 an annotation is a string": {
			replace(`team: "1"`, `team: 1, b: 2, c: true`),
			`{team: "1"}`, `{team: "1", b: "2", c: "true"}`,
		},
		"F12 a string like a boolean": {replace("on: yes", `on: "no"`), "on: yes", `on: "no"`},
		"A4 an annotation that is removed": {
			replace(`team: "1", `, ""),
			"    annotations: {team: \"1\"}\n", "",
		},
		"A4 a string annotation as a number": {replace(`team: "1"`, `team: 1`), "", ""},
		"F11 a word as YAML 1.1 reads it":    {replace("on: yes", "on: true"), "", ""},
		"F11 another word": {
			replace("on: yes", "on: false"), "on: yes",
			"on: false",
		},
		"F11 a flow list stays one": {replace("[a, b, c]", "[a, c]"), "[a, b, c]", "[a, c]"},
		"an empty document marker does not harm": {func(s string) string {
			return "---\n" + s
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPackage(t, map[string]string{"d.yaml": deployment})
			items, err := returned(t, p, c.edit)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.old != "" {
				want = "== d.yaml\n" + strings.Replace(deployment, c.old, c.with, 1)
			}
			if have := changes(t, p, items); have != want {
				t.Errorf("changed to\n%s\nwant\n%s", have, want)
			}
		})
	}
}

const twoDocuments = "a: b\r\n---\r\napiVersion: v1\r\nkind: A\r\nmetadata:\r\n  name: a\r\n" +
	"---\r\n# only a comment\r\n---\r\napiVersion: v1\r\nkind: B\r\nmetadata: {name: b}\r\n"

// The rules of files: F1 to F6, K3, A2.
func TestFiles(t *testing.T) {
	item := func(path, index, name string) string {
		text := "- apiVersion: v1\n  kind: New\n  metadata:\n    name: " + name + "\n"
		if path != "" {
			text += "    annotations:\n      internal.config.kubernetes.io/path: " + path + "\n"
			if index != "" {
				text += "      internal.config.kubernetes.io/index: '" + index + "'\n"
			}
		}
		return text
	}
	add := func(items ...string) func(string) string {
		return func(s string) string { return s + strings.Join(items, "") }
	}
	without := func(kinds ...string) func(string) string {
		return func(s string) string {
			parts := strings.Split(s, "\n- ")
			kept := parts[:1]
			for _, part := range parts[1:] {
				gone := false
				for _, kind := range kinds {
					gone = gone || strings.Contains(part, "kind: "+kind)
				}
				if !gone {
					kept = append(kept, part)
				}
			}
			if len(kept) == 1 {
				return strings.Replace(kept[0], "items:", "items: []", 1)
			}
			return strings.Join(kept, "\n- ")
		}
	}
	move := func(from, to string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, from, to) }
	}
	newPath, oldPath := "internal.config.kubernetes.io/path: two.yaml",
		"  config.kubernetes.io/path: two.yaml"
	for name, c := range map[string]struct {
		edit func(string) string
		want string
	}{
		"F1 the same": {func(s string) string { return s }, ""},
		"F2 a document is removed": {without("A"), "== two.yaml\na: b\r\n---\r\n" +
			"# only a comment\r\n---\r\napiVersion: v1\r\nkind: B\r\nmetadata: {name: b}\r\n"},
		"F2 a comment document stays": {
			without("A", "B"),
			"== two.yaml\na: b\r\n---\r\n# only a comment\r\n",
		},
		"F2 a file without documents is deleted": {without("C"), "== c.yaml\ndeleted\n"},
		"F3 appended": {
			add(item("c.yaml", "", "n")),
			"== c.yaml\napiVersion: v1\nkind: C\nmetadata:\n  name: c\n---\napiVersion: v1\n" +
				"kind: New\nmetadata:\n  name: n\n",
		},
		"F3 appended to a file with CRLF": {add(item("two.yaml", "", "n")), "== two.yaml\n" +
			twoDocuments + "---\r\napiVersion: v1\r\nkind: New\r\nmetadata:\r\n  name: n\r\n"},
		"F3 a file with comments only": {
			add(item("none.yaml", "0", "n")),
			"== none.yaml\n# only a comment\n---\napiVersion: v1\nkind: New\nmetadata:\n" +
				"  name: n\n",
		},
		"F3 a new file": {add(item("x/y.yaml", "", "n"),
			item("x/y.yaml", "", "m")), "== x/y.yaml\napiVersion: v1\nkind: New\nmetadata:\n" +
			"  name: n\n---\napiVersion: v1\nkind: New\nmetadata:\n  name: m\n"},
		"F4 dots in a name": {
			add(item("a..b.yaml", "", "n")),
			"== a..b.yaml\napiVersion: v1\nkind: New\nmetadata:\n  name: n\n",
		},
		"F4 above": {
			add(item("../x.yaml", "", "n")),
			`error New n: the path "../x.yaml" leads out of the directory`,
		},
		"F4 git": {
			add(item("a/.git/hooks/x.yaml", "", "n")),
			`error New n: the path "a/.git/hooks/x.yaml" is inside of .git`,
		},
		"F4 git in other letters": {
			add(item("a/.GIT/hooks/x.yaml", "", "n")),
			`error New n: the path "a/.GIT/hooks/x.yaml" is inside of .git`,
		},
		"F4 git as a stream of NTFS": {
			add(item(".git::$INDEX_ALLOCATION/x.yaml", "", "n")),
			`error New n: the path ".git::$INDEX_ALLOCATION/x.yaml" is inside of .git`,
		},
		"F4 git with a character that HFS+ ignores": {
			add(item(".g\u200cit/x.yaml", "", "n")),
			`error New n: the path ".g\u200cit/x.yaml" is inside of .git`,
		},
		"F4 git by its short name": {
			add(item("git~1/hooks/x.yaml", "", "n")),
			`error New n: the path "git~1/hooks/x.yaml" is inside of .git`,
		},
		"records of a workspace": {
			add(item("a/.fctl/journal", "", "n")),
			`error New n: the path "a/.fctl/journal" is inside of .fctl`,
		},
		"records of a workspace, in other letters": {
			add(item(".FCTL./undo/9", "", "n")),
			`error New n: the path ".FCTL./undo/9" is inside of .fctl`,
		},
		"settings of a project": {
			add(item("a/.FCTL.yaml", "", "n")),
			`error New n: the path "a/.FCTL.yaml" is that of settings of fctl`,
		},
		"a link to a missing file": {
			add(item("dangling.yaml", "", "n")),
			`error New n: the path "dangling.yaml" leads through a symbolic link to a missing ` +
				"file: dangling.yaml",
		},
		"F4 above after a directory": {
			add(item("a/../../x.yaml", "", "n")),
			`error New n: the path "a/../../x.yaml" leads out of the directory`,
		},
		"F4 absolute": {
			add(item("/etc/x.yaml", "", "n")),
			`error New n: the path "/etc/x.yaml" is absolute; it must be relative to the ` +
				`directory of the resources`,
		},
		"F4 too long": {
			add(item(strings.Repeat("x", 300), "", "n")),
			`error New n: the path "` + strings.Repeat("x", 300) + `" is too long`,
		},
		"F4 a control character": {
			add(item(`"a\tb"`, "", "n")),
			`error New n: the path "a\tb" has a character that a path cannot have`,
		},
		"F4 a directory": {add(item("sub", "", "n")), `error New n: the path "sub" is a directory`},
		"F4 ends in a slash": {
			add(item("new/", "", "n")),
			`error New n: the path "new/" ends in a slash; it must name a file`,
		},
		"F4 through a file": {
			add(item("c.yaml/x.yaml", "", "n")),
			`error New n: the path "c.yaml/x.yaml" leads through the file c.yaml`,
		},
		"F5 the same place": {
			add(item("c.yaml", "0", "n")),
			`error New n: a resource at path "c.yaml" and index 0 already exists`,
		},
		"F6 moved by one family": {move(newPath, strings.Replace(newPath, "two",
			"moved", 1)), "== moved.yaml\na: b\r\n---\r\napiVersion: v1\r\nkind: A\r\n" +
			"metadata:\r\n  name: a\r\n---\r\n# only a comment\r\n---\r\napiVersion: v1\r\n" +
			"kind: B\r\nmetadata: {name: b}\r\n== two.yaml\ndeleted\n"},
		"F6 moved by the other": {move(oldPath, strings.Replace(oldPath, "two",
			"moved", 1)), "== moved.yaml\na: b\n---\napiVersion: v1\nkind: A\nmetadata:\n" +
			"  name: a\n== two.yaml\n---\n# only a comment\n---\napiVersion: v1\nkind: B\n" +
			"metadata: {name: b}\n"},
		"A2 one family is deleted": {move(oldPath, "  x: y"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPackage(t, map[string]string{
				"two.yaml":   twoDocuments,
				"c.yaml":     "apiVersion: v1\nkind: C\nmetadata:\n  name: c\n",
				"sub/d.yaml": "apiVersion: v1\nkind: D\nmetadata:\n  name: d\n",
				"none.yaml":  "# only a comment\n",
			})
			if err := os.Symlink("missing.yaml", filepath.Join(p.Root, "dangling.yaml")); err != nil {
				t.Fatal(err)
			}
			items, err := returned(t, p, c.edit)
			if err != nil {
				t.Fatal(err)
			}
			have := changes(t, p, items)
			if name == "A2 one family is deleted" {
				have = strings.ReplaceAll(have, "x: y", "")
				if strings.Contains(have, "deleted") || strings.Contains(have, "moved") {
					t.Errorf("changed to\n%s", have)
				}
				return
			}
			if name == "F6 moved by one family" || name == "F6 moved by the other" {
				// two documents of one file have the same annotations, so both move; the comment
				// document goes with what follows it
				have = strings.ReplaceAll(have, "\r", "")
				c.want = strings.ReplaceAll(c.want, "\r", "")
			}
			if have != c.want {
				t.Errorf("changed to\n%q\nwant\n%q", have, c.want)
			}
		})
	}
}

// K3, W5, A2: what a function must not return.
func TestReturnedItemsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		old, with, want string
	}{
		"K3 the same id twice": {
			"items:\n", "items:\n- apiVersion: v1\n  kind: B\n" +
				"  metadata: {name: b, annotations: {internal.config.kubernetes.io/id: '0'}}\n",
			"two items were returned with the id of A a in a.yaml",
		},
		"W5 no kind": {"kind: A", "other: A", "without kind"},
		"W5 no name": {"name: a", "other: a", "without metadata.name"},
		"A2 both families": {
			"internal.config.kubernetes.io/path: a.yaml\n",
			"internal.config.kubernetes.io/path: x.yaml\n", "",
		},
		"an index in words": {
			`internal.config.kubernetes.io/index: "0"`,
			`internal.config.kubernetes.io/index: "zero"`, "not a number",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPackage(t, map[string]string{"a.yaml": "apiVersion: v1\nkind: A\nmetadata:\n" +
				"  name: a\n"})
			text, err := (&ResourceList{Items: p.Items()}).wire(&wireOptions{ids: true})
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), c.old, c.with, 1)
			if name == "A2 both families" {
				changed = strings.Replace(changed, "      config.kubernetes.io/path: a.yaml",
					"      config.kubernetes.io/path: y.yaml", 1)
			}
			list, err := ParseOutput([]byte(changed))
			if err == nil {
				_, err = merge(p.Items(), list.Items, provider())
			}
			if c.want == "" {
				c.want = "the function changed the annotations"
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// W5: aliases that a function writes in a new resource stay, if their anchors are in it, too. What
// an alias outside of it or for an annotation of transport repeats is written out.
func TestAliasesOfNewResources(t *testing.T) {
	const head = "apiVersion: v1\nkind: A\nmetadata:\n  name: web\n"
	for _, c := range []struct{ name, other, returned, want string }{
		{
			"inside", "",
			head + "spec: &s {a: 1} # one\ncopy: *s\nmore: {<<: *s}\n",
			head + "spec: &s {a: 1} # one\ncopy: *s\nmore: {<<: *s}\n",
		},
		{"outside", "  spec: &s {a: 1}\n", head + "copy: *s\n", head + "copy:\n  a: 1\n"},
		{
			"annotations", "",
			head + "  labels: &l\n    config.kubernetes.io/path: a_n.yaml\n    x: 1\n" +
				"  annotations: *l\n",
			head + "  labels:\n    x: \"1\"\n  annotations:\n    x: \"1\"\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := readPackage(t, map[string]string{"a.yaml": configMapA})
			items, err := returned(t, p, func(s string) string {
				return s + c.other + "- " + strings.ReplaceAll(c.returned, "\n", "\n  ") + "\n"
			})
			if err != nil {
				t.Fatal(err)
			}
			if have := string(items[len(items)-1].Doc.BytesWithNewline()); have != c.want {
				t.Errorf("the item is\n%s\nwant\n%s", have, c.want)
			}
		})
	}
}
