package diff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/out/diff"
)

func unified(name, before, after string) string {
	return string(
		diff.Unified(diff.FileDiff{Name: name, Before: []byte(before), After: []byte(after)}),
	)
}

func TestUnified(t *testing.T) {
	numbers := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"equal":            {"a\n", "a\n", ""},
		"change":           {"a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		"added to nothing": {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
		"all removed":      {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		"two hunks": {
			numbers(1, 20), strings.Replace(strings.Replace(numbers(1, 20), "2\n", "two\n", 1),
				"18\n", "", 1),
			"@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n" +
				" 19\n 20\n",
		},
		"one hunk of changes six lines apart": {
			numbers(1, 10), strings.Replace(strings.Replace(numbers(1, 10), "1\n", "one\n", 1),
				"8\n", "eight\n", 1),
			"@@ -1,10 +1,10 @@\n-1\n+one\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n 9\n 10\n",
		},
		"two hunks of changes seven lines apart": {
			numbers(1, 10), strings.Replace(strings.Replace(numbers(1, 10), "1\n", "one\n", 1),
				"9\n", "nine\n", 1),
			"@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -6,5 +6,5 @@\n 6\n 7\n 8\n-9\n+nine\n 10\n",
		},
		"no line end": {
			"a\nb", "a\nc",
			"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n" +
				"\\ No newline at end of file\n",
		},
		"line end added": {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"another document": {
			"a\n---\nb\n", "a\n---\nb\n---\nc\n",
			"@@ -1,3 +1,5 @@\n a\n ---\n b\n+---\n+c\n",
		},
		"a document in the middle": {
			"a\n---\nb\n", "a\n---\nc\n---\nb\n", "@@ -1,3 +1,5 @@\n a\n+---\n+c\n ---\n b\n",
		},
		"an item begins with its dash": {
			"l:\n- name: a\n  value: 1\n- name: b\n  value: 1\n",
			"l:\n- name: a\n  value: 1\n- name: c\n  value: 1\n- name: b\n  value: 1\n",
			"@@ -1,5 +1,7 @@\n l:\n - name: a\n   value: 1\n+- name: c\n+  value: 1\n - name: b\n" +
				"   value: 1\n",
		},
		"a blank line belongs to what is above": {
			"a:\n  x: 1\n\nb:\n  x: 1\n", "a:\n  x: 1\n\nc:\n  x: 1\n\nb:\n  x: 1\n",
			"@@ -1,5 +1,8 @@\n a:\n   x: 1\n \n+c:\n+  x: 1\n+\n b:\n   x: 1\n",
		},
		"one goes, another comes": {
			"---\na\na\nx\n---\nb\nb\nx\n", "---\nb\nb\nx\n---\nc\nc\nx\n",
			"@@ -1,8 +1,8 @@\n----\n-a\n-a\n-x\n ---\n b\n b\n x\n+---\n+c\n+c\n+x\n",
		},
		"carriage returns": {"a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = "--- a/x.yaml\n+++ b/x.yaml\n" + want
			}
			if have := unified("x.yaml", c.before, c.after); have != want {
				t.Errorf("%s: have\n%s\nwant\n%s", name, have, want)
			}
		})
	}
}

// random generates texts that resemble configuration, and edits of them.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 2))} }

func (r random) lines(most, kinds int) []string {
	var lines []string
	for range r.IntN(most) {
		lines = append(lines, []string{
			"a", "b: c", "  d", "---", "", "# e", "- f", "  g: \xff",
			"h\r", "i",
		}[r.IntN(kinds)])
	}
	return lines
}

func (r random) edited(lines []string, most, kinds int) []string {
	after := append([]string(nil), lines...)
	for range 1 + r.IntN(most) {
		at := r.IntN(len(after) + 1)
		put := r.lines(4, kinds)
		if r.IntN(2) == 0 {
			put = append(put, fmt.Sprint(r.IntN(99)))
		}
		after = append(after[:at:at], append(put, after[min(at+r.IntN(4), len(after)):]...)...)
	}
	return after
}

func (r random) texts(lines, edits int) (before, after string) {
	kinds := 1 + r.IntN(10)
	was := r.lines(lines, kinds)
	now := r.edited(was, edits, kinds)
	end := []string{"", "\n"}
	return strings.Join(was, "\n") + end[r.IntN(2)], strings.Join(now, "\n") + end[r.IntN(2)]
}

