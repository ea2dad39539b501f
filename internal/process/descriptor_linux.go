package process

import (
	"bytes"
	"os"
	"os/exec"
)

// byDescriptor makes a command run an open file. A script runs by its name, because the kernel
// gives its interpreter the name of what was run, and scripts look for other files beside
// themselves.
func byDescriptor(cmd *exec.Cmd, file *os.File) {
	start := make([]byte, 2)
	if n, _ := file.ReadAt(start, 0); n == len(start) && bytes.Equal(start, []byte("#!")) {
		return
	}
	cmd.ExtraFiles = []*os.File{file}
	cmd.Path, cmd.Err = "/proc/self/fd/3", nil
}
