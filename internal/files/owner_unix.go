//go:build unix

package files

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// nonBlocking prevents opening a pipe from blocking until somebody writes to it.
const nonBlocking = syscall.O_NONBLOCK

// NotTrusted completes a message about a file for which IsTrusted returned false.
const NotTrusted = "belongs to another user"

// KnowsOwners says that IsTrusted can find out who owns a file.
const KnowsOwners = true

// IsTrusted reports whether a file belongs to the user or to root. As with git's safe.directory,
// files of the user who called sudo are trusted as well when running under sudo.
func IsTrusted(info fs.FileInfo) bool {
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
