//go:build unix

package settings

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// nonBlocking keeps opening a pipe from waiting for somebody to write to it.
const nonBlocking = syscall.O_NONBLOCK

// notTrusted is what isTrusted found when it is false.
const notTrusted = "belongs to another user"

// isTrusted reports whether a file belongs to the user or to root. As with git's safe.directory, the user of a command that runs
// under sudo is also the one who called sudo.
func isTrusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	owner, user := int(stat.Uid), os.Geteuid()
	if owner == user || owner == 0 {
		return true
	}
	caller, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	return user == 0 && err == nil && owner == caller
}
