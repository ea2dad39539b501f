//go:build cluster

package testcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testOthers runs the tests of other packages that need a running API server, in this one: those
// that read FCTL_TEST_KUBECTL.
func testOthers(t *testing.T, e *env) {
	defer e.clean(t)
	out, err := exec.Command("git", "grep", "-l", "FCTL_TEST_KUBECTL", "--",
		":(top)*_test.go", ":!:.").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for file := range strings.FieldsSeq(string(out)) {
		packages = append(packages, "./"+filepath.Dir(file))
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	cmd := exec.Command("go", append([]string{
		"test", "-count=1", "-v", "-run", "Cluster|APIServer|Server",
	}, packages...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+e.Kubeconfig,
		"FCTL_TEST_KUBECTL="+filepath.Join(e.Cluster.bin, "kubectl"))
	text, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "--- ") || err != nil {
			t.Log(strings.TrimRight(line, "\n"))
		}
	}
	if err != nil || strings.Contains(string(text), "--- SKIP") {
		t.Errorf("the tests of %v: %v", packages, err)
	}
}
