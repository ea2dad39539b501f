//go:build !unix

package settings

import "io/fs"

const (
	nonBlocking = 0
	notTrusted  = "has an owner that this system does not report"
)

// isTrusted trusts no file, because it cannot find out the owner. Flags, the environment and the
// user's own file remain.
func isTrusted(fs.FileInfo) bool { return false }
