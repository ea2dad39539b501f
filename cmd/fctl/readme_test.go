package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme runs the console blocks of README.md, the guides, docs/porting.md and docs/smith.md in
// a copy of examples/, those of docs/links.md in one of examples/links, and compares the output with the
// blocks. UPDATE_README=1 writes the output into them.
func TestReadme(t *testing.T) {
	root := filepath.Join("..", "..")
	guides, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	if err != nil || len(guides) == 0 {
		t.Fatal(guides, err)
	}
	for _, path := range append(guides, filepath.Join(root, "README.md"),
		filepath.Join(root, "docs", "porting.md"), filepath.Join(root, "docs", "smith.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "examples")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples"))); err != nil {
				t.Fatal(err)
			}
			if filepath.Base(path) == "krm-functions.md" {
				if runtime.GOOS == "windows" {
					t.Skip("not run: the function is a shell script")
				}
				example := filepath.Join(dir, "krm", "nginx")
				dir = t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
					t.Fatal(err)
				}
			}
			checkBlocks(t, path, dir)
		})
	}
	t.Run("links.md", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "links"))); err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, filepath.Join(root, "docs", "links.md"), dir)
	})
}

// TestLinksExample runs examples/links/shop.sh, and expects that nothing is left to do.
func TestLinksExample(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "links"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c",
		`sh "$EXAMPLES/shop.sh" && fctl ws check && fctl link plan --exit-code`)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=", "EXAMPLES="+examples)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "4 spaces, 7 units and 6 links: no problem") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReviewExample runs examples/ci/review.sh for changes of a bot: one that it may make, one that
// changes a comment too, and one that would allow itself more.
func TestReviewExample(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		cmd := exec.Command("sh", "-eu", "-c", script)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=", "MAY_CHANGE=may-change",
			"EXAMPLES="+examples)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const start = `git init -q -b main . && cp "$EXAMPLES/deployment.yaml" "$EXAMPLES/ci/may-change" .
commit() { git add . && git -c user.name=a -c user.email=a@example.com commit -q -m change; }
commit
git checkout -q -b bot
fctl do -i deployment.yaml set-container-image '*' example.com/web:2 2>/dev/null
`
	const end = "commit; sh \"$EXAMPLES/ci/review.sh\" main ../review.md bot; cat ../review.md\n"
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	out, err := run(start + end)
	if err != nil || !strings.Contains(out, "all of it is allowed") ||
		!strings.Contains(out, "| ~ | `deployment.yaml` | `apps/v1/Deployment shop/web` |") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, more := range []string{
		"echo '# by a bot' >> deployment.yaml\n",
		"echo metadata >> may-change; fctl do -i deployment.yaml set-annotation a b\n",
	} {
		if out, err := run(start + more + end); err == nil ||
			!strings.Contains(out, "not all of it is allowed") {
			t.Errorf("%s%v\n%s", more, err, out)
		}
	}
}

func checkBlocks(t *testing.T, path, dir string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "```console\n", "```\n"
	parts := strings.Split(string(text), open)
	if len(parts) < 2 {
		t.Fatal("no console block")
	}
	actual := parts[0]
	for _, part := range parts[1:] {
		block, rest, ok := strings.Cut(part, end)
		if !ok {
			t.Fatal("a console block is not closed")
		}
		actual += open + runBlock(t, dir, commands(block)) + end + rest
	}
	if os.Getenv("UPDATE_README") != "" {
		if err := os.WriteFile(path, []byte(actual), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(text), actual); d != "" {
		t.Errorf("%s does not say what happens (-file +truth, UPDATE_README=1 writes it):\n%s",
			path, d)
	}
}

// commands returns the commands in a block.
func commands(block string) []string {
	var typed []string
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			typed = append(typed, strings.TrimSuffix(command, "\n"))
		}
	}
	return typed
}

// runBlock runs the commands and returns the block with their actual output.
func runBlock(t *testing.T, dir string, typed []string) string {
	t.Helper()
	var block strings.Builder
	for _, command := range typed {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=",
			"SOURCE_DATE_EPOCH=0")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() < 0 {
			t.Fatalf("%s: %v", command, err)
		}
		fmt.Fprintf(&block, "$ %s\n%s", command, out)
	}
	return block.String()
}
