//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkPeer measures three functions on 10,000 resources: by fn render, where they are built
// in, and as programs, by kustomize fn run and by fctl fn run. kpt is not available as a Go module;
// kustomize fn run is the library that kpt is made of, and works as kpt does: for each function it
// prints all resources, starts a program, and parses what that prints. The loops run once each,
// because kustomize takes a minute.
func BenchmarkPeer(b *testing.B) {
	cmd := exec.Command("go", "tool", "-modfile=../tools.mod", "-n", "kustomize")
	out, err := cmd.Output()
	if err != nil {
		b.Skipf("not run: kustomize cannot be built: %v", err)
	}
	kustomize := strings.TrimSpace(string(out))
	dir := b.TempDir()
	fctl, function := filepath.Join(dir, "fctl"), filepath.Join(dir, "published")
	for _, words := range [][]string{
		{"build", "-o", fctl, "../../cmd/fctl"},
		{"build", "-modfile=../tools.mod", "-o", function, "./testdata/published"},
	} {
		build := exec.Command("go", words...)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	declared := filepath.Join(dir, "functions")
	if err := os.Mkdir(declared, 0o777); err != nil {
		b.Fatal(err)
	}
	for i, name := range []string{"set-namespace", "set-annotations", "set-image"} {
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n"+
			"  annotations:\n"+
			"    config.kubernetes.io/function: |\n      exec: {path: %s}\n", name, function)
		file := filepath.Join(declared, fmt.Sprintf("%d.yaml", i))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, program string
		words         []string // before the directory and after it
		after         []string
	}{
		{"fctl-render-built-in", fctl, []string{"fn", "render"}, nil},
		{
			"fctl-run-programs", fctl,
			[]string{"fn", "run"},
			[]string{"--allow-exec", "--allow-outside", "--fn-path", declared},
		},
		{
			"kustomize-run-programs", kustomize,
			[]string{"fn", "run"},
			[]string{"--enable-exec", "--fn-path", declared},
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			var cpu time.Duration
			for b.Loop() {
				b.StopTimer()
				p := filepath.Join(b.TempDir(), "p")
				renderedPackage(b, p, 10_000, builtIn)
				if c.program == kustomize { // takes Kptfiles for nothing special
					if err := os.Remove(filepath.Join(p, "Kptfile")); err != nil {
						b.Fatal(err)
					}
				}
				cmd := exec.Command(c.program, append(append(c.words, p), c.after...)...)
				before := cpuTime(b)
				b.StartTimer()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				cpu += cpuTime(b) - before
				b.StopTimer()
				checkPeer(b, p)
				b.StartTimer()
			}
			b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// checkPeer checks that all resources were changed.
func checkPeer(b *testing.B, dir string) {
	b.Helper()
	for i := range 100 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%03d.yaml", i)))
		if err != nil {
			b.Fatal(err)
		}
		for _, want := range []string{
			"  namespace: shop", "    tier: ",
			"        image: nginx:2\n",
		} {
			if n := strings.Count(string(text), want); n < 100 {
				b.Fatalf("%d times %q in file %d", n, want, i)
			}
		}
	}
}
