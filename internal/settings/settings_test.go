package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

func clearEnv(t *testing.T) {
	t.Helper()
	for _, k := range keys() {
		t.Setenv(EnvName(k.name), "")
	}
	for _, s := range signs() {
		t.Setenv(s.running, "")
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads the settings once.
func load(flags *pflag.FlagSet, context []string, where Locations) (*Settings, error) {
	return Read(flags, where).Settings(flags, context)
}

func flagSet(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("color", "auto", "")
	flags.Bool("quiet", false, "")
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

func TestPrecedence(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	user := write(t, filepath.Join(root, "user", "config.yaml"),
		"color: never\nspace: of-user\noutput: full\n")
	write(t, filepath.Join(root, "repo", ".git"), "gitdir: /nonexistent\n") // a worktree
	write(t, filepath.Join(root, "repo", ProjectFile),
		"# comment\nspace: of-project\noutput: data\nrevision-num: 7\n")
	deep := filepath.Join(root, "repo", "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	where := Locations{Dir: deep, UserFile: user}

	s, err := load(flagSet(t), nil, where)
	if err != nil {
		t.Fatal(err)
	}
	if s.Color != "never" || s.Space != "of-project" || s.Output != "data" || s.RevisionNum != 7 ||
		s.Quiet {
		t.Errorf("files: got %+v", s)
	}

	t.Setenv("FCTL_SPACE", "of-env")
	t.Setenv("FCTL_COLOR", "always")
	t.Setenv("FCTL_QUIET", "true")
	if s, err = load(flagSet(t), nil, where); err != nil {
		t.Fatal(err)
	}
	if s.Space != "of-env" || s.Color != "always" || !s.Quiet {
		t.Errorf("environment: got %+v", s)
	}

	s, err = load(flagSet(t, "--color=auto", "--quiet=false"),
		[]string{
			"space=of-flag", "unit-label.App.io/Name=A.b=C", "approved-by=ann",
			"approved-by=bob", "previous-data-hash=0f",
		}, where)
	if err != nil {
		t.Fatal(err)
	}
	if s.Space != "of-flag" || s.Color != "auto" || s.Quiet ||
		s.UnitLabels["App.io/Name"] != "A.b=C" {
		t.Errorf("flags: got %+v", s)
	}
	if !slices.Equal(s.ApprovedBy, []string{"ann", "bob"}) || s.PreviousDataHash != "0f" {
		t.Errorf("approval: got %v of %s", s.ApprovedBy, s.PreviousDataHash)
	}
}

func TestDefaults(t *testing.T) {
	clearEnv(t)
	s, err := load(flagSet(t), nil, Locations{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Defaults(), s, cmpopts.IgnoreUnexported(Settings{}),
		cmpopts.IgnoreFields(Settings{}, "Rows")); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreReadOnce(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	file := write(t, filepath.Join(root, "config.yaml"), "space: shop\ncolor: never\n")
	flags := flagSet(t)
	sources := Read(flags, Locations{Dir: root, UserFile: file})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for _, color := range []string{"never", "always"} {
		t.Run(color, func(t *testing.T) {
			s, err := sources.Settings(flags, []string{"unit-label.a=b"})
			if err != nil || s.Space != "shop" || s.Color != color || len(s.UnitLabels) != 1 {
				t.Errorf("%+v, %v", s, err)
			}
			if err := flags.Parse([]string{"--color=always"}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAProjectIsNotTrusted(t *testing.T) {
	table := append(keys(), key{name: "server", defaultValue: ""})
	t.Setenv("FCTL_SERVER", "")
	clearEnv(t)
	root := t.TempDir()
	write(t, filepath.Join(root, ProjectFile), "space: shop\nserver: http://evil.example.com\n")
	user := write(t, filepath.Join(root, "user.yaml"), "server: http://mine.example.com\n")
	s, err := read(table, flagSet(t), Locations{Dir: root, UserFile: user}).Settings(flagSet(t),
		nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Notes) != 1 || s.Notes[0].Pos != (api.Position{
		File: "./.fctl.yaml", Line: 2,
		Column: 1,
	}) ||
		!strings.Contains(s.Notes[0].Message, "server is ignored here") {
		t.Errorf("notes %+v", s.Notes)
	}
	if s.Space != "shop" {
		t.Errorf("the rest of the file is lost: %+v", s)
	}
	for _, project := range []bool{true, false} {
		t.Run(fmt.Sprint(project), func(t *testing.T) {
			in := location{path: filepath.Join(root, ProjectFile)}
			if project {
				in.project, _, _ = findProject(root, root)
			}
			read, _ := readFile(table, in, root)
			if _, taken := read.values["server"]; taken == project {
				t.Errorf("server taken: %v, in a project's file: %v", taken, project)
			}
		})
	}
}

func TestBadSettingsAreLocated(t *testing.T) {
	clearEnv(t)
	for name, c := range map[string]struct{ file, want string }{
		"unknown key": {
			"color: auto\n  \ncolour: never\n",
			"./.fctl.yaml:3:1: a settings file has no field \"colour\"\nhint: did you mean color?\n",
		},
		"wrong type": {
			"quiet: perhaps\n",
			"./.fctl.yaml:1:8: quiet must be true or false, not \"perhaps\"\n",
		},
		"wrong number": {
			"revision-num: 1.5\n",
			"./.fctl.yaml:1:15: revision-num must be a whole number, not 1.5\n",
		},
		"a list": {"space: [a]\n", "./.fctl.yaml:1:8: space must be a text, not a list\n"},
		"no paths": {
			"resource-types: {a: b}\n",
			"./.fctl.yaml:1:17: resource-types must be a path or a list of paths, not a map\n",
		},
		"no map": {"- a\n", "./.fctl.yaml:1:1: a settings file must be a map, not a list\n"},
		"no YAML": {"a: 'b\n", "./.fctl.yaml:1:4: unclosed '\n" +
			"hint: close it with '\n"},
		"twice": {
			"quiet: true\nquiet: false\n",
			"./.fctl.yaml:2:1: quiet is given twice, first in line 1\n",
		},
		"two texts": {
			"quiet: true\n---\nquiet: false\n",
			"./.fctl.yaml:2:4: a second document where one was expected\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ProjectFile), c.file)
			_, err := load(flagSet(t), nil, Locations{Dir: root})
			list, ok := errors.AsType[diag.List](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			var b strings.Builder
			if err := list.Write(&b, diag.Style{}); err != nil {
				t.Fatal(err)
			}
			if b.String() != c.want {
				t.Errorf("got\n%swant\n%s", b.String(), c.want)
			}
			class := api.FailureUsage
			if name == "no YAML" || name == "two texts" {
				class = api.FailureInput
			}
			if list[0].Class != class {
				t.Errorf("class %d", list[0].Class)
			}
		})
	}
}

func TestRowsNameOrigins(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	user := write(t, filepath.Join(root, "user", "config.yaml"),
		"space: of-user\nresource-types: mine.yaml\nquiet: true\n")
	write(t, filepath.Join(root, "repo", ProjectFile),
		"output: data\nresource-types: [types/a.yaml, b.yaml]\nquiet: false\n")
	t.Setenv("FCTL_OUTPUT", "full")
	t.Setenv("HOME", root)
	t.Setenv("FCTL_RESOURCE_TYPES", "c.yaml"+string(filepath.ListSeparator)+"d.yaml")
	repo := filepath.Join(root, "repo")
	s, err := load(flagSet(t, "--color=never"), []string{"space=shop"},
		Locations{Dir: repo, UserFile: user, From: root})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"color": "--color", "output": "FCTL_OUTPUT", "space": "--context",
		"quiet": "./repo/.fctl.yaml:3:1",
		"resource-types": "./user/config.yaml:2:17, ./repo/.fctl.yaml:2:18, " +
			"./repo/.fctl.yaml:2:32, FCTL_RESOURCE_TYPES",
		"debug": "default",
	}
	for _, row := range s.Rows {
		if origin, ok := want[row.Name]; ok && row.Origin != origin {
			t.Errorf("%s comes from %s, want %s", row.Name, row.Origin, origin)
		}
	}
	invalid := errors.New("no")
	if f := s.Invalid("quiet", invalid); f.Pos != (api.Position{
		File: "./repo/.fctl.yaml", Line: 3,
		Column: 1,
	}) || !errors.Is(f, invalid) {
		t.Errorf("got %v", f)
	}
	if f := s.Invalid("output", invalid); f.Pos.Line != 0 || f.Message != "FCTL_OUTPUT: no" ||
		!errors.Is(f, invalid) {
		t.Errorf("the error for the environment is %v at %v", f, f.Pos)
	}
	paths := []string{
		filepath.Join(root, "user", "mine.yaml"),
		filepath.Join(repo, "types", "a.yaml"), filepath.Join(repo, "b.yaml"),
		filepath.Join(repo, "c.yaml"), filepath.Join(repo, "d.yaml"),
	}
	got, _ := pathsAndOrigins(s.ResourceTypes)
	if d := cmp.Diff(paths, got); d != "" {
		t.Errorf("resource types (-want +got)\n%s", d)
	}
}

func TestAFileThatWasNamedMustBeThere(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	missing := filepath.Join(root, "none.yaml")
	if _, err := load(flagSet(t), nil, Locations{Dir: root, UserFile: missing}); err != nil {
		t.Error(err)
	}
	if _, err := load(flagSet(t), nil,
		Locations{Dir: root, UserFile: missing, Required: true}); err == nil {
		t.Error("a missing file is not an error")
	}
}

func TestBadEnvironmentAndContext(t *testing.T) {
	clearEnv(t)
	t.Setenv("FCTL_REVISION_NUM", "many")
	_, err := load(flagSet(t), []string{"space", "colour=red", "revision-num=x"},
		Locations{Dir: t.TempDir()})
	list, ok := errors.AsType[diag.List](err)
	if !ok || len(list) != 4 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{
		`FCTL_REVISION_NUM: "many" is not a whole number`,
		`--context space: NAME=VALUE is expected`,
		`--context: unknown name "colour"`,
		`--context revision-num: "x" is not a whole number`,
	} {
		t.Run(want, func(t *testing.T) {
			if list[i].Message != want {
				t.Errorf("got %q, want %q", list[i].Message, want)
			}
		})
	}
}

func TestEverySettingReachesTheStruct(t *testing.T) {
	clearEnv(t)
	for _, k := range keys() {
		value := "x"
		switch k.defaultValue.(type) {
		case bool:
			value = "true"
		case int64:
			value = "42"
		}
		t.Setenv(EnvName(k.name), value)
	}
	t.Setenv(EnvName("max-size"), "7")
	t.Setenv(EnvName("untrusted"), "false") // true would withhold others
	t.Setenv(EnvName("max-memory"), "8KiB")
	t.Setenv(EnvName("timeout"), "9s")
	dir := t.TempDir()
	s, err := load(flagSet(t), nil, Locations{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range s.Rows {
		if row.Origin != EnvName(row.Name) {
			t.Errorf("%s comes from %s", row.Name, row.Origin)
		}
	}
	s.Rows = nil
	want := Settings{
		Color: "x", Output: "x", Toolchain: "x", Quiet: true, Verbose: true, Debug: true,
		KeepGoing: true, Strict: true, RequireMatch: true, AllowExternal: true,
		NoProjectSettings: true, SmithPlugins: "x",
		ResourceTypes:   []NamedPath{{Path: filepath.Join(dir, "x")}},
		Schemas:         []NamedPath{{Path: filepath.Join(dir, "x")}},
		FunctionConfigs: []NamedPath{{Path: filepath.Join(dir, "x")}},
		AllowExec:       "x", ImagePrefix: "x",
		Policies:          []NamedPath{{Path: filepath.Join(dir, "x")}},
		Provided:          []NamedPath{{Path: "x"}},
		KubernetesVersion: "x", Report: "x",
		Space: "x", SpaceID: "x", UnitID: "x", OrganizationID: "x", RevisionNum: 42,
		MaxSize: "7", MaxMemory: "8KiB", Timeout: "9s",
		MaxBytes: 7, MemoryBytes: 8 << 10, TimeLimit: 9 * time.Second,
	}
	if d := cmp.Diff(want, *s, cmpopts.IgnoreUnexported(Settings{}, NamedPath{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func BenchmarkLoad(b *testing.B) {
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	where := Locations{Dir: b.TempDir()}
	for b.Loop() {
		if _, err := load(flags, nil, where); err != nil {
			b.Fatal(err)
		}
	}
}
