package process

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Conceal keeps other processes of the same user from the memory and the open files of this one.
// A process that is started from now on and executes a program is not concealed.
func Conceal() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// RemoveIPC deletes the shared memory, the message queues and the semaphores of System V that this
// user has. They outlive the processes that made them.
func RemoveIPC() error {
	for _, kind := range []struct {
		file, id string
		remove   func(id uintptr) unix.Errno
	}{
		{"shm", "shmid", func(id uintptr) unix.Errno {
			_, _, err := unix.Syscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
			return err
		}},
		{"msg", "msqid", func(id uintptr) unix.Errno {
			_, _, err := unix.Syscall(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0)
			return err
		}},
		{"sem", "semid", func(id uintptr) unix.Errno {
			_, _, err := unix.Syscall(unix.SYS_SEMCTL, id, 0, unix.IPC_RMID)
			return err
		}},
	} {
		ids, err := ownIPC("/proc/sysvipc/"+kind.file, kind.id)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := kind.remove(uintptr(id)); err != 0 && err != unix.EINVAL && err != unix.EIDRM {
				return fmt.Errorf("%s %d of the function stays: %w", kind.id, id, err)
			}
		}
	}
	return nil
}

// ownIPC returns the numbers of a table that this user owns or made. A kernel without System V has
// no table.
func ownIPC(table, column string) ([]int, error) {
	file, err := os.Open(table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Scan()
	names := strings.Fields(lines.Text())
	at := func(name string) int { return slices.Index(names, name) }
	id, own := at(column), []int{at("uid"), at("cuid")}
	if id < 0 || slices.Contains(own, -1) {
		return nil, fmt.Errorf("%s has other columns: %s", table, lines.Text())
	}
	var ids []int
	me := strconv.Itoa(os.Geteuid())
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < len(names) || fields[own[0]] != me && fields[own[1]] != me {
			continue
		}
		n, err := strconv.Atoi(fields[id])
		if err != nil {
			return nil, err
		}
		ids = append(ids, n)
	}
	return ids, lines.Err()
}
