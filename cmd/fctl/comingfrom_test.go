package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestComingFrom runs the command lines of fctl in the tables of docs/guide/coming-from.md, in a
// copy of examples/ that is a workspace. None may fail; a difference or a finding has the status 1.
func TestComingFrom(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "coming-from.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples"))); err != nil {
		t.Fatal(err)
	}
	idle := regexp.MustCompile("nothing matched|no resource satisfies|nothing to do")
	run := func(line string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CONFIG_HOME=")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != 1 || idle.Match(out) {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	run("fctl ws init --space base")
	row := regexp.MustCompile("(?m)^\\|.*\\| `(fctl .*)` \\|$")
	tables := strings.Split(string(text), "\n## ")[1:]
	if len(tables) != 6 {
		t.Errorf("%d tables", len(tables))
	}
	for _, table := range tables {
		name, _, _ := strings.Cut(table, "\n")
		rows := row.FindAllStringSubmatch(table, -1)
		if len(rows) != 10 {
			t.Errorf("%s has %d lines, not ten", name, len(rows))
		}
		for _, found := range rows {
			run(strings.ReplaceAll(found[1], `\|`, "|"))
		}
	}
}
