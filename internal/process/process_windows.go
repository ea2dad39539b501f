package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: Windows has no process groups that can be killed as a whole.
func ownGroup(*exec.Cmd) {}

// asNobody does nothing: Windows has no such user.
func asNobody(*exec.Cmd) {}

// killGroup kills the process.
func killGroup(p *os.Process) error { return p.Kill() }

// signalOf returns nil: Windows has no signals.
func signalOf(*os.ProcessState) os.Signal { return nil }