// patched applies a unified diff, and fails if anything in it does not fit.
func patched(t *testing.T, before, patch string) (after string, changed int) {
	t.Helper()
	lines := split(before)
	var b strings.Builder
	at := 0
	body := strings.SplitAfter(strings.ReplaceAll(patch, "\n\\ No newline at end of file\n",
		"\x00"), "\n")
	// The marker follows a line without its newline: split once more there.
	var rows []string
	for _, row := range body {
		for {
			head, rest, found := strings.Cut(row, "\x00")
			if !found {
				break
			}
			rows, row = append(rows, head), rest
		}
		if row != "" {
			rows = append(rows, row)
		}
	}
	for _, row := range rows[2:] {
		switch row[0] {
		case '@':
			var oldFrom, oldCount, newFrom, newCount int
			if n, _ := fmt.Sscanf(row, "@@ -%d,%d +%d,%d @@", &oldFrom, &oldCount, &newFrom,
				&newCount); n < 2 {
				oldCount = 1
			}
			if oldCount > 0 {
				oldFrom--
			}
			if oldFrom < at {
				t.Fatalf("hunks overlap: %s", patch)
			}
			b.WriteString(strings.Join(lines[at:oldFrom], ""))
			at = oldFrom
		case ' ', '-':
			if at >= len(lines) || lines[at] != row[1:] {
				t.Fatalf("line %d is not %q\n%s", at+1, row, patch)
			}
			if row[0] == ' ' {
				b.WriteString(lines[at])
			} else {
				changed++
			}
			at++
		case '+':
			b.WriteString(row[1:])
			changed++
		default:
			t.Fatalf("a line of a diff begins with %q\n%s", row, patch)
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), changed
}

// shortest returns the minimum number of lines in a diff of the texts, by dynamic programming.
func shortest(before, after string) int {
	a, b := split(before), split(after)
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			was := row[j+1]
			switch {
			case a[i] == b[j]:
				row[j+1] = diagonal + 1
			default:
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = was
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	return lines
}

// TestDiffOfAnything checks with random texts that the diff turns the first into the second, with
// the minimum number of lines if they differ little.
func TestDiffOfAnything(t *testing.T) {
	r := newRandom(1)
	for range 3000 {
		before, after := r.texts(40, 6)
		if before == after {
			continue
		}
		patch := unified("x", before, after)
		have, changed := patched(t, before, patch)
		if have != after {
			t.Fatalf("have %q, want %q\n%s", have, after, patch)
		}
		if want := shortest(before, after); changed != want {
			t.Fatalf("%d lines, %d are enough\n%s\nof %q and %q", changed, want, patch, before,
				after)
		}
	}
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\n", "a\nc")
	f.Add("---\na: 1\n---\nb: 2\n", "---\nb: 2\n---\na: 1\n")
	f.Add("", "\n\n")
	f.Add("x\r\n\\ No newline at end of file\n", "x\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		// patched marks lines without a newline with NUL
		if before == after || strings.Contains(before+after, "\x00") {
			return
		}
		patch := unified("x", before, after)
		if have, changed := patched(t, before, patch); have != after ||
			len(before) < 200 && len(after) < 200 && changed != shortest(before, after) {
			t.Errorf("have %q, want %q, of %q\n%s", have, after, before, patch)
		}
	})
}

// TestAgreesWithGNUDiff compares with the minimum that GNU diff finds, for texts that are too long
// for dynamic programming. Parts are shuffled, repeated and changed everywhere, so that the search
// is cut short.
func TestAgreesWithGNUDiff(t *testing.T) {
	gnu, err := exec.LookPath("diff")
	if err != nil {
		t.Skip("diff is not installed")
	}
	r := newRandom(3)
	for name, c := range map[string]struct {
		before, after string
		slack         float64 // the accepted factor over the minimum
	}{
		"every resource once": {manifest(2000, "3", nil), manifest(2000, "5", nil), 1},
		"values swap": {manifest(2000, "", nil), manifest(2000, "", func(i int) bool {
			return i%2 == 0
		}), 1},
		"one goes, one comes": {
			manifest(1500, "3", nil),
			strings.SplitN(manifest(1501, "5", nil), "---\n", 2)[1], 1,
		},
		"resources shuffled": {
			manifest(300, "3", nil), shuffled(r, manifest(300, "3", nil)),
			1.25,
		},
		"lines of three kinds": {numbered(r, 3000, 3), numbered(r, 6000, 3), 1},
		"long and unlike":      {numbered(r, 12_000, 30), numbered(r, 12_000, 30), 1.25},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"a": c.before, "b": c.after} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), gnu, "-d", "-u", "a", "b")
			cmd.Dir = dir
			out, _ := cmd.Output() // its status is 1
			_, want := patched(t, c.before, string(out))
			have, changed := patched(t, c.before, unified("x", c.before, c.after))
			if have != c.after {
				t.Errorf("%s: the diff makes another text", name)
			}
			if float64(changed) > c.slack*float64(want) {
				t.Errorf("%s: %d lines, diff needs %d", name, changed, want)
			}
			t.Logf("%s: %d lines, diff %d", name, changed, want)
		})
	}
}

