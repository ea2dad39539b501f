//go:build !linux

package runtime

import "os/exec"

// waitForGroup waits for the process and kills what it left in the background.
func waitForGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	_ = killGroup(cmd.Process)
	return err
}

// limitMemory does nothing: the limit of another process can only be set on Linux.
func limitMemory(int, int64) {}
