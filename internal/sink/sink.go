// Package sink is where results go. A sink takes the finished bytes of a
// result and writes them at once, so that a run that failed has written
// nothing and a run that succeeded costs one system call.
package sink

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// Stdout writes payloads to the standard output.
type Stdout struct{ W io.Writer }

// Write writes the payload. A reader that went away (`fctl ... | head`) had
// what it wanted: that is no error.
func (s Stdout) Write(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	if _, err := s.W.Write(payload); err != nil && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
