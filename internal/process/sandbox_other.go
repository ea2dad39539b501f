//go:build !linux

package process

import "errors"

var errNoSandbox = errors.New("sandboxes need Linux")

func (s *Sandbox) wrap(*process) error { return errNoSandbox }

// EnterSandbox reports that this system has no sandboxes.
func EnterSandbox([]string) error { return errNoSandbox }
