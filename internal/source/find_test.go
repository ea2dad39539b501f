package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
)

// tree makes files with their names as content. A name that ends in a slash makes a directory, "a
// -> b" a symbolic link.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		link, to, isLink := strings.Cut(name, " -> ")
		switch path := filepath.Join(root, link); {
		case isLink:
			if err := os.Symlink(to, path); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(name, "/"):
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		default:
			write(t, path, name)
		}
	}
	return root
}

// names returns the units that were found, marked with a star if the user named them, and with an
// exclamation mark if they have a problem.
func names(found *Found) []string {
	var all []string
	for _, f := range found.Files {
		name := f.Unit
		if f.Explicit {
			name += "*"
		}
		if f.Problem != nil {
			name += "!"
		}
		all = append(all, name)
	}
	return all
}

func TestFind(t *testing.T) {
	root := tree(t,
		"a.yaml", "b.json", "c.properties", "d.txt", "e.md", "Makefile", ".env", "f.test.yml",
		"g.YAML",
		"sub/a.yaml", "sub/deep/er/x.yaml", "sub/.hidden/h.yaml", ".git/config.yaml",
		"sub/.svn/s.yaml", "empty/",
		"link.yaml -> a.yaml", "dirlink -> sub", "gone.yaml -> nowhere", "sp[a]ce/*.yaml",
		".fctl-0123456789abcdef.tmp", ".fctl.yaml",
	)
	for _, c := range []struct {
		paths     string
		recursive bool
		want      string
	}{
		{".", false, "a b f.test g"},
		{".", true, "a b f.test g sp[a]ce/* sub/.hidden/h sub/a sub/deep/er/x"},
		{"sub", false, "sub/a"},
		{"sub/", true, "sub/.hidden/h sub/a sub/deep/er/x"},
		{"./sub/../sub", false, "sub/a"},
		{"empty", true, ""},
		{"a.yaml", false, "a*"},
		{"e.md Makefile", false, "e* Makefile*"},
		{"missing.yaml a.yaml", false, "missing! a*"},
		{"- a.yaml -", false, "stdin* a*"},
		// links are followed if they are named
		{"link.yaml", false, "link*"},
		{"dirlink", false, "dirlink/a"},
		{"gone.yaml", false, "gone!"},
		// each file once, by its first name
		{"a.yaml . a.yaml", false, "a* b f.test g"},
		{". a.yaml e.md", false, "a* b f.test g e*"},
		{"link.yaml a.yaml", false, "link*"},
		{"sub dirlink", true, "sub/.hidden/h sub/a sub/deep/er/x"},
		// patterns
		{"*.yaml", false, "a"},
		{"*", false, ".env a b c d f.test g sp[a]ce/* sub/a"},
		{"s*", false, "sp[a]ce/* sub/a"},
		{". *.properties .env", false, "a b f.test g c .env*"},
		{"s*", true, "sp[a]ce/* sub/.hidden/h sub/a sub/deep/er/x"},
		{"**/*.yaml", false, "a sp[a]ce/* sub/.hidden/h sub/a sub/deep/er/x"},
		{"**", false, ".env a b c d f.test g sp[a]ce/* sub/.hidden/h sub/a sub/deep/er/x"},
		{"sub/**/x.yaml", false, "sub/deep/er/x"},
		{"sub/*/x.yaml", false, "sub/*/x!"},
		{"sub/*/*/x.yaml", false, "sub/deep/er/x"},
		{"**/a.*", false, "a sub/a"},
		{"**/de*/**", false, "sub/deep/er/x"},
		{"[a-b].{yaml,json}", false, "a b"},
		{"{a,sub/{a,deep/er/x}}.yaml", false, "a sub/a sub/deep/er/x"},
		{"?.yaml", false, "a"},
		{"*.md", false, ""},
		{"nothing*", false, "nothing*!"},
		{"nowhere/*.yaml", false, "nowhere!"},
		// a file's name may look like a pattern
		{"sp[a]ce/*.yaml", false, "sp[a]ce/**"},
		{`sp\[a]ce/\*.*`, false, "sp[a]ce/*"},
		{"sp[a]ce", false, "sp[a]ce/*"},
	} {
		t.Run(c.paths, func(t *testing.T) {
			t.Chdir(root)
			f := &Finder{Recursive: c.recursive, Temporary: func(name string) bool {
				return strings.HasPrefix(name, ".fctl-")
			}}
			found, err := f.Find(t.Context(), strings.Fields(c.paths))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(c.want), names(found)); diff != "" &&
				c.want+strings.Join(names(found), "") != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, p := range found.Skipped {
				if strings.HasPrefix(filepath.Base(p.Path), ".fctl-") {
					t.Errorf("a temporary file is reported: %s", p.Path)
				}
			}
		})
	}
}

