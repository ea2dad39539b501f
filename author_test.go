package fctl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuthorsModule builds a module outside of the repository, as an author has it, and runs it.
func TestAuthorsModule(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile := func(from, to string, replace ...string) {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		out := strings.NewReplacer(replace...).Replace(string(text))
		if err := os.WriteFile(filepath.Join(dir, to), []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	copyFile("go.mod", "go.mod", "module github.com/fctl-dev/fctl\n", "module example.com/author\n\n"+
		"require github.com/fctl-dev/fctl v0.0.0\n\nreplace github.com/fctl-dev/fctl => "+root+"\n")
	copyFile("go.sum", "go.sum")
	copyFile("testdata/author/main.go.txt", "main.go")
	copyFile("examples/own-format/sysctl.go", "sysctl.go")
	copyFile("examples/own-format/register.go", "register.go")
	copyFile("examples/hello-world/hello_world.go", "hello_world.go",
		"func register(", "func registerHello(")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "author", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off", "GOWORK=off",
		"GOFLAGS=-mod=mod -trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.CommandContext(t.Context(), filepath.Join(dir, "author"))
	program.Dir = dir
	if out, err := program.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
