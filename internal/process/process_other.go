//go:build !linux

package process

import (
	"os/exec"
	"time"
)

// waitForGroup waits for the process and kills what it left in the background.
func waitForGroup(cmd *exec.Cmd, _ bool) error {
	err := cmd.Wait()
	_ = killGroup(cmd.Process)
	return err
}

// BecomeReaper does nothing: only Linux has processes that get the children of others.
func BecomeReaper() error { return nil }

// EndChildren does nothing.
func EndChildren(int) error { return nil }

// Conceal does nothing.
func Conceal() error { return nil }

// RemoveIPC does nothing.
func RemoveIPC() error { return nil }

// limitMemory does nothing: the limit of another process can only be set on Linux.
func limitMemory(int, int64) {}

// limitCPU does nothing: the limit of another process can only be set on Linux.
func limitCPU(int, time.Duration) {}