// TestNamesOfUnits checks that a file has the same unit name wherever the search starts.
func TestNamesOfUnits(t *testing.T) {
	root := tree(t, "work/apps/web.yaml", "work/here/x.yaml", "other/apps/web.yaml",
		"a[1]/apps/web.yaml")
	for _, c := range []struct{ dir, from, path, want, opened string }{
		{"work", "", "apps", "apps/web", "apps/web.yaml"},
		{"work", "", root + "/work/apps", "apps/web", root + "/work/apps/web.yaml"},
		{"work", "", "../work/apps/web.yaml", "apps/web", "../work/apps/web.yaml"},
		{"work", "", "../other", "apps/web", "../other/apps/web.yaml"},
		{"work", "", "../other/apps/web.yaml", "web", "../other/apps/web.yaml"},
		{"work", "", root + "/other/apps", "web", root + "/other/apps/web.yaml"},
		{"work", "", "../other/**/*.yaml", "apps/web", "../other/apps/web.yaml"},
		{"work/here", "", "..", "apps/web here/x", "../apps/web.yaml"},
		{".", "work", "apps", "apps/web", "work/apps/web.yaml"},
		{".", "work", "*/web.yaml", "apps/web", "work/apps/web.yaml"},
		{".", root + "/work", "apps", "apps/web", root + "/work/apps/web.yaml"},
		{"work", "../a[1]", "*/web.yaml", "apps/web", "../a[1]/apps/web.yaml"},
		{"a[1]", "", "**/web.yaml", "apps/web", "apps/web.yaml"},
		{
			"work", "", root, "a[1]/apps/web other/apps/web apps/web here/x",
			root + "/a[1]/apps/web.yaml",
		},
	} {
		t.Run(c.dir+" "+c.path, func(t *testing.T) {
			t.Chdir(filepath.Join(root, c.dir))
			found, err := (&Finder{Dir: c.from, Recursive: true}).Find(t.Context(),
				[]string{c.path})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(strings.Join(names(found), " "), "*",
				""); c.path != root && got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if found.Files[0].Path != c.opened {
				t.Errorf("opened as %s, want %s", found.Files[0].Path, c.opened)
			}
			if _, err := os.Stat(found.Files[0].Path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSkipped(t *testing.T) {
	root := tree(t, "a.yaml", "b.md", "c.md", "d.properties", "l.yaml -> a.yaml", "sub/x.md")
	t.Chdir(root)
	found, err := (&Finder{Recursive: true}).Find(t.Context(), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	want := []Skipped{
		{Path: "b.md", Rel: "b.md", Reason: OtherExtension},
		{Path: "c.md", Rel: "c.md", Reason: OtherExtension},
		{Path: "d.properties", Rel: "d.properties", Reason: OtherFormat},
		{Path: "l.yaml", Rel: "l.yaml", Reason: IsLink},
		{Path: "sub/x.md", Rel: "sub/x.md", Reason: OtherExtension},
	}
	if diff := cmp.Diff(want, found.Skipped); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, c := range []struct {
		toolchain api.ToolchainType
		path      string
		want      string
	}{
		{api.ToolchainAppConfigProperties, ".", "d"},
		{api.ToolchainAppConfigYAML, ".", "a"},
		{api.ToolchainAppConfigText, ".", ""},
		{api.ToolchainAppConfigText, "*.md", "b c"}, // pattern and toolchain are explicit
		{"", "*.md", ""},
	} {
		t.Run(c.path+" "+c.want, func(t *testing.T) {
			found, err := (&Finder{Toolchain: c.toolchain}).Find(t.Context(), []string{c.path})
			if got := strings.Join(names(found), " "); err != nil || got != c.want {
				t.Errorf("%s %s: got %s, want %s (%v)", c.toolchain, c.path, got, c.want, err)
			}
		})
	}
}

func TestUnreadableDirectory(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything can be read")
	}
	root := tree(t, "a.yaml", "closed/x.yaml")
	if err := os.Chmod(filepath.Join(root, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o755) })
	found, err := (&Finder{Recursive: true}).Find(t.Context(), []string{root})
	if err != nil || len(found.Files) != 2 || found.Files[1].Problem == nil {
		t.Errorf("got %v, %v", names(found), err)
	}
}

func TestFindCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Finder{Recursive: true}).Find(ctx, []string{t.TempDir()}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestIgnoredFilesAsGit checks that a repository's .gitignore files exclude what git excludes,
// wherever the search starts.
func TestIgnoredFilesAsGit(t *testing.T) {
	root := tree(t)
	write(t, root+"/.gitignore", "*.tmp.yaml\n/build\n!keep.tmp.yaml\ndocs/**/draft*\nsecret/\n")
	write(t, root+"/apps/.gitignore", "!x.tmp.yaml\n/local\ngen*/*\n!gen*/kept.yaml\n")
	write(t, root+"/apps/deep/.gitignore", "*\n!.gitignore\n!only.yaml\n")
	for _, f := range []string{
		"a.yaml", "x.tmp.yaml", "keep.tmp.yaml", "build/b.yaml", "apps/build/b.yaml",
		"apps/x.tmp.yaml", "apps/y.tmp.yaml", "apps/local/l.yaml", "apps/sub/local/l.yaml",
		"apps/gen1/g.yaml", "apps/gen1/kept.yaml", "apps/gen1/sub/kept.yaml", "apps/deep/x.yaml",
		"apps/deep/only.yaml", "apps/deep/sub/only.yaml",
		"docs/a/b/draft1.yaml", "docs/draft.yaml", "docs/final.yaml", "secret/s.yaml",
		"apps/secret/s.yaml", "apps/secret.yaml",
	} {
		t.Run(f, func(t *testing.T) {
			write(t, filepath.Join(root, f), f)
		})
	}
	git(t, root, nil, "init", "-q")
	out := git(t, root, nil, "ls-files", "--others", "--exclude-standard", "-z", "--", "*.yaml")
	all := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(all)
	for _, from := range []string{".", "apps", "docs", "apps/deep"} {
		t.Run(from, func(t *testing.T) {
			found, err := (&Finder{Dir: root, Recursive: true}).Find(t.Context(), []string{from})
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, f := range found.Files {
				got = append(got, f.Rel)
			}
			for _, f := range all {
				if from == "." || strings.HasPrefix(f, from+"/") {
					want = append(want, f)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("from %s (-git +fctl)\n%s", from, diff)
			}
		})
	}
	// A directory that is named is searched, even if it is ignored.
	found, err := (&Finder{Dir: root}).Find(t.Context(),
		[]string{"build", "secret", "apps/deep/x.yaml"})
	if got := strings.Join(names(found), " "); err != nil ||
		got != "build/b secret/s apps/deep/x*" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestFctlIgnoreWins checks that .fctlignore decides first, at whatever depth, and .gitignore the
// rest.
func TestFctlIgnoreWins(t *testing.T) {
	root := tree(t, "gen/a.yaml", "gen/b.yaml", "plain/a.yaml", "plain/left.yaml", "sub/gen/a.yaml",
		"sub/left.yaml", "c.yaml")
	write(t, root+"/.gitignore", "gen/\nc.yaml\n")
	write(t, root+"/.fctlignore", "!gen/\nleft.yaml\n")
	write(t, root+"/gen/.gitignore", "b.yaml\n")
	write(t, root+"/sub/.gitignore", "!left.yaml\n")
	for _, repository := range []bool{false, true} {
		t.Run(fmt.Sprint(repository), func(t *testing.T) {
			if repository {
				git(t, root, nil, "init", "-q")
			}
			for from, want := range map[string]string{
				".":   "gen/a plain/a sub/gen/a",
				"gen": "gen/a",
				"sub": "sub/gen/a",
			} {
				found, err := (&Finder{Dir: root, Recursive: true}).Find(t.Context(),
					[]string{from})
				if got := strings.Join(names(found), " "); err != nil || got != want {
					t.Errorf("repository %v, from %s: got %s, want %s (%v)", repository, from, got,
						want, err)
				}
			}
		})
	}
	// Outside of a repository, ignore files above the working directory do not apply.
	root = tree(t, "work/a.yaml", "work/sub/a.yaml")
	write(t, root+"/.fctlignore", "*\n")
	write(t, root+"/work/.fctlignore", "nothing\n")
	found, err := (&Finder{Dir: root + "/work"}).Find(t.Context(), []string{"sub"})
	if got := strings.Join(names(found), " "); err != nil || got != "sub/a" {
		t.Errorf("got %s, %v", got, err)
	}
}
