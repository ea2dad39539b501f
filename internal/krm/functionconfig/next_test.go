package functionconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// objectOf returns the text of an object whose only tag is the version of the edit.
func objectOf(name, image, tag string) string {
	return strings.Replace(head, "{name: f}", "{name: "+name+"}", 1) + "  image: " + image +
		"\n  goExecutor: {tags: [" + tag + "]}\n"
}

// inUse returns the images of a set with their tags.
func inUse(s *Set) string {
	var all []string
	for _, c := range s.Configs() {
		all = append(all, fmt.Sprintf("%s/%s:%s", c.Name, c.Image, c.Go.Tags[0].Text))
	}
	return strings.Join(all, " ")
}

// TestNextKeepsTheLastGoodGeneration edits objects, of files and of a cluster alike. An edit that
// cannot be used leaves the object as it was, and holds up no other object.
func TestNextKeepsTheLastGoodGeneration(t *testing.T) {
	weak := func(c *Config) error {
		if c.Go.Tags[0].Text == "weak" {
			return errors.New("it is weak")
		}
		return nil
	}
	type edit struct{ a, b, want, problem string }
	for name, steps := range map[string][]edit{
		"an error": {
			{objectOf("a", "a", "v1"), objectOf("b", "b", "v1"), "a/a:v1 b/b:v1", ""},
			{objectOf("a", "a", "-v2"), objectOf("b", "b", "v2"), "a/a:v1 b/b:v2", `"-v2"`},
			{"{", objectOf("b", "b", "v3"), "a/a:v1 b/b:v3", "unclosed"},
			{objectOf("a", "a", "v4"), objectOf("b", "b", "v3"), "a/a:v4 b/b:v3", ""},
			{"", objectOf("b", "b", "v3"), "b/b:v3", ""},
			{objectOf("a", "a", "-v5"), objectOf("b", "b", "v3"), "b/b:v3", `"-v5"`},
		},
		"refused by check": {
			{objectOf("a", "a", "v1"), objectOf("b", "b", "weak"), "a/a:v1 b/b:weak", "it is weak"},
			{objectOf("a", "a", "weak"), objectOf("b", "b", "v1"), "a/a:v1 b/b:v1", "it is weak"},
		},
		"refused twice": {
			{objectOf("a", "a", "weak"), objectOf("b", "b", "v1"), "a/a:weak b/b:v1", "it is weak"},
			{objectOf("a", "c", "weak"), objectOf("b", "b", "v1"), "a/c:weak b/b:v1", "it is weak"},
		},
		"image of another object": {
			{objectOf("a", "a", "v1"), objectOf("b", "b", "v1"), "a/a:v1 b/b:v1", ""},
			{
				objectOf("a", "a", "v1"), objectOf("b", "a", "v2"), "a/a:v1 b/b:v1",
				"has a FunctionConfig already: a at ",
			},
			{"", objectOf("b", "a", "v2"), "b/a:v2", ""},
		},
		"two objects change at once": {
			{objectOf("a", "a", "v1"), objectOf("b", "b", "v1"), "a/a:v1 b/b:v1", ""},
			{objectOf("a", "b", "v2"), objectOf("b", "a", "v2"), "a/b:v2 b/a:v2", ""},
		},
		"an object that never was good, and a conflict that ends": {
			{objectOf("a", "a", "-v1"), objectOf("b", "a", "v1"), "b/a:v1", `"-v1"`},
			{objectOf("a", "a", "v2"), objectOf("b", "a", "v1"), "a/a:v2", "already: a at "},
		},
	} {
		dir := t.TempDir()
		plain := func(path string) string { return strings.TrimPrefix(path, dir+"/") }
		for source, read := range map[string]func(a, b string) []Part{
			"cluster": func(a, b string) []Part {
				var parts []Part
				for key, text := range map[string]string{"n/a": a, "n/b": b} {
					if text != "" {
						parts = append(parts, ParseObject([]byte(text), key))
					}
				}
				if len(parts) == 2 && parts[0].Name > parts[1].Name {
					parts[0], parts[1] = parts[1], parts[0]
				}
				return parts
			},
			"files": func(a, b string) []Part {
				for file, text := range map[string]string{"a.yaml": a, "b.yaml": b} {
					path := filepath.Join(dir, file)
					_ = os.Remove(path)
					if text == "" {
						continue
					}
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return ReadParts([]string{dir}, plain)
			},
		} {
			t.Run(name+" in "+source, func(t *testing.T) {
				set := &Set{}
				for i, step := range steps {
					var problems []ConfigProblem
					set, problems = set.Next(read(step.a, step.b), weak)
					if got := inUse(set); got != step.want {
						t.Errorf("step %d: %s, want %s", i+1, got, step.want)
					}
					got := lines(problems)
					if (got == "") != (step.problem == "") || !strings.Contains(got, step.problem) {
						t.Errorf("step %d: problems %q, want %q", i+1, got, step.problem)
					}
				}
			})
		}
	}
}

// TestNextFindsTheObject edits files in ways that make it hard to see which object is which. An
// object stays as it was until it is deleted or good again.
func TestNextFindsTheObject(t *testing.T) {
	good, bad := objectOf("a", "a", "v1"), objectOf("a", "a", "-v2")
	type files map[string]string
	type step struct {
		files         files
		want, problem string
	}
	const taken = "0.yaml:12:10: FunctionConfig/new: spec.image: the image a has a FunctionConfig " +
		"already: a at a.yaml:5:10"
	for name, steps := range map[string][]step{
		"a newcomer takes the image and goes": {
			{files{"a.yaml": bad, "0.yaml": objectOf("new", "a", "v9")}, "new/a:v9", `"-v2"`},
			{files{"a.yaml": bad}, "a/a:v1", `"-v2"`},
			{files{"a.yaml": bad, "0.yaml": objectOf("new", "a", "v9")}, "new/a:v9", `"-v2"`},
			{files{}, "", ""},
			{files{"a.yaml": bad}, "", `"-v2"`},
		},
		"a newcomer while the object is good": {
			{files{"a.yaml": good, "0.yaml": objectOf("new", "a", "v9")}, "new/a:v9", "already"},
			{files{"a.yaml": bad, "0.yaml": objectOf("new", "a", "v9")}, "new/a:v9", "already"},
			{files{"a.yaml": bad}, "a/a:v1", `"-v2"`},
		},
		"a newcomer after it in its file": {
			{files{"a.yaml": bad + "---\n" + objectOf("new", "a", "v9")}, "a/a:v1", "already: a at "},
			{files{"a.yaml": bad}, "a/a:v1", `"-v2"`},
		},
		"a newcomer in the file while its name is not readable": {
			{
				files{"a.yaml": objectOf("{}", "a", "v2") + "---\n" + objectOf("new", "a", "v9")},
				"new/a:v9", "metadata.name",
			},
			{files{"a.yaml": bad}, "a/a:v1", `"-v2"`},
		},
		"moved": {
			{files{"0.yaml": objectOf("a", "a", "v2")}, "a/a:v2", ""},
			{files{"sub/b.yaml": bad}, "a/a:v2", `"-v2"`},
			{files{"0.yaml": strings.Replace(bad, "kind: F", "kynd: F", 1)}, "a/a:v2", "0.yaml:1:1"},
			{files{"b.yaml": "{" + bad}, "a/a:v2", "b.yaml:1:1"},
			{files{"c.yaml": "{"}, "", "c.yaml:1:1"},
		},
		"moved below a newcomer": {
			{files{"0.yaml": bad + "---\n" + objectOf("new", "a", "v9")}, "a/a:v1", taken},
		},
		"deleted beside a broken file": {
			{files{"b.yaml": "{ no such name"}, "", "b.yaml:1:1"},
		},
		"copied, and the copy comes first": {
			{
				files{"0.yaml": objectOf("a", "a", "v2"), "a.yaml": good},
				"a/a:v2",
				"a.yaml:3:18: FunctionConfig/a: metadata.name: another FunctionConfig",
			},
			{files{"0.yaml": bad, "a.yaml": good}, "a/a:v2", `"-v2"`},
		},
		"kind": {
			{
				files{"a.yaml": strings.Replace(good, "kind: Fu", "kind: Fi", 1)},
				"a/a:v1",
				`a.yaml:2:7: FunctionConfig/a: kind must be FunctionConfig, not "FinctionConfig"`,
			},
			{
				files{"a.yaml": strings.Replace(good, "kind: FunctionConfig\n", "", 1)},
				"a/a:v1",
				"a.yaml:1:1: FunctionConfig/a: kind is missing",
			},
			{
				files{"a.yaml": strings.Replace(good, "kind: ", "#", 1)}, "a/a:v1", "kind is missing",
			},
			{files{"a.yaml": strings.Replace(good, "kind: FunctionConfig", "kind: ConfigMap", 1)}, "", ""},
		},
		"apiVersion": {
			{
				files{"a.yaml": strings.Replace(good, "porch", "proch", 1)},
				"a/a:v1",
				"a.yaml:1:13: FunctionConfig/a: apiVersion must be config.porch.kpt.dev/v1alpha1",
			},
			{files{"a.yaml": good[strings.Index(good, "kind"):]}, "a/a:v1", "apiVersion is missing"},
			{files{"a.yaml": strings.Replace(good, "config.porch.kpt.dev", "example.com", 1)}, "", ""},
		},
		"dangling link": {
			{files{"a.yaml": "-> nowhere"}, "a/a:v1", "a.yaml: symbolic link leads to no file"},
			{files{"a.yaml": bad}, "a/a:v1", `"-v2"`},
			{files{"a.yaml": "-> /dev/null"}, "a/a:v1", "a.yaml: symbolic link leads to no file"},
			{files{"b.yaml": "-> nowhere"}, "", "b.yaml: symbolic link leads to no file"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			plain := func(path string) string { return strings.TrimPrefix(path, root+"/") }
			set, seen := &Set{}, ""
			for i, step := range append([]step{{files{"a.yaml": good}, "a/a:v1", ""}}, steps...) {
				if err := os.RemoveAll(root); err != nil {
					t.Fatal(err)
				}
				for file, text := range step.files {
					path := filepath.Join(root, file)
					err := os.MkdirAll(filepath.Dir(path), 0o700)
					if target, ok := strings.CutPrefix(text, "-> "); ok {
						err = errors.Join(err, os.Symlink(target, path))
					} else {
						err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				_ = os.MkdirAll(root, 0o700)
				now := Fingerprint([]string{root}, plain)
				if now == seen {
					t.Errorf("step %d is not seen", i)
				}
				seen = now
				var problems []ConfigProblem
				set, problems = set.Next(ReadParts([]string{root}, plain), nil)
				if got := inUse(set); got != step.want {
					t.Errorf("step %d: %s, want %s", i, got, step.want)
				}
				got := lines(problems)
				if (got == "") != (step.problem == "") || !strings.Contains(got, step.problem) {
					t.Errorf("step %d: problems %q, want %q", i, got, step.problem)
				}
			}
		})
	}
}

// TestNextOfANewObject deletes an object and makes another one of the same name, which is broken.
func TestNextOfANewObject(t *testing.T) {
	part := func(tag, uid string) Part {
		text := strings.Replace(objectOf("a", "a", tag), "name: a", "name: a, uid: "+uid, 1)
		return ParseObject([]byte(text), "n/a")
	}
	for uid, want := range map[string]string{"x": "a/a:v1", "y": ""} {
		t.Run(uid, func(t *testing.T) {
			set, _ := (&Set{}).Next([]Part{part("v1", "x")}, nil)
			set, problems := set.Next([]Part{part("-v2", uid)}, nil)
			if got := inUse(set); got != want || len(problems) != 1 {
				t.Errorf("%s, want %s: %s", got, want, lines(problems))
			}
		})
	}
}

// TestNextOfADamagedFile has several objects in one file of a directory, one of which is broken.
// Then it loses the directory and a file that is named itself.
func TestNextOfADamagedFile(t *testing.T) {
	root := t.TempDir()
	plain := func(path string) string { return strings.TrimPrefix(path, root+"/") }
	dir, file := filepath.Join(root, "dir"), filepath.Join(root, "own.yaml")
	set := &Set{}
	for i, step := range []struct {
		text, want string
		problems   int
	}{
		{
			objectOf("a", "a", "v1") + "---\n" + objectOf("b", "b", "v1") + "---\n" +
				objectOf("c", "c", "v1"), "a/a:v1 b/b:v1 c/c:v1", 0,
		},
		// The new object b counts, a stays, and c may be unreadable, not deleted.
		{objectOf("a", "a", "-v2") + "---\n" + objectOf("b", "b", "v2"), "a/a:v1 b/b:v2 c/c:v1", 1},
		// The image of c has another object, which is not a conflict.
		{
			objectOf("a", "a", "-v2") + "---\n" + objectOf("new", "c", "v3"),
			"a/a:v1 new/c:v3 b/b:v2", 1,
		},
		{"missing", "a/a:v1 new/c:v3 b/b:v2", 2},
		{objectOf("b", "b", "v4"), "b/b:v4", 0},
	} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(file)
		if step.text != "missing" {
			_ = os.Mkdir(dir, 0o700)
			for path, text := range map[string]string{
				filepath.Join(dir, "all.yaml"): step.text, file: objectOf("own", "own", "v1"),
			} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		var problems []ConfigProblem
		set, problems = set.Next(ReadParts([]string{dir, file}, plain), nil)
		if got, want := inUse(set), step.want+" own/own:v1"; got != want {
			t.Errorf("step %d: %s, want %s", i+1, got, want)
		}
		if len(problems) != step.problems {
			t.Errorf("step %d: problems %s, want %d", i+1, lines(problems), step.problems)
		}
	}
}
