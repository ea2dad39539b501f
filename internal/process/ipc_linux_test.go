package process

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRemoveIPC makes objects in a name space of its own, so that none of the machine is deleted.
func TestRemoveIPC(t *testing.T) {
	if _, err := exec.LookPath("ipcmk"); err != nil {
		t.Skip(err)
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWIPC); err != nil {
		t.Skip("no name space:", err)
	}
	left := func() (all string) {
		for _, kind := range []string{"shm", "msg", "sem"} {
			text, err := os.ReadFile("/proc/sysvipc/" + kind)
			if err != nil {
				t.Skip(err)
			}
			_, text2, _ := strings.Cut(string(text), "\n")
			all += text2
		}
		return all
	}
	for range 2 {
		if out, err := exec.Command("ipcmk", "-M", "64", "-Q", "-S", "2").CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
	}
	if n := strings.Count(left(), "\n"); n != 6 {
		t.Fatalf("%d objects", n)
	}
	if err := RemoveIPC(); err != nil || left() != "" {
		t.Errorf("%v, left: %s", err, left())
	}
}
