package process

import (
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// waitForGroup waits for the process and kills what it left in the background. It does so before it
// reaps the process: until then the number of its group cannot be used again. With alone it kills
// everything else that this process started, too.
func waitForGroup(cmd *exec.Cmd, alone bool) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT,
		nil) == unix.EINTR {
		continue
	}
	_ = killGroup(cmd.Process)
	if alone {
		_ = EndChildren(cmd.Process.Pid) // the caller looks again
	}
	return cmd.Wait()
}

// limitMemory limits the writable memory of a process and its children. The address space is not
// limited, because programs in Go and Java reserve much more than they use.
func limitMemory(pid int, bytes int64) {
	most := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &most, nil)
}

// limitCPU limits the time of the processor that a process may use, in seconds.
func limitCPU(pid int, d time.Duration) {
	seconds := uint64((d + time.Second - 1) / time.Second)
	_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
}
