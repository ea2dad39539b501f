//go:build unix

package functionconfig

import "io/fs"

// mayExecute reports whether a file mode lets anybody execute a program. The kernel decides for
// whom.
func mayExecute(mode fs.FileMode) bool { return mode&0o111 != 0 }
