package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// BecomeReaper makes processes whose parents have ended children of this process, for
// Program.Alone.
func BecomeReaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// maxGenerations is how often EndChildren looks for children. Each time a generation of a tree of
// processes ends, however large it is.
const maxGenerations = 1000

// EndChildren kills and reaps the children of this process and their descendants, except for one
// child. The process must have called BecomeReaper.
func EndChildren(except int) error {
	for range maxGenerations {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if errors.Is(err, unix.ECHILD) {
			return nil
		}
		all, err := children()
		if err != nil {
			return err
		}
		left := false
		for _, pid := range all {
			if pid == except {
				continue
			}
			left = true
			_ = unix.Kill(pid, unix.SIGKILL)
			for {
				if _, err := unix.Wait4(pid, nil, unix.WALL, nil); !errors.Is(err, unix.EINTR) {
					break
				}
			}
		}
		if !left && except != 0 {
			return nil
		}
	}
	return errors.New("processes that the function started do not end")
}

// children returns the children of this process, also of its other threads.
func children() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var found []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// The name of the program is in parentheses and may have any characters.
		text, _ := os.ReadFile("/proc/" + name + "/stat") // it may have ended meanwhile
		var state string
		var parent int
		rest := text[bytes.LastIndexByte(text, ')')+1:]
		if _, err := fmt.Sscan(string(rest), &state, &parent); err == nil && parent == os.Getpid() {
			found = append(found, pid)
		}
	}
	return found, nil
}
