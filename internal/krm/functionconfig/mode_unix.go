//go:build unix

package functionconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags open a program. A named pipe would otherwise wait for a writer, and no timeout would
// end the wait.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// mayExecute reports whether a file mode lets anybody execute a program. The kernel decides for
// whom.
func mayExecute(mode fs.FileMode) bool { return mode&0o111 != 0 }
