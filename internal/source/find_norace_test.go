//go:build !race

package source

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRandomIgnoreFilesAsGit generates trees with ignore files at several depths.
func TestRandomIgnoreFilesAsGit(t *testing.T) {
	r := random(t)
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	for range 25 {
		root := t.TempDir()
		for range 40 {
			path := root
			for range r.IntN(4) {
				path = filepath.Join(path, pick("a", "b", "ab"))
			}
			if r.IntN(3) > 0 {
				write(t, filepath.Join(path, pick("f", "a", "b", "g")+".yaml"), "x")
				continue
			}
			var text strings.Builder
			for range 1 + r.IntN(3) {
				text.WriteString(pick("", "", "!") + pick("", "/", "**/", "a/") +
					pick("*", "a", "b", "ab", "f*", "?.yaml", "g.yaml", "*.yaml", "a*/**") +
					pick("", "/", "") + "\n")
			}
			write(t, filepath.Join(path, gitIgnore), text.String())
		}
		git(t, root, nil, "init", "-q")
		out := git(t, root, nil, "ls-files", "--others", "--exclude-standard", "-z", "--", "*.yaml")
		want := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
		found, err := (&Finder{Dir: root, Recursive: true}).Find(t.Context(), []string{"."})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, f := range found.Files {
			got = append(got, f.Rel)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-git +fctl)\n%s", diff)
		}
	}
}
