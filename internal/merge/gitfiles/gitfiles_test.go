package gitfiles_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

// repository makes a repository with one commit of a file for each path.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for path, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func TestContents(t *testing.T) {
	const odd = "a\x00b\nno end"
	dir := repository(t, map[string]string{
		"a b\tc.yaml": "a: 1\n", "deep/ü.yaml": odd, "empty.yaml": "", "large.yaml": "0123456789a",
	})
	ctx := context.Background()
	r, err := gitfiles.Open(ctx, filepath.Join(dir, "deep"))
	if err != nil {
		t.Fatal(err)
	}
	tree, ok := r.Tree(ctx, "HEAD")
	if _, unknown := r.Tree(ctx, "--help"); !ok || unknown {
		t.Fatal("HEAD is the only revision")
	}
	files, err := r.Files(ctx, tree)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a b\tc.yaml": "a: 1\n", "deep/ü.yaml": odd, "empty.yaml": ""}
	seen := 0
	err = r.Contents(ctx, files, 10, func(i int, data []byte, tooLarge bool) {
		seen++
		path := files[i].Path
		if tooLarge != (path == "large.yaml") || !tooLarge && string(data) != want[path] {
			t.Errorf("%q: %q, too large: %t", path, data, tooLarge)
		}
		if !tooLarge && (!files[i].HasContent(data) || files[i].HasContent(append(data, 'x'))) {
			t.Errorf("%q: the hash does not fit the content", path)
		}
	})
	if err != nil || seen != 4 {
		t.Errorf("%d files, %v", seen, err)
	}
	if got := r.Shown("deep/ü.yaml"); got != filepath.Join(dir, "deep", "ü.yaml") {
		t.Errorf("Shown: %q", got)
	}
}

func TestPath(t *testing.T) {
	dir := repository(t, map[string]string{"deep/a.yaml": "a: 1\n"})
	r, err := gitfiles.Open(context.Background(), filepath.Join(dir, "deep"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.yaml": "deep/a.yaml", "..": ".", "../b": "b", filepath.Join(dir, "c"): "c",
		"../..": "", "/etc": "",
	} {
		t.Run(path, func(t *testing.T) {
			got, err := r.Path(path)
			if got != want || (err != nil) != (want == "") {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	for name, test := range map[string]struct {
		path  string
		paths []string
		want  bool
	}{
		"no paths":       {"a/b", nil, true},
		"root":           {"a/b", []string{"."}, true},
		"directory":      {"a/b", []string{"a"}, true},
		"same beginning": {"ab", []string{"a"}, false},
		"pattern":        {"a/b/c.yaml", []string{"a/**/*.yaml"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gitfiles.Within(test.path, test.paths); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
