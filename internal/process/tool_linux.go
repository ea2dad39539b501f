package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithCaller lets the kernel end a program if this process is killed. It does so when the thread
// ends that has started the program, so the caller keeps it until it calls release.
func endWithCaller(cmd *exec.Cmd) (release func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
