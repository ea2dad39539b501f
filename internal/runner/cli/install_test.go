package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "base")
	if status, out, stderr := run(t, "", "install", "--image", "i:v1", "-O", dir); status != 0 || out != "" {
		t.Fatalf("status %d\n%s%s", status, out, stderr)
	}
	list, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(string(list), "resources:\n")
	text := ""
	for line := range strings.Lines(names) {
		manifest, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(strings.TrimSpace(line), "- ")))
		if err != nil {
			t.Fatal(err)
		}
		text += "---\n" + string(manifest)
	}
	if status, out, stderr := run(t, "", "install", "--image", "i:v1"); status != 0 || "---\n"+out != text {
		t.Errorf("status %d, another text than that of the base\n%s%s", status, out, stderr)
	}
	status, out, stderr := run(t, "", "install", "--image", "i:v1", "--for", "porch")
	if status != 0 || !strings.Contains(out, "#   --scan-interval TIME ") ||
		!strings.Contains(out, "namespace: porch-system\n") || !strings.Contains(out, "=kube:porch-fn-system\n") {
		t.Errorf("status %d\n%s%s", status, out, stderr)
	}
	for want, words := range map[string][]string{
		"porch is expected":       {"--for", "kpt", "--image", "i:v1"},
		"--image or FCTL":         nil,
		`"N" is not the name`:     {"--namespace", "N", "--image", "i:v1"},
		`unexpected argument "x"`: {"x"},
	} {
		t.Run(want, func(t *testing.T) {
			if status, _, stderr := run(t, "", append([]string{"install"}, words...)...); status != 2 ||
				!strings.Contains(stderr, want) {
				t.Errorf("status %d\n%s", status, stderr)
			}
		})
	}
}
