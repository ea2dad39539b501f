//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/shellwords"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/iostreams"
)

// work is what a command cost: the values it allocated, and its processor time.
type work struct {
	allocations uint64
	time        time.Duration
}

// measure runs a command in a directory and returns its work.
func measure(t *testing.T, dir string, words ...string) (done work, status int) {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := used()
	streams, _, _, _ := iostreams.Test()
	a := &app.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	status = cli.Run(t.Context(), a, append([]string{"-C", dir}, words...))
	took := used() - start
	runtime.ReadMemStats(&after)
	return work{after.Mallocs - before.Mallocs, took}, status
}

// small is the time up to which a ratio says nothing.
const small = 50 * time.Millisecond

// checkLinear reports work that grows faster than its input, which is four times as large. Work
// that is proportional to the square of the input is 16 times as large.
func checkLinear(t *testing.T, measure func(large bool) work) {
	t.Helper()
	var less, more work
	for range 3 { // what else runs on the machine adds to the time
		less, more = measure(false), measure(true)
		if more.allocations <= 6*less.allocations+10_000 && more.time <= 8*less.time+small {
			return
		}
	}
	t.Errorf("four times the input: %d and %d allocations, %v and %v", less.allocations,
		more.allocations, less.time, more.time)
}

// sizes returns the numbers of resources that are compared.
func sizes() (less, more int) {
	if os.Getenv("LONG") != "" {
		return 1000, 4000
	}
	return 250, 1000
}

// resource returns one of n resources of a shop. Most refer to something that is missing.
func resource(i, n int, sameName bool) string {
	name, namespace := fmt.Sprintf("item-%04d", i), fmt.Sprint("area-", i%(n/50))
	if sameName {
		name, namespace = "item", fmt.Sprint("area-", i)
	}
	head := fmt.Sprintf("metadata:\n  name: %s\n  namespace: %s\n  labels: {app: %s}\n", name,
		namespace, name)
	switch i % 4 {
	case 0:
		return "apiVersion: v1\nkind: Service\n" + head + "spec:\n  selector: {app: " + name +
			"}\n  ports:\n  - port: 80\n"
	case 1:
		return "apiVersion: policy/v1\nkind: PodDisruptionBudget\n" + head +
			"spec:\n  minAvailable: 1\n  selector:\n    matchLabels: {app: " + name + "}\n"
	case 2:
		return "apiVersion: example.com/v1\nkind: Item\n" + head + "spec:\n  interval: 5m\n"
	}
	return "apiVersion: apps/v1\nkind: Deployment\n" + head + "spec:\n  replicas: 3\n" +
		"  selector:\n    matchLabels: {app: " + name + "}\n  template:\n    metadata:\n" +
		"      labels: {app: " + name + "}\n    spec:\n      serviceAccountName: " + name + "\n" +
		"      containers:\n      - name: main\n        image: registry.example.com/" + name +
		":1.0\n        env:\n        - {name: HOST, value: http://" + name + "." + namespace +
		".svc}\n        envFrom:\n        - configMapRef: {name: " + name + "-settings}\n"
}