// manifest returns n similar resources. If five is set, resource i has 5 replicas where five(i) is
// true.
func manifest(n int, replicas string, five func(i int) bool) string {
	var b strings.Builder
	for i := range n {
		value := replicas
		if value == "" {
			value = []string{"3", "5"}[i%2]
			if five != nil && five(i) {
				value = "5"
			} else if five != nil {
				value = "3"
			}
		}
		fmt.Fprintf(&b, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%d\n"+
			"spec:\n  replicas: %s\n  template:\n"+
			"    spec:\n      containers:\n        - name: web\n          image: nginx:%d\n", i,
			value, i%7)
	}
	return b.String()
}

// numbered returns lines that are numbers, chosen from a few.
func numbered(r random, lines, kinds int) string {
	var b strings.Builder
	for range lines {
		fmt.Fprintln(&b, r.IntN(kinds))
	}
	return b.String()
}

func shuffled(r random, text string) string {
	parts := strings.SplitAfter(text, "\n---\n")
	r.Shuffle(len(parts)-1, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, "")
}

// TestGitApply checks that git apply and patch turn the first text into the second, whatever the
// name of the file.
func TestGitApply(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	r := newRandom(1)
	names := []string{
		"x.yaml", "dir/with blank.yaml", "größe.yaml", "quo\"te.yaml", "tab\t.yaml",
		"back\\slash.yaml",
	}
	for i := range 60 {
		name := names[i%len(names)]
		before, after := r.texts(30, 3)
		// git treats an empty text as a missing file
		if before == after || before == "" || after == "" {
			continue
		}
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		patch := diff.Unified(diff.FileDiff{
			Name: name, Before: []byte(before), After: []byte(after),
			Steps:     []diff.Version{{Name: "set-x"}},
			Resources: []diff.Start{{Line: 1, Name: "v1/X \n-x"}},
			Starts:    func([]byte) []diff.Start { return nil },
		})
		for _, tool := range []string{"git", "patch"} {
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
			if tool == "patch" {
				path, err := exec.LookPath("patch")
				if err != nil {
					continue
				}
				cmd = exec.CommandContext(t.Context(), path, "-p1", "--binary",
					"--no-backup-if-mismatch", "--fuzz=0")
			}
			cmd.Dir, cmd.Stdin = dir, bytes.NewReader(patch)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s\n%s\nof %q and %q", tool, err, out, patch, before, after)
			}
			have, err := os.ReadFile(file)
			if err != nil || string(have) != after {
				t.Fatalf("%s: %v: have %q, want %q\n%s", tool, err, have, after, patch)
			}
		}
	}
}

// TestShownLines checks that the texts that people see do not affect the comparison.
func TestShownLines(t *testing.T) {
	f := diff.FileDiff{
		Name: "x", Before: []byte("a: 1\tx\r\nb: 2\n"),
		After: []byte("a: 2\tx\r\nb: 2\n"),
	}
	f.Shown = func(before, after []byte) ([]byte, []byte) {
		return bytes.Replace(before, []byte("1"), []byte("*"), 1),
			bytes.Replace(after, []byte("2"), []byte("*"), 1)
	}
	if got, want := string(diff.Unified(f)),
		"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a: *\tx\r\n+a: *\tx\r\n b: 2\n"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
}
