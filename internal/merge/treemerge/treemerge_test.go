package treemerge_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/merge/treemerge"
)

// tree parses "PATH=TEXT ...", with PATH@TARGET for symbolic links and PATH%MODE=TEXT for modes
// other than 644.
func tree(text string) treemerge.FileTree {
	t := treemerge.FileTree{}
	for word := range strings.FieldsSeq(text) {
		if path, target, link := strings.Cut(word, "@"); link {
			t[path] = &treemerge.TreeFile{
				Data: []byte(target), Mode: fs.ModeSymlink, Format: "link",
			}
			continue
		}
		path, data, _ := strings.Cut(word, "=")
		path, octal, _ := strings.Cut(path, "%")
		mode, _ := strconv.ParseUint(cmp.Or(octal, "644"), 8, 32)
		f := &treemerge.TreeFile{
			Data: []byte(strings.ReplaceAll(data, ",", "\n")), Mode: fs.FileMode(mode),
		}
		t[path] = f
	}
	return t
}

// shown formats a result as "PATH=TEXT ...", then the conflicts.
func shown(r *treemerge.Result) string {
	var words []string
	for _, f := range r.Files {
		between := "="
		if f.Mode&fs.ModeSymlink != 0 {
			between = "@"
		} else if f.Mode != 0o644 {
			between = "%" + treemerge.ModeText(f.Mode) + "="
		}
		words = append(words, f.Path+between+strings.ReplaceAll(string(f.Text), "\n", ","))
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

const mayLeave = "its target may be outside of the directory, so OURS does not get it"

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
			"b=1; b: THEIRS added it; OURS has a file or directory of this name that BASE does " +
				"not have",
		},
		{
			"a file is a directory on the other side", "", "a=1", "a/b=2",
			"a=1; a/b: THEIRS added it; OURS has a file or directory of this name that BASE does " +
				"not have",
		},
		{"they made a directory of a file", "a=1", "a=1", "a/b=9", "a/b=9 -a"},
		{"they made a file of a directory", "a/b=1", "a/b=1", "a=9", "a=9 -a/b"},
		{"they moved a file into a directory of its name", "a=1", "a=1", "a/b=1", "a/b=1"},
		{
			"a symbolic link of ours", "", "", "link/a=1",
			"; link/a: THEIRS added it; OURS has a file or directory of this name that BASE does " +
				"not have",
		},
		{"they changed the mode", "a=1", "a=1", "a%755=1", "a%755=1"},
		{"we changed the mode", "a=1", "a%600=1", "a=2", "a%600=2"},
		{"we renamed, they changed the mode", "a=1", "b=1", "a%755=1", "b%755=1"},
		{"both changed the mode alike", "a=1", "a%755=1", "a%755=1", "a%755=1"},
		{
			"both changed the mode", "a=1", "a%600=1", "a%755=1",
			"a%600=1; a: OURS changed its mode from 644 to 600, THEIRS to 755",
		},
		{
			"both added with another mode", "", "a=1", "a%755=1",
			"a=1; a: its mode is 644 in OURS and 755 in THEIRS",
		},
		{
			"they deleted what we made executable", "a=1", "a%755=1", "",
			"a%755=1; a: THEIRS deleted what OURS changed",
		},
		{"they added a link", "", "", "d/a@../b", "d/a@../b"},
		{"they deleted a link", "a@b", "a@b", "", "-a"},
		{"they changed a link", "a@b", "a@b", "a@c", "a@c"},
		{"they renamed a link", "a@b", "a@b", "c@b", "c@b"},
		{
			"both changed a link", "a@b", "a@c", "a@d",
			"a@c; a: it is a symbolic link to c in OURS and a symbolic link to d in THEIRS",
		},
		{"they made a link of a file", "a=1", "a%755=1", "a@b", "a@b"},
		{"they made a file of a link", "a@b", "a@b", "a%755=1", "a%755=1"},
		{
			"they made a link of a file that we changed", "a=1", "a=2", "a@b",
			"a=2; a: it is a file in OURS and a symbolic link to b in THEIRS",
		},
		{"they made a link of a directory", "a/b=1", "a/b=1", "a@c", "a@c -a/b"},
		{"a link of ours leads out", "a@/b", "a@/b", "a@/b c=1", "a@/b c=1"},
		{"both added a link that leads out", "", "a@../b", "a@../b", "a@../b"},
		{"an absolute link", "", "", "a@/b", "; a: it is a symbolic link to /b; " + mayLeave},
		{
			"a link that leads out", "", "", "d/a@../../b",
			"; d/a: it is a symbolic link to ../../b; " + mayLeave,
		},
		{
			"a link through a name that may be a link", "", "", "d/a@b/../..",
			"; d/a: it is a symbolic link to b/../..; " + mayLeave,
		},
		{
			"they let a link lead out", "a@b", "a@b", "a@/b",
			"a@b; a: it is a symbolic link to /b; " + mayLeave,
		},
		{
			"they made a link that leads out of a file", "a=1", "a=1", "a@/b",
			"a=1; a: it is a symbolic link to /b; " + mayLeave,
		},
		{
			"they moved a link so that it leads out", "d/a@../b", "d/a@../b", "a@../b c=1",
			"c=1 d/a@../b; a: THEIRS renamed d/a to this; " + mayLeave,
		},
		{"no text", "bin=1", "bin=2", "bin=3", "bin=2; bin: both sides changed it, and it is " +
			"not text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := treemerge.Sides{
				Base: tree(test.base), Ours: tree(test.ours), Theirs: tree(test.theirs),
				Others: map[string]bool{"link": true}, TakeTheirs: true,
			}
			in.Content = func(m *treemerge.MergedFile) ([]byte, int, bool) {
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
	r := treemerge.Merge(treemerge.Sides{Base: tree("a=1"), Ours: tree(""), Theirs: tree("a=2")})
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
				in := treemerge.Sides{
					Base: tree(base), Ours: tree(ours), Theirs: tree(theirs), TakeTheirs: true,
				}
				in.Content = func(m *treemerge.MergedFile) ([]byte, int, bool) {
					both := append(slices.Clone(in.Ours[m.Ours].Data), in.Theirs[m.Theirs].Data...)
					return both, 0, true
				}
				r := treemerge.Merge(in)
				for side, tree := range []treemerge.FileTree{in.Ours, in.Theirs} {
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
	return slices.ContainsFunc(r.Conflicts, func(c treemerge.FileConflict) bool {
		return strings.Contains(c.Message+" "+c.Path, path)
	})
}
