// Package sink is where results go. A sink takes a finished result, so that a
// run that failed has written nothing, and writes each of its parts with one
// system call.
package sink

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// Stdout writes payloads to the standard output.
type Stdout struct{ W io.Writer }

// Write writes the parts of a payload one after the other. A reader that went
// away (`fctl ... | head`) had what it wanted: that is no error.
func (s Stdout) Write(parts ...[]byte) error {
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		_, err := s.W.Write(part)
		if errors.Is(err, syscall.EPIPE) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return nil
}
