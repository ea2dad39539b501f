package diff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/diff"
)

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
			numbers(1, 20), strings.Replace(strings.Replace(numbers(1, 20), "2\n", "two\n", 1), "18\n", "", 1),
			"@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n",
		},
		"one hunk of changes six lines apart": {
			numbers(1, 10), strings.Replace(strings.Replace(numbers(1, 10), "1\n", "one\n", 1), "8\n", "eight\n", 1),
			"@@ -1,10 +1,10 @@\n-1\n+one\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n 9\n 10\n",
		},
		"no line end":      {"a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		"line end added":   {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"another document": {"a\n---\nb\n", "a\n---\nb\n---\nc\n", "@@ -1,3 +1,5 @@\n a\n ---\n b\n+---\n+c\n"},
		"carriage returns": {"a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- a/x.yaml\n+++ b/x.yaml\n" + want
		}
		if have := string(diff.Unified("x.yaml", []byte(c.before), []byte(c.after))); have != want {
			t.Errorf("%s: have\n%s\nwant\n%s", name, have, want)
		}
	}
}

// What git apply makes of a diff is the second text.
func TestGitApply(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		var lines []string
		for range r.IntN(30) {
			lines = append(lines, []string{"a", "b: c", "  d", "---", "", "# e"}[r.IntN(6)])
		}
		return lines
	}
	for range 40 {
		before := text()
		after := append([]string(nil), before...)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(after) + 1)
			after = append(after[:at:at], append([]string{fmt.Sprint(r.IntN(9))}, after[min(at+r.IntN(3), len(after)):]...)...)
		}
		old, changed := strings.Join(before, "\n"), strings.Join(after, "\n")
		if r.IntN(2) == 0 {
			old, changed = old+"\n", changed+"\n"
		}
		if old == changed || old == "" {
			continue
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "x.yaml")
		if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		patch := diff.Unified("x.yaml", []byte(old), []byte(changed))
		cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "--unidiff-zero", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(patch))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s\nof %q and %q", err, out, patch, old, changed)
		}
		have, err := os.ReadFile(file)
		if err != nil || string(have) != changed {
			t.Fatalf("%v: have %q, want %q\n%s", err, have, changed, patch)
		}
	}
}
