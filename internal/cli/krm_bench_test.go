//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// cpuTime returns the CPU time of this process and of the programs that it ran and waited for.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// renderedPackage writes n resources in files of a hundred, and a Kptfile with a pipeline.
func renderedPackage(b *testing.B, dir string, n int, pipeline string) {
	b.Helper()
	files := map[string]*bytes.Buffer{"Kptfile": bytes.NewBufferString(
		"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n" + pipeline)}
	for i := range n {
		name := fmt.Sprintf("f%03d.yaml", i/100)
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		fmt.Fprintf(files[name], "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: app-%d\n  namespace: old\nspec:\n  replicas: 3 # for now\n  template:\n"+
			"    spec:\n"+
			"      containers:\n      - name: main\n        image: nginx:%d\n        ports:\n"+
			"        - containerPort: 8080\n        env:\n        - {name: A, value: \"1\"}\n", i,
			i)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		b.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

const (
	builtIn = "pipeline:\n  mutators:\n" +
		"  - image: set-namespace:v0.4\n    configMap: {namespace: shop}\n" +
		"  - image: set-annotations:v0.1\n    configMap: {tier: back}\n" +
		"  - image: set-image:v0.1\n    configMap: {name: nginx, newTag: '2'}\n"
	oneProgram = "pipeline:\n  mutators:\n  - exec: ./function\n"
)

// benchmarkApp returns an app with its output and error output.
func benchmarkApp() (a *command.App, out, errOut *bytes.Buffer) {
	streams, _, out, errOut := iostreams.Test()
	executor := func() (*functions.Executor, error) { return functions.NewStandardExecutor(), nil }
	return &command.App{Name: "fctl", Streams: streams, Executor: executor}, out, errOut
}

// benchmarkCommand runs a command line on a new copy of a package each time, and reports its CPU
// time: that does not depend on what else the machine does.
func benchmarkCommand(b *testing.B, write func(dir string), words ...string) {
	b.Helper()
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		dir := filepath.Join(b.TempDir(), "p")
		write(dir)
		for i, word := range words {
			if strings.HasSuffix(word, "/p") || word == "DIR" {
				words[i] = dir
			}
		}
		a, _, errOut := benchmarkApp()
		b.StartTimer()
		before := cpuTime(b)
		if status := cli.Run(b.Context(), a, words); status != 0 {
			b.Fatalf("status %d\n%s", status, errOut.String())
		}
		cpu += cpuTime(b) - before
	}
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
}

// BenchmarkKRM measures fn render on 10,000 resources beside what it must not be much slower than:
// fctl do -i of the same chain, and the program alone.
func BenchmarkKRM(b *testing.B) {
	write := func(n int, pipeline string) func(string) {
		return func(dir string) { renderedPackage(b, dir, n, pipeline) }
	}
	b.Run("do", func(b *testing.B) {
		benchmarkCommand(b, write(10_000, ""), "do", "-f", "DIR", "-R", "-i", "set-namespace",
			"shop",
			"then", "set-annotation", "tier", "back", "then", "set-container-image", "main",
			"nginx:2")
	})
	for _, n := range []int{10_000, 20_000, 40_000} {
		b.Run(fmt.Sprintf("render-%d", n), func(b *testing.B) {
			benchmarkCommand(b, write(n, builtIn), "fn", "render", "DIR")
		})
	}
	b.Run("200-packages", func(b *testing.B) {
		benchmarkCommand(b, func(dir string) {
			renderedPackage(b, dir, 0, "")
			for i := range 200 {
				renderedPackage(b, filepath.Join(dir, fmt.Sprintf("p%03d", i)), 50, builtIn)
			}
		}, "fn", "render", "DIR")
	})
	program := filepath.Join(b.TempDir(), "function")
	out, err := exec.Command("go", "build", "-o", program, "./testdata/reprint").CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("program-alone", func(b *testing.B) { benchmarkProgram(b, program) })
	b.Run("render-program", func(b *testing.B) {
		benchmarkCommand(b, func(dir string) {
			renderedPackage(b, dir, 10_000, oneProgram)
			if err := os.Link(program, filepath.Join(dir, "function")); err != nil {
				b.Fatal(err)
			}
		}, "fn", "render", "DIR", "--allow-exec")
	})
}

// benchmarkProgram runs a function on the ResourceList of the package and reads what it prints.
func benchmarkProgram(b *testing.B, program string) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "p")
	renderedPackage(b, dir, 10_000, "")
	a, list, _ := benchmarkApp()
	if status := cli.Run(b.Context(), a, []string{"fn", "source", dir}); status != 0 {
		b.Fatal(status)
	}
	var cpu time.Duration
	for b.Loop() {
		cmd := exec.Command(program)
		cmd.Stdin = bytes.NewReader(list.Bytes())
		before := cpuTime(b)
		if _, err := cmd.Output(); err != nil {
			b.Fatal(err)
		}
		cpu += cpuTime(b) - before
	}
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
}
