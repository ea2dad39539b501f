package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/diag"
)

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestWhereAProjectsFileIsLookedFor checks that the search for a project's file ends at the top of
// the repository or at the home directory.
func TestWhereAProjectsFileIsLookedFor(t *testing.T) {
	for name, c := range map[string]struct {
		git, home string // directories
		dir       string // where the search starts
		want      string // the space in the file that is found
	}{
		"top of the repository":      {git: "a", dir: "a/b/c", want: "a"},
		"above the repository":       {git: "a/b", dir: "a/b/c", want: "default"},
		"a repository in another":    {git: "a/b/c", dir: "a/b/c", want: "default"},
		"up to the home directory":   {home: "a", dir: "a/b/c", want: "a"},
		"above the home directory":   {home: "a/b", dir: "a/b/c", want: "default"},
		"home below the repository":  {git: ".", home: "a/b", dir: "a/b/c", want: "default"},
		"neither":                    {dir: "a/b", want: "default"},
		"neither, in the directory":  {dir: "a", want: "a"},
		"a link into the repository": {git: "a", dir: "link/c", want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			root := t.TempDir()
			mkdir(t, filepath.Join(root, "a", "b", "c"))
			write(t, filepath.Join(root, "a", ProjectFile), "space: a\n")
			link(t, filepath.Join("a", "b"), filepath.Join(root, "link"))
			if c.git != "" {
				mkdir(t, filepath.Join(root, c.git, ".git"))
			}
			t.Setenv("HOME", filepath.Join(root, "elsewhere"))
			if c.home != "" {
				t.Setenv("HOME", filepath.Join(root, c.home))
			}
			s, err := load(flagSet(t), nil, Locations{Dir: filepath.Join(root, c.dir)})
			if err != nil {
				t.Fatal(err)
			}
			if s.Space != c.want {
				t.Errorf("space %s, want %s", s.Space, c.want)
			}
		})
	}
}

// TestWhatAProjectsFileMayName checks that a project's file can only name files below it, and that
// no other file is quoted.
func TestWhatAProjectsFileMayName(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"below":          {"resource-types: types/a.yaml\n", ""},
		"absolute":       {"resource-types: ROOT/repo/types/a.yaml\n", ""},
		"through a link": {"schema: [inside, absolute]\n", ""},
		"missing":        {"schema: none.yaml\n", ""},
		"above": {
			"resource-types: ../secret\n",
			":1:17: resource-types: ../secret is outside",
		},
		"above and missing": {"schema: ../none\n", ":1:9: schema: ../none is outside"},
		"elsewhere": {
			"resource-types: [types/a.yaml, /etc/passwd]\n",
			":1:32: resource-types: /etc/passwd is outside",
		},
		"a link that leads out": {
			"resource-types: out\n",
			":1:17: resource-types: out is outside",
		},
		"below a link": {
			"schema: dir/secret\n",
			":1:9: schema: dir/secret is outside",
		},
		// cleaned to repo/secret, which does not exist; a shell would follow the link
		"the parent of a link": {"schema: dir/../secret\n", ""},
		"of the repository's top": {
			"schema: types/../../secret\n",
			":1:9: schema: types/../../secret is outside",
		},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			root := t.TempDir()
			repo := mkdir(t, filepath.Join(root, "repo"))
			write(t, filepath.Join(root, "secret"), "TOPSECRET\n")
			write(t, filepath.Join(repo, "types", "a.yaml"), "resourceTypes: {}\n")
			link(t, filepath.Join("types", "a.yaml"), filepath.Join(repo, "inside"))
			link(t, filepath.Join(repo, "types", "a.yaml"), filepath.Join(repo, "absolute"))
			link(t, filepath.Join("..", "secret"), filepath.Join(repo, "out"))
			link(t, "..", filepath.Join(repo, "dir"))
			write(t, filepath.Join(repo, ProjectFile), strings.ReplaceAll(c.file, "ROOT", root))
			s, err := load(flagSet(t), nil, Locations{Dir: repo})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range append(s.ResourceTypes, s.Schemas...) {
					text, err := f.Read(f.Path)
					if missing := strings.Contains(c.file, "none") ||
						strings.Contains(c.file, "secret"); (err != nil) != missing ||
						strings.Contains(string(text), "SECRET") {
						t.Errorf("%s: %q, %v", f.Path, text, err)
					}
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "TOPSECRET") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestALinkThatComesLater checks that nothing outside is read even if a link replaces a file after
// the settings were loaded.
func TestALinkThatComesLater(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	repo := mkdir(t, filepath.Join(root, "repo"))
	write(t, filepath.Join(root, "secret"), "TOPSECRET\n")
	types := write(t, filepath.Join(repo, "types.yaml"), "resourceTypes: {}\n")
	write(t, filepath.Join(repo, ProjectFile), "resource-types: types.yaml\n")
	s, err := load(flagSet(t), nil, Locations{Dir: repo})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(types); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join("..", "secret"), types)
	if text, err := s.ResourceTypes[0].Read(types); err == nil {
		t.Errorf("read %q", text)
	}
	// as if it came between the check and opening
	if f, err := s.ResourceTypes[0].project.root.Open("types.yaml"); err == nil {
		_ = f.Close()
		t.Error("the link was followed")
	}
}

func TestFilesOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const otherUser = 12345
	for name, c := range map[string]struct {
		given string // below the repository
		sudo  string
		note  string
	}{
		"the file":      {given: ProjectFile, note: "it belongs to another user"},
		"its directory": {given: "", note: "its directory belongs to another user"},
		"one of another user of sudo": {
			given: ProjectFile, sudo: "54321",
			note: "it belongs to another user",
		},
		"one of who called sudo": {given: ProjectFile, sudo: "12345"},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			t.Setenv("SUDO_UID", c.sudo)
			root := t.TempDir()
			mkdir(t, filepath.Join(root, ".git"))
			write(t, filepath.Join(root, ProjectFile), "space: of-root\n")
			repo := filepath.Join(root, "a")
			write(t, filepath.Join(repo, ProjectFile), "space: of-another\n")
			if err := os.Lchown(filepath.Join(repo, c.given), otherUser, otherUser); err != nil {
				t.Fatal(err)
			}
			s, err := load(flagSet(t), nil, Locations{Dir: repo})
			if err != nil {
				t.Fatal(err)
			}
			if c.note == "" {
				if s.Space != "of-another" || len(s.Notes) > 0 {
					t.Errorf("space %s, notes %v", s.Space, s.Notes)
				}
				return
			}
			if s.Space != "of-root" || len(s.Notes) != 1 || s.Notes[0].Pos.File != "./.fctl.yaml" ||
				!strings.Contains(s.Notes[0].Message, c.note) {
				t.Errorf("space %s, notes %v", s.Space, s.Notes)
			}
		})
	}
}

// TestAFileOfAnotherThatComesLater checks that a file of another user is not read even if it
// replaces a trusted one after the search.
func TestAFileOfAnotherThatComesLater(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	root := t.TempDir()
	path := write(t, filepath.Join(root, ProjectFile), "space: x\n")
	found, _, problem := findProject(root, root)
	if problem != nil {
		t.Fatal(problem)
	}
	if text, err := found.settings(); err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := found.settings(); err == nil || err.Error() != "it belongs to another user" {
		t.Error(err)
	}
}

func TestRejectedSettingsFiles(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"a link to a device": {func(t *testing.T, path string) {
			link(t, "/dev/zero", path)
		}, "the path leads outside the directory"},
		"a link that leads out": {func(t *testing.T, path string) {
			link(t, write(t, filepath.Join(t.TempDir(), "x"), "TOPSECRET\n"), path)
		}, "the path leads outside the directory"},
		"too large": {func(t *testing.T, path string) {
			write(t, path, strings.Repeat("# comment\n", 200_000))
		}, "the file is larger than the limit of 1 MiB"},
		"a link to a directory": {func(t *testing.T, path string) {
			mkdir(t, path+".d")
			link(t, filepath.Base(path)+".d", path)
		}, "a file is expected, not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			root := t.TempDir()
			c.make(t, filepath.Join(root, ProjectFile))
			_, err := load(flagSet(t), nil, Locations{Dir: root})
			list, ok := errors.AsType[diag.List](err)
			if !ok || len(list) != 1 || !strings.Contains(list[0].Message, c.want) ||
				list[0].Hint != "--no-project-settings ignores it" {
				t.Errorf("got %v", err)
			}
			t.Setenv("FCTL_NO_PROJECT_SETTINGS", "true")
			if _, err := load(flagSet(t), nil, Locations{Dir: root}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNotesAboutAProject checks that a project cannot silence the notes about itself.
func TestNotesAboutAProject(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	write(t, filepath.Join(root, ProjectFile), "quiet: true\n")
	if s, err := load(flagSet(t), nil, Locations{Dir: root}); err != nil || !s.Quiet ||
		!s.ShowsNotes() {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := load(flagSet(t, "--quiet"), nil, Locations{Dir: root}); err != nil ||
		s.ShowsNotes() {
		t.Errorf("%+v, %v", s, err)
	}
}
