package cli

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWrapperIsConcealed runs a wrapper in this process. The function has its user, and must not
// read its memory; the children of the function are readable as ever.
func TestWrapperIsConcealed(t *testing.T) {
	defer func() {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}()
	status, _, stderr := run(t, "", "wrapper", "--address", "127.0.0.1", "--port", "0", "--idle",
		"10ms", "--", "true")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	if n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); n != 0 || err != nil {
		t.Errorf("dumpable: %d, %v", n, err)
	}
	if out, err := exec.Command("sh", "-c", "cat /proc/$$/environ").CombinedOutput(); err != nil {
		t.Errorf("a child: %v: %s", err, out)
	}
}