// shapes are directories of n resources: all in one file, one in each file, and one in each file
// with the same name in different namespaces.
func shapes(t *testing.T, n int) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, shape := range []string{"stream", "files", "same names"} {
		dir := filepath.Join(t.TempDir(), "in")
		dirs[shape] = dir
		var all strings.Builder
		for i := range n {
			text := resource(i, n, shape == "same names")
			all.WriteString("---\n" + text)
			if shape != "stream" {
				writeFile(t, filepath.Join(dir, fmt.Sprintf("part-%d/%d.yaml", i%20, i)), text)
			}
		}
		if shape == "stream" {
			writeFile(t, filepath.Join(dir, "all.yaml"), all.String())
		}
	}
	return dirs
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLinearFunctions runs every function for Kubernetes, with its first example, on inputs of
// two sizes.
func TestLinearFunctions(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("'make long' runs every function on thousands of files")
	}
	n, m := sizes()
	less, more := shapes(t, n), shapes(t, m)
	e := functions.NewStandardExecutor()
	for _, s := range e.Signatures(api.ToolchainKubernetesYAML) {
		if len(s.Examples) == 0 {
			t.Errorf("%s has no example", s.FunctionName)
			continue
		}
		words, err := shellwords.Split(s.Examples[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range []string{"stream", "files"} {
			t.Run(s.FunctionName+" "+shape, func(t *testing.T) {
				checkLinear(t, func(large bool) work {
					dir := less[shape]
					if large {
						dir = more[shape]
					}
					done, _ := measure(t, dir, append([]string{
						"do", "-f", ".", "-R", "-o", "diff",
					}, words...)...)
					return done
				})
			})
		}
	}
}

// linearCommands are the commands whose work depends on the number of resources, with the words to
// measure. Each row is a command as in docs/cli.md; words in {} are replaced.
func linearCommands() map[string][][]string {
	files := []string{"-f", ".", "-R"}
	return map[string][][]string{
		"do": {
			append([]string{"do", "-o", "mutations"}, append(files, "set-label", "a", "b")...),
			append([]string{"do", "--check"}, append(files, "set-replicas", "9")...),
			append([]string{"do", "--name", "nobody"}, append(files, "set-replicas", "9")...),
		},
		"doseq":     {{"doseq", "-f", ".", "-R", `[{"FunctionName": "get-resources"}]`}},
		"vet":       {append([]string{"vet"}, files...), append([]string{"vet", "--policy", "restricted"}, files...)},
		"diff":      {{"diff", ".", "../other"}},
		"merge":     {{"merge", "../other", ".", "../other"}},
		"fn source": {{"fn", "source", "."}},
		"fn eval":   {{"fn", "eval", ".", "--image", "set-labels:v0.2", "--dry-run", "--", "a=b"}},
	}
}

// notMeasured are the commands without such work, and those that other tests measure.
func notMeasured() map[string]string {
	reasons := map[string]string{}
	for reason, commands := range map[string][]string{
		"TestLadderLinear of package bundle": {
			"bundle explain", "bundle graph", "bundle render", "bundle to-delete",
			"bundle validate",
		},
		"TestCostAgainstParsing of package wave, and the tests of package workspace": {
			"export", "filter *", "import", "invocation *", "link *", "mutation list", "revision *",
			"space *", "undo", "unit *", "watch", "workspace *",
		},
		"runs the functions that fn eval runs": {
			"fn render", "fn run", "fn sink", "fn test", "krm", "fn wrap", "fn xargs",
		},
		"reads no resources": {
			"bundle plugins", "completion *", "config view", "explain", "fn doc", "fn explain",
			"fn init", "functionconfig *", "list", "listpaths", "ok", "plugin test", "shutdown",
			"version",
		},
	} {
		for _, c := range commands {
			reasons[c] = reason
		}
	}
	return reasons
}

// TestLinearCommands runs the commands on inputs of two sizes. It fails for a command that has
// neither a row nor a reason.
func TestLinearCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^## fctl (.+)$`).FindAllStringSubmatch(
		string(text), -1) {
		names = append(names, match[1])
	}
	commands, reasons := linearCommands(), notMeasured()
	for i, name := range names {
		isGroup := i+1 < len(names) && strings.HasPrefix(names[i+1], name+" ")
		family, _, _ := strings.Cut(name, " ")
		if !isGroup && commands[name] == nil && reasons[name] == "" && reasons[family+" *"] == "" {
			t.Errorf("fctl %s is not measured: add a row, or a reason", name)
		}
	}
	n, m := sizes()
	less, more := shapes(t, n), shapes(t, m)
	for _, dirs := range []map[string]string{less, more} {
		for _, dir := range dirs {
			other(t, dir)
		}
	}
	for name, rows := range commands {
		for _, words := range rows {
			for shape := range less {
				t.Run(strings.Join(words, " ")+" "+shape, func(t *testing.T) {
					checkLinear(t, func(large bool) work {
						dir := less[shape]
						if large {
							dir = more[shape]
						}
						done, status := measure(t, dir, words...)
						if status > 1 {
							t.Fatalf("status %d", status)
						}
						return done
					})
				})
			}
		}
		if !slices.Contains(names, name) {
			t.Errorf("there is no command fctl %s", name)
		}
	}
}

// other makes a directory beside dir in which some resources differ.
func other(t *testing.T, dir string) {
	t.Helper()
	to := filepath.Join(filepath.Dir(dir), "other")
	if _, err := os.Stat(to); err == nil {
		return
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		writeFile(t, filepath.Join(to, name), strings.ReplaceAll(string(text), "replicas: 3",
			"replicas: 4"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
