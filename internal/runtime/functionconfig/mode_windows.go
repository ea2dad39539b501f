package functionconfig

import "io/fs"

// mayExecute is true: file modes say nothing about programs on Windows.
func mayExecute(fs.FileMode) bool { return true }
