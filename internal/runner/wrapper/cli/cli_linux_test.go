package cli

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// TestWrapperIsConcealed runs a wrapper in this process. The function has its user, and must not
// read its memory; the children of the function are readable as ever.
func TestWrapperIsConcealed(t *testing.T) {
	defer func() {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}()
	var stderr strings.Builder
	streams := iostreams.New(strings.NewReader(""), io.Discard, &stderr)
	status := Main(t.Context(), []string{
		"--address", "127.0.0.1", "--port", "0", "--idle", "10ms", "--", "true",
	}, streams, func(string) string { return "" })
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); n != 0 || err != nil {
		t.Errorf("dumpable: %d, %v", n, err)
	}
	if out, err := exec.Command("sh", "-c", "cat /proc/$$/environ").CombinedOutput(); err != nil {
		t.Errorf("a child: %v: %s", err, out)
	}
}
