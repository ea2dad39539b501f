package golden_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManualTestUpdates runs manual-test.sh with a program in place of fctl that prints its
// arguments: a difference is a failure, unless the golden files are being updated.
func TestManualTestUpdates(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("../../manual-test.sh")
	if err != nil {
		t.Fatal(err)
	}
	write("manual-test.sh", string(script), 0o755)
	write("fake", "#!/bin/sh\necho \"$@\"\n", 0o755)
	write("testdata/cases.txt", "short list --names\n", 0o644)
	write("golden-output/list/short.out", "old\n", 0o644)
	write("golden-output/list/gone.out", "old\n", 0o644)
	for _, c := range []struct{ dir, says, ends string }{
		{"", "FAIL golden-output/list/short.out\n", "0 passed, 2 failed\n"},
		{
			"DIR=golden-output", "updated golden-output/list/short.out\n" +
				"updated golden-output/list/gone.out, which has no case\n",
			"0 unchanged, 2 updated\n",
		},
		{"DIR=golden-output/", "", "1 unchanged, 0 updated\n"},
		{"", "", "1 passed, 0 failed\n"},
	} {
		command := exec.CommandContext(t.Context(), "./manual-test.sh")
		command.Dir = dir
		command.Env = append(os.Environ(), "FCTL="+filepath.Join(dir, "fake"), "DIR=", c.dir)
		out, err := command.CombinedOutput()
		if text := string(out); !strings.Contains(text, c.says) || !strings.HasSuffix(text, c.ends) {
			t.Errorf("%s: it prints %q, want %q and %q", c.dir, text, c.says, c.ends)
		}
		if failed := strings.Contains(c.says, "FAIL"); failed != (err != nil) {
			t.Errorf("%s: it ends with %v", c.dir, err)
		}
	}
}
