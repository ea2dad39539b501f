package functionconfig

import (
	"io/fs"
	"os"
)

// openFlags open a program.
const openFlags = os.O_RDONLY

// mayExecute is true: file modes say nothing about programs on Windows.
func mayExecute(fs.FileMode) bool { return true }
