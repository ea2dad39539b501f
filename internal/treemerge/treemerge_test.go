package treemerge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/treemerge"
)

// tree parses "PATH=TEXT ...".
func tree(text string) treemerge.Tree {
	t := treemerge.Tree{}
	for word := range strings.FieldsSeq(text) {
		path, data, _ := strings.Cut(word, "=")
		f := &treemerge.File{Data: []byte(strings.ReplaceAll(data, ",", "\n"))}
		t[path] = f
	}
	return t
}

// shown formats a result as "PATH=TEXT ...", then the conflicts.
func shown(r *treemerge.Result) string {
	var words []string
	for _, f := range r.Files {
		words = append(words, f.Path+"="+strings.ReplaceAll(string(f.Text), "\n", ","))
	}
	for _, path := range r.Deleted {
		words = append(words, "-"+path)
	}
	text := strings.Join(words, " ")
	for _, c := range r.Conflicts {
		text += "; " + c.Path + ": " + c.Message
	}
	return text
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs string
		want                     string
	}{
		{"equal", "a=1", "a=1", "a=1", "a=1"},
		{"they changed", "a=1", "a=1", "a=2", "a=2"},
		{"we changed", "a=1", "a=2", "a=1", "a=2"},
		{"both changed", "a=1", "a=2", "a=3", "a=2+3"},
		{"they added", "", "", "a=1", "a=1"},
		{"we added", "", "a=1", "", "a=1"},
		{"both added the same", "", "a=1", "a=1", "a=1"},
		{"both added", "", "a=1", "a=2", "a=1+2"},
		{"they deleted", "a=1", "a=1", "", "-a"},
		{"we deleted", "a=1", "", "a=1", ""},
		{"both deleted", "a=1", "", "", ""},
		{
			"they deleted what we changed", "a=1", "a=2", "",
			"a=2; a: THEIRS deleted what OURS changed",
		},
		{
			"we deleted what they changed", "a=1", "", "a=2",
			"a=2; a: OURS deleted what THEIRS changed",
		},
		{"they renamed", "a=1", "a=1", "b=1", "b=1"},
		{"we renamed", "a=1", "b=1", "a=1", "b=1"},
		{"both renamed alike", "a=1", "b=1", "b=1", "b=1"},
		{"they renamed what we changed", "a=1", "a=2", "b=1", "b=2"},
		{"we renamed what they changed", "a=1", "b=1", "a=2", "b=2"},
		{"they renamed and changed", "a=1,2,3", "a=1,2,3", "b=1,2,4", "b=1,2,4"},
		{
			"they renamed and changed what we changed", "a=1,2,3", "a=0,2,3", "b=1,2,4",
			"b=0,2,3+1,2,4",
		},
		{
			"both renamed differently", "a=1", "b=1", "c=1",
			"b=1; b: OURS renamed a to this, THEIRS to c",
		},
		{
			"they deleted what we renamed", "a=1", "b=1", "",
			"b=1; b: THEIRS deleted what OURS renamed from a",
		},
		{
			"we deleted what they renamed", "a=1", "", "b=1",
			"b=1; b: OURS deleted what THEIRS renamed from a",
		},
		{
			"we deleted what they renamed and changed", "a=1,2,3", "", "b=1,2,4",
			"b=1,2,4; b: OURS deleted what THEIRS renamed from a and changed",
		},
		{
			"they renamed to a path that we added", "a=1", "a=1 b=9", "b=1",
			"a=1 b=9; a: THEIRS renamed it to b, which OURS has already",
		},
		{
			"they added at a path that we renamed to", "a=1", "b=1", "a=1 b=9",
			"b=1; b: THEIRS added it; OURS has a file or directory of this name that BASE does not have",
		},
		{
			"a file is a directory on the other side", "", "a=1", "a/b=2",
			"a=1; a/b: THEIRS added it; OURS has a file or directory of this name that BASE does not have",
		},
		{"they made a directory of a file", "a=1", "a=1", "a/b=9", "a/b=9 -a"},
		{"they made a file of a directory", "a/b=1", "a/b=1", "a=9", "a=9 -a/b"},
		{"they moved a file into a directory of its name", "a=1", "a=1", "a/b=1", "a/b=1"},
		{
			"a symbolic link of ours", "", "", "link/a=1",
			"; link/a: THEIRS added it; OURS has a file or directory of this name that BASE does not have",
		},
		{"no text", "bin=1", "bin=2", "bin=3", "bin=2; bin: both sides changed it, and it is not text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := treemerge.Input{
				Base: tree(test.base), Ours: tree(test.ours), Theirs: tree(test.theirs),
				Others: map[string]bool{"link": true}, TakeTheirs: true,
			}
			in.Content = func(m *treemerge.Merged) ([]byte, int, bool) {
				text := fmt.Sprintf("%s+%s", in.Ours[m.Ours].Data, in.Theirs[m.Theirs].Data)
				return []byte(text), 0, m.Ours != "bin"
			}
			if got := shown(treemerge.Merge(in)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Without TakeTheirs, what we deleted stays deleted, and the conflict is still reported.
func TestMergeKeepsDeletions(t *testing.T) {
	r := treemerge.Merge(treemerge.Input{Base: tree("a=1"), Ours: tree(""), Theirs: tree("a=2")})
	if len(r.Files) != 0 || len(r.Conflicts) != 1 || !r.Conflicts[0].Theirs {
		t.Errorf("%s", shown(r))
	}
}

// Every version that one side made is in the result, or a conflict names its path.
func TestNothingIsLost(t *testing.T) {
	paths, texts := []string{"", "a", "b", "c"}, []string{"1,2,3", "1,2,4", "1,2,3,5"}
	var trees []string
	for _, p := range paths {
		for _, text := range texts {
			for _, q := range paths {
				if p != q && p != "" {
					trees = append(trees, strings.TrimSpace(p+"="+text+" "+suffix(q, "=x,y,z")))
				}
			}
		}
	}
	for _, base := range trees {
		for _, ours := range trees {
			for _, theirs := range trees {
				in := treemerge.Input{
					Base: tree(base), Ours: tree(ours), Theirs: tree(theirs), TakeTheirs: true,
				}
				in.Content = func(m *treemerge.Merged) ([]byte, int, bool) {
					both := append(slices.Clone(in.Ours[m.Ours].Data), in.Theirs[m.Theirs].Data...)
					return both, 0, true
				}
				r := treemerge.Merge(in)
				for side, tree := range []treemerge.Tree{in.Ours, in.Theirs} {
					for path, f := range tree {
						if old := in.Base[path]; old != nil && string(old.Data) == string(f.Data) {
							continue
						}
						if !has(r, path, string(f.Data)) {
							t.Fatalf("%s | %s | %s: side %d lost %s: %s", base, ours, theirs, side,
								path, shown(r))
						}
					}
				}
			}
		}
	}
}

func suffix(path, text string) string {
	if path == "" {
		return ""
	}
	return path + text
}

// has reports whether a file of the result has a text, or a conflict is about the path.
func has(r *treemerge.Result, path, text string) bool {
	for _, f := range r.Files {
		if strings.Contains(string(f.Text), text) || f.Ours == path || f.Theirs == path {
			return true
		}
	}
	return slices.ContainsFunc(r.Conflicts, func(c treemerge.Conflict) bool {
		return strings.Contains(c.Message+" "+c.Path, path)
	})
}
