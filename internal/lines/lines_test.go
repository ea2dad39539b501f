package lines_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/lines"
)

func text(letters string) string { return strings.Join(strings.Split(letters, ""), "\n") + "\n" }

func TestUnified(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"one line", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"from nothing", "", "a\n", "@@ -0,0 +1 @@\n+a\n"},
		{"to nothing", "a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		{
			"line end added", "a\nb", "a\nb\n",
			"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
		},
		{
			"two hunks", text("abcdefghijk"), text("aXcdefghiYk"),
			"@@ -1,4 +1,4 @@\n a\n-b\n+X\n c\n d\n@@ -8,4 +8,4 @@\n h\n i\n-j\n+Y\n k\n",
		},
		{
			"contexts meet", text("abcdefgh"), text("aXcdefYh"),
			"@@ -1,8 +1,8 @@\n a\n-b\n+X\n c\n d\n e\n f\n-g\n+Y\n h\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lines.Unified(test.before, test.after, 2); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// texts draws a text of few different lines, so that two texts have much in common.
func texts(t *rapid.T, name string) string {
	s := rapid.StringOfN(rapid.SampledFrom([]rune("aaabbcde\n")), 0, 30, -1).Draw(t, name)
	return strings.ReplaceAll(s, "a", "a\n")
}

func TestDiffRebuildsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines.Split(texts(t, "a")), lines.Split(texts(t, "b"))
		var rebuilt []string
		at, last := 0, -1
		for _, h := range lines.Diff(a, b) {
			if h.From <= last {
				t.Fatalf("hunks overlap or touch")
			}
			rebuilt = append(append(rebuilt, a[at:h.From]...), b[h.NewFrom:h.NewTo]...)
			at, last = h.To, h.To
		}
		if rebuilt = append(rebuilt, a[at:]...); !slices.Equal(rebuilt, b) {
			t.Fatalf("%q becomes %q and not %q", a, rebuilt, b)
		}
	})
}

func TestRevert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts(t, "a"), texts(t, "b")
		patch := lines.Unified(a, b, rapid.IntRange(0, 3).Draw(t, "context"))
		if got, err := lines.Revert(patch, b); err != nil || got != a {
			t.Fatalf("%q, %v instead of %q\n%s", got, err, a, patch)
		}
	})
	for _, patch := range []string{
		"x", "@@ nothing @@\n", "@@ -1 +9 @@\n+x\n", "@@ -1 +1 @@\n+other\n",
		"@@ -1,3 +1 @@\n text\n+more\n",
	} {
		t.Run(patch, func(t *testing.T) {
			if got, err := lines.Revert(patch, "text\n"); err == nil {
				t.Errorf("%q gives %q", patch, got)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs string
		want                     string // ! means a conflict
	}{
		{"nothing", "abc", "abc", "abc", "abc"},
		{"ours", "abc", "aXc", "abc", "aXc"},
		{"theirs", "abc", "abc", "aXc", "aXc"},
		{"both the same", "abc", "aXc", "aXc", "aXc"},
		{"far apart", "abcde", "Xbcde", "abcdY", "XbcdY"},
		{"neighbours", "abcd", "aXcd", "abYd", "a!d"},
		{"the same line", "abc", "aXc", "aYc", "a!c"},
		{"both append", "ab", "abX", "abY", "ab!"},
		{"removed and changed", "abc", "ac", "aXc", "a!c"},
		{"removed on both sides", "abcde", "acde", "abce", "ace"},
		{"conflict and change", "abcdefg", "aXcdefg", "aYcdeZg", "a!cdeZg"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for _, c := range lines.Merge(
				strings.Split(test.base, ""), strings.Split(test.ours, ""),
				strings.Split(test.theirs, ""),
			) {
				if got += strings.Join(c.Lines, ""); c.Conflict {
					got += "!"
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestMergeClose(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs string
		want                     string // ! means a conflict
	}{
		{"neighbours", "abcd", "aXcd", "abYd", "aXYd"},
		{"the same line", "abc", "aXc", "aYc", "a!c"},
		{"lines in common", "abcd", "aXXd", "abYd", "a!d"},
		{"added in front of a changed line", "abc", "aXbc", "aYc", "aXYc"},
		{"added after a changed line", "abc", "abXc", "aYc", "aYXc"},
		{"added around a changed line", "abc", "aXc", "aYbYc", "aYXYc"},
		{"both added", "ab", "aXb", "aYb", "a!b"},
		{"both added the same", "ab", "aXb", "aXb", "aXb"},
		{"added to one that is removed", "abc", "ac", "aXbYc", "aXYc"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, mirrored := range []bool{false, true} {
				ours, theirs := strings.Split(test.ours, ""), strings.Split(test.theirs, "")
				if mirrored {
					ours, theirs = theirs, ours
				}
				got := ""
				for _, c := range lines.MergeClose(strings.Split(test.base, ""), ours, theirs) {
					if got += strings.Join(c.Lines, ""); c.Conflict {
						got += "!"
					}
				}
				if got != test.want {
					t.Errorf("%s: got %s, want %s", test.name, got, test.want)
				}
			}
		})
	}
}

// TestMergeAsGit compares clean merges with those of git merge-file.
func TestMergeAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, words := range [][3]string{
		{"abcdefghij", "aXcdefghij", "abcdefgYij"},
		{"abcdefghij", "abcdefghijXX", "Yabcdefghij"},
		{"abcdefgh", "adefgh", "abcdefX"},
	} {
		t.Run(words[1], func(t *testing.T) {
			base, ours, theirs := text(words[0]), text(words[1]), text(words[2])
			want, err := exec.Command(
				"git", "merge-file", "-p", write("ours", ours), write("base", base),
				write("theirs", theirs),
			).Output()
			if err != nil {
				t.Fatal(err)
			}
			if got, clean := lines.MergeText(base, ours, theirs); !clean || got != string(want) {
				t.Errorf("%v: %q, git makes %q", words, got, want)
			}
		})
	}
}

// TestDiffOfManyChanges checks that unchanged lines are found beyond the bound for the shortest
// diff, too.
func TestDiffOfManyChanges(t *testing.T) {
	var a, b []string
	want := 0
	for i := range 5_000 {
		a = append(a, fmt.Sprintf("name: %d\n", i), "spec:\n")
		b = append(b, fmt.Sprintf("name: %d\n", i))
		if i%2 == 0 {
			b = append(b, "# more\n")
			want++
		}
		b = append(b, "spec:\n")
	}
	b = append(b[6:], b[:6]...) // moved lines do not confuse it
	hunks := lines.Diff(a, b)
	added := 0
	var rebuilt []string
	at := 0
	for _, h := range hunks {
		added += h.NewTo - h.NewFrom - (h.To - h.From)
		rebuilt = append(append(rebuilt, a[at:h.From]...), b[h.NewFrom:h.NewTo]...)
		at = h.To
	}
	if rebuilt = append(rebuilt, a[at:]...); !slices.Equal(rebuilt, b) {
		t.Error("the hunks do not make the other text")
	}
	if len(hunks) < want-10 || len(hunks) > want+10 || added != want {
		t.Errorf("%d hunks with %d lines, want about %d", len(hunks), added, want)
	}
}

func TestDiffIsBounded(t *testing.T) {
	var a, b []string
	for i := range 50_000 {
		a, b = append(a, strings.Repeat("a", i%97)), append(b, strings.Repeat("b", i%89+1))
	}
	if hunks := lines.Diff(a, b); len(hunks) == 0 {
		t.Error("no difference")
	}
}
