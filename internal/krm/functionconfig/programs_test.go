//go:build unix

package functionconfig

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
)

// TestPrograms runs binaries of a directory of functions, and refuses those that may not run.
func TestPrograms(t *testing.T) {
	root := t.TempDir()
	functions := filepath.Join(root, "functions")
	program := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	program(filepath.Join(functions, "script"), "#!/bin/sh\necho \"script $0\"\n", 0o755)
	program(filepath.Join(functions, "plain"), "#!/bin/sh\n", 0o644)
	program(filepath.Join(root, "outside"), "#!/bin/sh\necho outside\n", 0o755)
	for link, to := range map[string]string{"leads-out": "../outside", "echo": "/bin/echo"} {
		t.Run(link, func(t *testing.T) {
			if err := os.Symlink(to, filepath.Join(functions, link)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := syscall.Mkfifo(filepath.Join(functions, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	echo, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Fatal(err)
	}
	program(filepath.Join(functions, "elf"), string(echo), 0o755)
	for _, c := range []struct {
		name     string
		programs Programs
		binary   Binary
		want     string // of the output, or of the error
	}{
		{"script", Programs{Allow: true}, Binary{RelPath: "script"}, "script " + functions +
			"/script\n"},
		{"by descriptor", Programs{Allow: true}, Binary{RelPath: "elf"}, "word\n"},
		{"below", Programs{Allow: true}, Binary{AbsPath: functions + "/elf"}, "word\n"},
		{
			"not allowed",
			Programs{},
			Binary{RelPath: "script"},
			"exec is not allowed (--allow-exec)",
		},
		{"missing", Programs{Allow: true}, Binary{RelPath: "none"}, "none does not exist"},
		{
			"mode",
			Programs{Allow: true},
			Binary{RelPath: "plain"},
			"its file mode does not allow it",
		},
		{"directory", Programs{Allow: true}, Binary{RelPath: "../functions"}, "not executable"},
		{"pipe", Programs{Allow: true}, Binary{RelPath: "pipe"}, "it is not a regular file"},
		{
			"any pipe",
			Programs{Allow: true, Any: true},
			Binary{AbsPath: functions + "/pipe"},
			"it is not a regular file",
		},
		{"link", Programs{Allow: true}, Binary{RelPath: "leads-out"}, "not executable"},
		{"absolute link", Programs{Allow: true}, Binary{RelPath: "echo"}, "not executable"},
		{
			"outside",
			Programs{Allow: true},
			Binary{AbsPath: root + "/outside"},
			"is not below a directory of functions (--functions)",
		},
		{"any", Programs{Allow: true, Any: true}, Binary{AbsPath: root + "/outside"}, "outside\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.programs.Dirs = []string{functions}
			out, err := c.programs.Run(t.Context(), Candidate{
				Kind: KindBinary, Config: &Config{Binary: &c.binary},
			}, process.Call{Args: []string{"word"}})
			got := string(out.Stdout)
			if err != nil {
				got = err.Error()
				if !process.NotStarted(err) {
					t.Errorf("%v is not known as an error before the start", err)
				}
			}
			if !strings.HasSuffix(got, c.want) && !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	out, err := (&Programs{Allow: true}).Run(t.Context(), Candidate{
		Kind: KindBinary, Config: &Config{Binary: &Binary{RelPath: "elf"}},
	}, process.Call{})
	if err == nil || !strings.Contains(err.Error(), "not set (--functions)") {
		t.Errorf("got %s, %v", out.Stdout, err)
	}
}

// TestARunThatFailedIsNotRepeated counts the runs of a program that fails, and of one that is
// killed.
func TestARunThatFailedIsNotRepeated(t *testing.T) {
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	for name, end := range map[string]string{
		"fails": "exit 3", "hangs": "sleep 60",
		"odd": "echo [a",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, name),
				[]byte("#!/bin/sh\necho run >> "+count+"\n"+end+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			set := setOf(t, "", "image: f, binaryExecutor: {tags: [v1], path: "+name+
				"}, podExecutor: {}")
			m, err := set.Find(Lookup{Image: "f:v1"})
			if err != nil {
				t.Fatal(err)
			}
			pod := &fake{has: func(Candidate) error { return nil }}
			_, trace, err := Dispatch(t.Context(), &m, map[ExecutorKind]Executor{
				KindBinary: (&Programs{Dirs: []string{dir}, Allow: true}).Run, KindPod: pod.Run,
			}, process.Call{Limits: process.Limits{Time: 300 * time.Millisecond}})
			if (err == nil) != (name == "odd") || pod.runs > 0 {
				t.Errorf("%s: %v, %d pods\n%s", name, err, pod.runs, trace)
			}
		})
	}
	text, err := os.ReadFile(count)
	if err != nil || strings.Count(string(text), "run") != 3 {
		t.Errorf("the programs ran: %s, %v", text, err)
	}
}

// TestWatch changes, adds and removes files.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, image string) {
		t.Helper()
		text := strings.ReplaceAll(head, "{name: f}", "{name: "+image+"}") + "  image: " + image +
			"\n  podExecutor: {}\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plain := func(path string) string { return filepath.Base(path) }
	seen := Fingerprint([]string{dir}, plain)
	write("a.yaml", "first") // before the watch begins
	changes := make(chan string, 10)
	go Watch(t.Context(), []string{dir}, plain, seen, 5*time.Millisecond,
		func(parts []Part) {
			set, problems := (&Set{}).Next(parts, nil)
			var names []string
			for _, config := range set.Configs() {
				names = append(names, config.Image)
			}
			changes <- strings.Join(names, " ") + lines(problems)
		})
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "first"},
		{func() { write("b.yaml", "second") }, "first second"},
		{func() { write("a.yaml", "changed") }, "changed second"},
		{func() { _ = os.Remove(filepath.Join(dir, "a.yaml")) }, "second"},
		{func() { write(".hidden.yaml", "x"); write("b.yaml", "third-one") }, "third-one"},
	} {
		t.Run(step.want, func(t *testing.T) {
			step.change()
			for got := ""; got != step.want; {
				select {
				case got = <-changes:
				case <-time.After(5 * time.Second):
					t.Fatalf("no %s", step.want)
				}
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": proposed, "sub/b.json": strings.NewReplacer(`"image": "set`, `"image": "get`,
			`"name": "set`, `"name": "get`).Replace(today),
		"c.yaml": "kind: ConfigMap\n", "d.txt": "x", "e.yaml": "[", "..data/a.yaml": proposed,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	plain := func(path string) string { return strings.TrimPrefix(path, dir+"/") }
	configs, problems := Read(t.Context(), []string{dir}, plain, nil)
	if len(configs) != 2 || lines(problems) != "server e.yaml:1:1: unclosed [" {
		t.Errorf("%d configs, %s", len(configs), lines(problems))
	}
	configs, problems = Read(t.Context(), []string{dir + "/c.yaml", dir + "/none"}, plain, nil)
	want := "none: no such file or directory\n" +
		"server c.yaml:1:7: kind must be FunctionConfig, not \"ConfigMap\""
	if len(configs) != 0 || lines(problems) != want {
		t.Errorf("%d configs, %s", len(configs), lines(problems))
	}
}

// TestReadFindsImagesOfBrokenObjects reports that an image is used twice in the same run as the
// other errors of the objects that name it.
func TestReadFindsImagesOfBrokenObjects(t *testing.T) {
	dir := t.TempDir()
	for name, spec := range map[string]string{
		"a.yaml": "image: f, podExecutor: {}",
		"b.yaml": "image: f, podExecutor: {timeToLive: x}",
		"c.yaml": "image: g, podExecutor: {timeToLive: x}",
		"d.yaml": "image: g, podExecutor: {timeToLive: x}",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(head, "spec:", "spec: {"+spec+"}", 1)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	_, problems := Read(t.Context(), []string{dir}, filepath.Base, nil)
	got := lines(problems)
	for _, want := range []string{
		"b.yaml:4:15: FunctionConfig/f: spec.image: the image f has a FunctionConfig already: f " +
			"at a.yaml:4:15",
		"d.yaml:4:15: FunctionConfig/f: spec.image: the image g has a FunctionConfig already: f " +
			"at c.yaml:4:15",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(got, want) {
				t.Errorf("got\n%s\nwant %s", got, want)
			}
		})
	}
}

// An object that has the name of one in another file replaces it in a cluster as well.
func TestReadFindsNamesOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, object := range map[string]string{
		"a.yaml": strings.Replace(head, "spec:", "spec: {image: f, podExecutor: {}}", 1),
		"b.yaml": strings.Replace(head, "spec:", "spec: {image: g, podExecutor: {}}", 1),
		"c.yaml": strings.NewReplacer("name: f", "name: f, namespace: n", "spec:",
			"spec: {image: h, podExecutor: {}}").Replace(head),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(object), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	configs, problems := Read(t.Context(), []string{dir}, filepath.Base, nil)
	want := "b.yaml:3:18: FunctionConfig/f: metadata.name: another FunctionConfig has the name f, " +
		"at a.yaml:1:1; a cluster keeps the last one only"
	if got := lines(problems); got != want || len(configs) != 2 {
		t.Errorf("%d configs: %s", len(configs), got)
	}
}
